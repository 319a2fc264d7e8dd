package pommerman

import (
	"encoding/binary"
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/grid"
)

// The planes encoding is made for networks: one uint8 plane for each thing a
// cell can hold, seen from the seat (itself, its teammate, its enemies), and a
// vector of scalars between 0 and 1. Cells the seat cannot see are 0 in all
// planes but the last.

// The planes, in order. Their names and meanings stand in planeNames.
const (
	planePassage = iota
	planeRigid
	planeWood
	planeBombBlast
	planeBombLife
	planeBombUp
	planeBombDown
	planeBombLeft
	planeBombRight
	planeFlame
	planeExtraBomb
	planeIncrRange
	planeKick
	planeSkull
	planeSelf
	planeTeammate
	planeEnemies
	planeFog
	numPlanes
)

var planeNames = [numPlanes]env.Name{
	planePassage:   {Name: "passage", Meaning: "1 where the cell is empty"},
	planeRigid:     {Name: "rigid", Meaning: "1 where a rigid wall stands"},
	planeWood:      {Name: "wood", Meaning: "1 where wood stands"},
	planeBombBlast: {Name: "bomb_blast", Meaning: "blast strength of the bomb on the cell"},
	planeBombLife:  {Name: "bomb_life", Meaning: "steps until the bomb on the cell explodes"},
	planeBombUp:    {Name: "bomb_up", Meaning: "1 where a bomb rolls up"},
	planeBombDown:  {Name: "bomb_down", Meaning: "1 where a bomb rolls down"},
	planeBombLeft:  {Name: "bomb_left", Meaning: "1 where a bomb rolls left"},
	planeBombRight: {Name: "bomb_right", Meaning: "1 where a bomb rolls right"},
	planeFlame:     {Name: "flame", Meaning: "observations for which the youngest flame on the cell still shows"},
	planeExtraBomb: {Name: "extra_bomb", Meaning: "1 where an extra bomb lies"},
	planeIncrRange: {Name: "incr_range", Meaning: "1 where a range power-up lies"},
	planeKick:      {Name: "kick", Meaning: "1 where a kick power-up lies"},
	planeSkull:     {Name: "skull", Meaning: "1 where a skull lies (only with rules that have skulls)"},
	planeSelf:      {Name: "self", Meaning: "1 where the seat's own agent stands"},
	planeTeammate:  {Name: "teammate", Meaning: "1 where its teammate stands"},
	planeEnemies:   {Name: "enemies", Meaning: "1 where an enemy stands"},
	planeFog:       {Name: "fog", Meaning: "1 where the seat cannot see"},
}

// planeScalars lists the planes vector's entries in order.
func (r *Rules) planeScalars() []scalar[float32] {
	list := []scalar[float32]{
		{"alive", "1 while the seat's agent lives", func(_ *Rules, s *State, seat int) float32 { return one(s.Agents[seat].Alive) }},
		{"ammo", "bombs it can lay now, over the most it can carry", func(r *Rules, s *State, seat int) float32 {
			return share(int(s.Agents[seat].Ammo), r.MaxAmmo)
		}},
		{"blast_strength", "blast strength of its bombs, over the most it can get", func(r *Rules, s *State, seat int) float32 {
			return share(int(s.Agents[seat].Blast), max(r.MaxBlast, r.StartBlast))
		}},
		{"can_kick", "1 if it can kick bombs", func(_ *Rules, s *State, seat int) float32 { return one(s.Agents[seat].Kicks) }},
		{"row", "its row, over the last row", func(r *Rules, s *State, seat int) float32 { return share(s.Agents[seat].Cell.Row(), r.BoardSize-1) }},
		{"col", "its column, over the last column", func(r *Rules, s *State, seat int) float32 { return share(s.Agents[seat].Cell.Col(), r.BoardSize-1) }},
		{"step", "steps made, over the step limit", func(r *Rules, s *State, _ int) float32 { return share(int(s.StepCount), r.MaxSteps) }},
	}
	if r.Teams() {
		list = append(list, scalar[float32]{"teammate_alive", "1 while its teammate lives", func(r *Rules, s *State, seat int) float32 {
			return one(s.Agents[r.Teammate(seat)].Alive)
		}})
	}
	for k := range r.Seats() - len(r.teams()[0]) {
		list = append(list, scalar[float32]{fmt.Sprintf("enemy%d_alive", k), "1 while this enemy lives, enemies in order of their seats",
			func(r *Rules, s *State, seat int) float32 {
				_, enemies := r.relations(seat)
				return one(s.Agents[enemies[k]-r.Agent0()].Alive)
			}})
	}
	for k := range r.RadioWords {
		list = append(list, scalar[float32]{fmt.Sprintf("message%d", k), "word the teammate sent in the last step (0 for none), over the size of the vocabulary",
			func(r *Rules, s *State, seat int) float32 {
				return share(int(s.Radio[r.Teammate(seat)][k]), r.RadioVocab)
			}})
	}
	return list
}

