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

// planeScalarNames names the planes vector's entries, in the order in which
// encodePlaneScalars writes them.
func (r *Rules) planeScalarNames() []env.Name {
	list := []env.Name{
		{Name: "alive", Meaning: "1 while the seat's agent lives"},
		{Name: "ammo", Meaning: "bombs it can lay now, over the most it can carry"},
		{Name: "blast_strength", Meaning: "blast strength of its bombs, over the most it can get"},
		{Name: "can_kick", Meaning: "1 if it can kick bombs"},
		{Name: "row", Meaning: "its row, over the last row"},
		{Name: "col", Meaning: "its column, over the last column"},
		{Name: "step", Meaning: "steps made, over the step limit"},
	}
	if r.Teams() {
		list = append(list, env.Name{Name: "teammate_alive", Meaning: "1 while its teammate lives"})
	}
	for k := range r.Seats() - len(r.teams()[0]) {
		list = append(list, env.Name{Name: fmt.Sprintf("enemy%d_alive", k), Meaning: "1 while this enemy lives, enemies in order of their seats"})
	}
	for k := range r.RadioWords {
		list = append(list, env.Name{Name: fmt.Sprintf("message%d", k), Meaning: "word the teammate sent in the last step (0 for none), over the size of the vocabulary"})
	}
	return list
}

func one(b bool) float32 { return ones[toByte(b)&1] }

var ones = [2]float32{0, 1}

// share is n over most, at most 1: hand-made starts can hold more than most.
func share(n, most int) float32 { return min(float32(n)/float32(most), 1) }

// planesEncoding describes the encoding.
func (r *Rules) planesEncoding() env.Encoding {
	n := r.BoardSize
	scalars := r.planeScalarNames()
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

// observePlanes writes the planes and the vectors of the given seats.
func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	cells := g.rules.BoardSize * g.rules.BoardSize
	size := numPlanes * cells
	width := 4 * (7 + len(g.others[0]) + g.rules.RadioWords)
	step := share(int(s.StepCount), g.rules.MaxSteps)
	var scene scene
	g.paint(s, scene[:])
	for i, seat := range seats {
		spreadPlanes(planes[i*size:(i+1)*size], scene[:], g.sight(&s.Agents[seat]), &g.planeOf[seat], cells)
		g.encodePlaneScalars(s, int(seat), step, scalars[i*width:(i+1)*width])
	}
}

// shares is the quotients that scalars consist of, worked out once: dividing
// takes longer than the rest of writing them.
type shares struct {
	ammo, blast, word [256]float32
	place             [grid.MaxSide]float32
}

func (r *Rules) shares() *shares {
	var all shares
	for n := range all.ammo {
		all.ammo[n] = share(n, r.MaxAmmo)
		all.blast[n] = share(n, max(r.MaxBlast, r.StartBlast))
		all.word[n] = share(n, max(r.RadioVocab, 1))
	}
	for n := range all.place {
		all.place[n] = share(n, r.BoardSize-1)
	}
	return &all
}

// encodePlaneScalars writes the vector of float32 that planeScalarNames names.
// step is the share of the steps that are made.
func (g *Game) encodePlaneScalars(s *State, seat int, step float32, dst []byte) {
	r := &g.rules
	a := &s.Agents[seat]
	own := dst[:28]
	putFloat(own, one(a.Alive))
	putFloat(own[4:], g.shares.ammo[a.Ammo])
	putFloat(own[8:], g.shares.blast[a.Blast])
	putFloat(own[12:], one(a.Kicks))
	putFloat(own[16:], g.shares.place[a.Cell.Row()])
	putFloat(own[20:], g.shares.place[a.Cell.Col()])
	putFloat(own[24:], step)
	rest := dst[28:]
	for k, other := range g.others[seat] {
		putFloat(rest[4*k:], one(s.Agents[other].Alive))
	}
	for k := range r.RadioWords {
		putFloat(rest[4*(len(g.others[seat])+k):], g.shares.word[s.Radio[r.Teammate(seat)][k]])
	}
}

func putFloat(dst []byte, v float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
}

// othersOf is the other seats in the order of the vector: first the teammate.
func (r *Rules) othersOf(seat int) []uint8 {
	var others []uint8
	mate := r.Teammate(seat)
	if mate != NoSeat {
		others = append(others, uint8(mate))
	}
	for other := range r.Seats() {
		if other != seat && other != mate {
			others = append(others, uint8(other))
		}
	}
	return others
}
