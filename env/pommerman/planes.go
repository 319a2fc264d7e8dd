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

func one(b bool) float32 { return float32(toByte(b)) }

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

// encodePlanes writes the planes as seat sees them, numPlanes*n*n bytes.
func (g *Game) encodePlanes(s *State, fire *fire, seat int, dst []byte) {
	r := &g.rules
	size := r.BoardSize * r.BoardSize
	dst = dst[:numPlanes*size]
	w := r.window(s, seat)
	var flat [flatRoom]byte
	r.flatten(s, &w, flat[:])
	spreadPlanes(dst, flat[:size], &g.planeOf[seat])
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(g.flatAt[b.Cell])
		if flat[at] == byte(Fog) {
			continue
		}
		dst[planeBombBlast*size+at] = b.Blast
		dst[planeBombLife*size+at] = b.Life
		if d := b.Moving(); d != grid.Stay {
			dst[(planeBombUp+int(d-grid.Up))*size+at] = 1
		}
	}
	fire.encode(flat[:size], dst[planeFlame*size:][:size])
}

// fire is the flames of a game as observations show them, collected once for
// all seats: where they are on a flat board, and for how long they still show.
type fire struct {
	n    int
	at   [grid.MaxSide * grid.MaxSide]uint8
	life [grid.MaxSide * grid.MaxSide]uint8
}

// collect lists the burning cells, each with its youngest flame.
func (f *fire) collect(g *Game, s *State) {
	for c := range s.burning().All {
		f.at[f.n], f.life[f.n] = g.flatAt[c], s.Flame(c)
		f.n++
	}
}

// encode writes the life of the flames a seat sees; flat is the board as it
// sees it.
func (f *fire) encode(flat, dst []byte) {
	for i, at := range f.at[:f.n] {
		if flat[at] != byte(Fog) {
			dst[at] = f.life[i]
		}
	}
}

// spreadPlanesSlowly sets, for every cell of a flat board, the byte of that cell
// to 1 in the plane that of names for the item there, and all other bytes of
// dst to 0. It is the twin of the faster spreadPlanes some machines have.
func spreadPlanesSlowly(dst, flat []byte, of *[16]uint8) {
	clear(dst)
	for at, item := range flat {
		if plane := int(of[item&15]); plane < numPlanes {
			dst[plane*len(flat)+at] = 1
		}
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
	mate := r.Teammate(seat)
	for _, v := range [...]float32{
		one(a.Alive), g.shares.ammo[a.Ammo], g.shares.blast[a.Blast], one(a.Kicks),
		g.shares.place[a.Cell.Row()], g.shares.place[a.Cell.Col()], step,
	} {
		dst = putFloat(dst, v)
	}
	if mate != NoSeat {
		dst = putFloat(dst, one(s.Agents[mate].Alive))
	}
	for other := range r.Seats() {
		if other != seat && other != mate {
			dst = putFloat(dst, one(s.Agents[other].Alive))
		}
	}
	for k := range r.RadioWords {
		dst = putFloat(dst, g.shares.word[s.Radio[mate][k]])
	}
}

// putFloat writes one number and returns what is left of dst.
func putFloat(dst []byte, v float32) []byte {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
	return dst[4:]
}