func one(b bool) float32 { return float32(toByte(b)) }

// share is n over most, at most 1: hand-made starts can hold more than most.
func share(n, most int) float32 { return min(float32(n)/float32(most), 1) }

// planesEncoding describes the encoding.
func (r *Rules) planesEncoding() env.Encoding {
	n := r.BoardSize
	scalars := names(r.planeScalars())
	return env.Encoding{Name: "planes", Fields: []env.Field{
		{Name: "planes", DType: env.Uint8, Shape: []int{numPlanes, n, n}, Low: 0, High: 255, Names: planeNames[:]},
		{Name: "scalars", DType: env.Float32, Shape: []int{len(scalars)}, Low: 0, High: 1, Names: scalars},
	}}
}

// planeOf says for each item a board can show which plane it is 1 in, as seat
// sees it; numPlanes for items that have values in planes of their own.
func (r *Rules) planeOf(seat int) (of [16]uint8) {
	of = [16]uint8{
		Passage: planePassage, Rigid: planeRigid, Wood: planeWood, BombItem: numPlanes, Flames: numPlanes, Fog: planeFog,
		ExtraBomb: planeExtraBomb, IncrRange: planeIncrRange, Kick: planeKick, Skull: planeSkull,
	}
	for other := range r.Seats() {
		plane := planeEnemies
		switch other {
		case seat:
			plane = planeSelf
		case r.Teammate(seat):
			plane = planeTeammate
		}
		of[r.Agent0()+Item(other)] = uint8(plane)
	}
	return of
}

// encodePlanes writes the planes as seat sees them, numPlanes*n*n bytes.
func (g *Game) encodePlanes(s *State, seat int, dst []byte) {
	r := &g.rules
	n := r.BoardSize
	size := n * n
	dst = dst[:numPlanes*size]
	clear(dst)
	w := r.window(s, seat)
	if r.ViewSize != 0 {
		fog := dst[planeFog*size:][:size]
		for i := range fog {
			fog[i] = 1
		}
		for row := w.top; row < w.bottom; row++ {
			clear(fog[row*n+w.left : row*n+w.right])
		}
	}
	of := &g.planeOf[seat]
	for row := w.top; row < w.bottom; row++ {
		for col := w.left; col < w.right; col++ {
			if plane := of[s.Board[grid.At(row, col)]&15]; plane < numPlanes {
				dst[int(plane)*size+row*n+col] = 1
			}
		}
	}
	for i := range s.bombs() {
		if b := &s.Bombs[i]; w.has(b.Cell) {
			at := b.Cell.Row()*n + b.Cell.Col()
			dst[planeBombBlast*size+at] = b.Blast
			dst[planeBombLife*size+at] = b.Life
			if d := b.Moving(); d != grid.Stay {
				dst[(planeBombUp+int(d-grid.Up))*size+at] = 1
			}
		}
	}
	s.eachFlame(&w, func(c grid.Cell, life uint8) { dst[planeFlame*size+c.Row()*n+c.Col()] = life })
}

// encodePlaneScalars writes the vector of float32.
func (g *Game) encodePlaneScalars(s *State, seat int, dst []byte) {
	for i := range g.planeScalars {
		v := g.planeScalars[i].value(&g.rules, s, seat)
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
	}
}
