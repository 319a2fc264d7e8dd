package pommerman

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// The near encoding is what the learned agents see: planes of the cells around the seat's
// own agent, which also show what is about to burn, and a vector of numbers. All of it is
// uint8. Beyond the edge of the board all cells are rigid. It follows from a [View] alone.

// NearSide is how many rows and columns the planes have; the agent is in the middle.
const NearSide = 11

const (
	nearCells = NearSide * NearSide
	nearSoon  = 10  // how many steps ahead the planes show cells that will burn
	nearUnit  = 32  // the value that stands for 1 in a plane, unless that shows a whole map
	nearMost  = 127 // the largest value in a plane
	shareUnit = 64  // the value that stands for 1 in a number that is a share
	countUnit = 8   // what a cell counts in a block
	numBlocks = 9
)

// mapDanger is a map of the window that scenes do not have.
const mapDanger = numMaps

// nearPlane is a plane of the encoding. has reports whether it exists by some rules.
type nearPlane struct {
	plane
	has func(r *Rules) bool // nil: by all rules
}

var nearPlanes = [...]nearPlane{
	{plane: plane{"rigid", "32 where a rigid wall stands, or beyond the board", shows(Rigid)}},
	{plane: plane{"wood", "32 where wood stands", shows(Wood)}},
	{plane: plane{"bomb_blast", "6 times the blast strength of the bomb on the cell, 126 at most",
		source{mapBlast, whole}}},
	{plane: plane{"bomb_life", "6 times the steps until the bomb on the cell explodes, 126 at most",
		source{mapLife, whole}}},
	{plane: plane{"bomb_up", "32 where a bomb rolls up", source{mapMoving, uint8(grid.Up)}}},
	{plane: plane{"bomb_down", "32 where a bomb rolls down", source{mapMoving, uint8(grid.Down)}}},
	{plane: plane{"bomb_left", "32 where a bomb rolls left", source{mapMoving, uint8(grid.Left)}}},
	{plane: plane{"bomb_right", "32 where a bomb rolls right", source{mapMoving, uint8(grid.Right)}}},
	{plane: plane{"flame", "16 times the observations for which the youngest flame on the cell still shows",
		source{mapFlame, whole}}},
	{plane: plane{"extra_bomb", "32 where an extra bomb lies", shows(ExtraBomb)}},
	{plane: plane{"incr_range", "32 where a range power-up lies", shows(IncrRange)}},
	{plane: plane{"kick", "32 where a kick power-up lies", shows(Kick)}},
	{plane: plane{"skull", "32 where a skull lies", shows(Skull)}, has: func(r *Rules) bool { return r.Skulls }},
	{plane: plane{"enemies", "32 where an enemy stands", shows(anEnemy)}},
	{plane: plane{"danger", "60 where an explosion or a ring of the collapse strikes in the coming step, 6 less for " +
		"each step later, by what the seat sees and if everybody stands still", source{mapDanger, whole}}},
	{plane: plane{"teammate", "32 where its teammate stands", shows(itsTeammate)}, has: (*Rules).Teams},
	{plane: plane{"fog", "32 where the seat cannot see", shows(Fog)}, has: (*Rules).fogged},
}

func (r *Rules) fogged() bool { return r.ViewSize != 0 }

// NearForm describes the encoding near by some rules.
type NearForm struct {
	Planes, Numbers []env.Name

	sources []source
}

// nearKind is what NearForm depends on.
type nearKind struct {
	teams, fogged, skulls bool
	enemies, words, vocab int
}

var nearForms sync.Map // *NearForm by nearKind

// NearForm returns the form of the encoding by these rules.
func (r *Rules) NearForm() *NearForm {
	kind := nearKind{r.Teams(), r.fogged(), r.Skulls, r.enemies(), r.RadioWords, r.RadioVocab}
	if form, ok := nearForms.Load(kind); ok {
		return form.(*NearForm)
	}
	form := &NearForm{}
	for i := range nearPlanes {
		if p := &nearPlanes[i]; p.has == nil || p.has(r) {
			form.Planes = append(form.Planes, env.Name{Name: p.name, Meaning: p.meaning})
			form.sources = append(form.sources, p.source)
		}
	}
	form.Numbers = observe.VectorField(env.Uint8, 0, 255, func(v observe.Vector[observe.List]) {
		nearNumbers(v, &Safety{v: &View{Rules: r, Self: Agent{Cell: r.cell(0)}}})
	}).Names
	nearForms.Store(kind, form)
	return form
}

// Form returns the form of the encoding near by the rules of the view.
func (s *Safety) Form() *NearForm { return s.v.Rules.NearForm() }

func (g *Game) nearEncoding() env.Encoding {
	form := g.near
	return env.Encoding{Name: "near", Fields: []env.Field{
		{Name: "near", DType: env.Uint8, Shape: []int{len(form.Planes), NearSide, NearSide}, High: nearMost,
			Names: form.Planes},
		{Name: "numbers", DType: env.Uint8, Shape: []int{len(form.Numbers)}, High: 255, Names: form.Numbers},
	}}
}

// Draw writes the encoding of what a seat sees: a byte for each cell of each plane, and one for each number.
func (n *NearForm) Draw(s *Safety, planes, numbers []byte) {
	v, f := s.v, &s.Stays
	var maps [(numMaps+1)*nearCells + sceneSlack]byte
	v.window(maps[:])
	top, left, side := v.Self.Cell.Row()-NearSide/2, v.Self.Cell.Col()-NearSide/2, v.Rules.BoardSize
	shown := grid.Rect(max(top, 0), min(top+NearSide, side), max(left, 0), min(left+NearSide, side))
	corner := (top+1)*NearSide + left + 1
	put := func(m int, c grid.Cell, value, factor uint8) { // for a cell that is shown
		maps[m*nearCells+int(c>>4)*NearSide+int(c&15)-corner] = min(value, nearMost/factor) * factor
	}
	for i := range v.Bombs[:v.NumBombs] {
		if b := &v.Bombs[i]; shown.Has(b.Cell) {
			put(mapBlast, b.Cell, b.Blast, 6)
			put(mapLife, b.Cell, b.Life, 6)
			put(mapMoving, b.Cell, uint8(b.Moving()), 1)
		}
	}
	for life := range v.flames {
		if burning := &v.flames[life]; !burning.Empty() {
			for c := range burning.And(shown).All {
				put(mapFlame, c, uint8(life+1), 16)
			}
		}
	}
	for c := range f.Struck.And(shown).All {
		if due := f.Due[c]; due <= nearSoon {
			put(mapDanger, c, nearSoon+1-due, 6)
		}
	}
	as := v.Rules.takesFor(v.Seat, v.Teammate)
	spread(planes, maps[:], &everywhere, &as, nearCells, n.sources, nearUnit)
	nearNumbers(observe.Into(numbers), s)
}

// window writes the board around the agent, row by row as two words. Their bytes that are not of the row become rigid.
func (v *View) window(maps []byte) {
	const rigid, all = ones * uint64(Rigid), ^uint64(0)
	board, left := rawBoard(&v.Board), v.Self.Cell.Col()+1-NearSide/2
	low, high := all<<(8*max(-left, 0))&(all>>(8*max(left-8, 0))), all>>(8*max(left, 0))
	for k := range NearSide {
		one, two := rigid, rigid
		if row := v.Self.Cell.Row() + k - NearSide/2; row >= 0 && row < v.Rules.BoardSize {
			at := board[16*(row+1)+left:][:16]
			one, two = wordAt(at, 0)&low|rigid&^low, wordAt(at, 8)&high|rigid&^high
		}
		binary.LittleEndian.PutUint64(maps[k*NearSide:], one)
		binary.LittleEndian.PutUint64(maps[k*NearSide+8:], two)
	}
	clear(maps[nearCells:][:NearSide])
}

// nearNumbers puts the numbers of the encoding: the shares of the planes encoding; in how many cells a plane
// is set in each of nine blocks around the agent, of which the middle one has 7 x 7; and place and time.
func nearNumbers[M observe.Mode](v observe.Vector[M], s *Safety) {
	seen, r, self := s.v, s.v.Rules, &s.v.Self
	share := func(n, most int) uint8 { // n / most, rounded
		return uint8(min((2*shareUnit*uint32(n)+uint32(most))/(2*uint32(most)), shareUnit))
	}
	lives := func(who Item) uint8 {
		return shareUnit * toByte(who >= r.Agent0() && seen.Alive.Has(int(who-r.Agent0())))
	}
	v = v.Uint8("ammo", "64 times bombs it can lay now, over the most it can carry", share(int(self.Ammo), r.MaxAmmo))
	v = v.Uint8("blast_strength", "64 times the blast strength of its bombs, over the most it can get",
		share(int(self.Blast), max(r.MaxBlast, r.StartBlast)))
	v = v.Uint8("can_kick", "64 if it can kick bombs", shareUnit*toByte(self.Kicks))
	v = v.Uint8("step", "64 times steps made, over the step limit", share(seen.StepCount, r.MaxSteps))
	for k := range r.enemies() {
		v = v.Nth(k).Uint8("enemy%d_alive", "64 while this enemy lives, enemies in order of their seats",
			lives(seen.Enemies[k]))
	}
	if r.Teams() {
		v = v.Uint8("teammate_alive", "64 while its teammate lives", lives(seen.Teammate))
	}
	for k := range r.RadioWords {
		for word := 1; word <= r.RadioVocab; word++ {
			v = v.Nth(word).Of(&messages[k]).Uint8("%s=%d", "64 if the %s word that the teammate sent is %d",
				shareUnit*toByte(int(seen.Message[k]) == word))
		}
	}
	var enemies, mates, fog, wood [numBlocks]int
	for c := range s.cells.agents.All {
		if seen.Board[c] == r.Agent0()+Item(seen.Seat) {
			continue
		}
		block := int(around[self.Cell>>4].third[c>>4])*3 + int(around[self.Cell&15].third[c&15])
		if seen.Board[c] == seen.Teammate {
			mates[block]++
		} else {
			enemies[block]++
		}
	}
	countBlocks(&s.cells.wood, self.Cell, &wood)
	v = putBlocks(putBlocks(v, "enemies", &enemies), "wood", &wood)
	if r.Teams() {
		v = putBlocks(v, "teammate", &mates)
	}
	if r.fogged() {
		countBlocks(&s.cells.fog, self.Cell, &fog)
		v = putBlocks(v, "fog", &fog)
	}
	// The learned agents make their noise from these.
	v = v.Uint8("row", "the row of its cell, from 0", uint8(self.Cell.Row()))
	v = v.Uint8("col", "the column of its cell, from 0", uint8(self.Cell.Col()))
	v = v.Uint8("step_low", "steps made, modulo 256", uint8(seen.StepCount))
	v.Uint8("step_high", "steps made, in whole 256s", uint8(seen.StepCount>>8))
}

var messages = [MaxWords]env.Name{{Name: "message0", Meaning: "first"}, {Name: "message1", Meaning: "second"},
	{Name: "message2", Meaning: "third"}}

func putBlocks[M observe.Mode](v observe.Vector[M], plane string, counts *[numBlocks]int) observe.Vector[M] {
	who := env.Name{Name: plane, Meaning: plane}
	for i, n := range counts {
		v = v.Nth(i).Of(&who).Uint8("%s_block%d", "8 times the cells with %s in a block, 127 at most. Nine blocks, row "+
			"after row, cover the board; the middle one is the 7 x 7 cells around the agent", uint8(min(n*countUnit, nearMost)))
	}
	return v
}

// countBlocks counts the cells of a set in each of the nine blocks around a cell.
func countBlocks(set *grid.Bits, self grid.Cell, counts *[numBlocks]int) {
	rows, cols := &around[self>>4].rows, &around[self&15].cols
	for w, cells := range set {
		if cells == 0 {
			continue
		}
		for k, col := range cols {
			part := cells & col
			counts[k] += bits.OnesCount64(part & rows[0][w])
			counts[3+k] += bits.OnesCount64(part & rows[1][w])
			counts[6+k] += bits.OnesCount64(part & rows[2][w])
		}
	}
}

// around has, for each place in a row or column of the bordered layout, the third in which each
// other place lies, all rows of each third and, for any four rows, all columns of each third.
var around = func() (all [16]struct {
	third [16]uint8
	rows  [3]grid.Bits
	cols  [3]uint64
}) {
	for place := range all {
		a := &all[place]
		for c := range grid.Square(grid.MaxSide).All {
			third := func(at grid.Cell) uint8 { return uint8(min(max((int(at)-place+10)/7, 0), 2)) }
			a.third[c>>4] = third(c >> 4)
			a.third[c&15] = third(c & 15)
			a.rows[third(c>>4)].Add(c)
			a.cols[third(c&15)] |= 0x1_0001_0001_0001 << (c & 15)
		}
	}
	return all
}()
