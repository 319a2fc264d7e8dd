package words

import (
	"slices"

	"pommego/arena/scene"
	"pommego/env"
)

// Horizon is the last tick of a forecast.
const Horizon = 63

// Forecast tells for each cell at which ticks it burns: bit t for tick t, from 1 to Horizon. It is
// what the bombs and flames of a step will do if no bomb is laid or kicked. Figures that bombs
// roll against stay where they are; they shield nothing, for they may walk away. Cells on which a
// ring of the board falls count as burning from then on.
func (g *Game) Forecast(seen *scene.Step) []uint64 {
	n := g.head.Rows * g.head.Cols
	f := forecast{Game: g, step: seen.Step, fire: make([]uint64, n+1), ground: g.ground(seen), blocked: make([]bool, n+1)}
	for _, b := range seen.Bases {
		f.ground[g.cell(b.At)] = groundBase
	}
	for _, i := range seen.Items {
		f.blocked[g.cell(i.At)] = !i.Hidden && g.rules.Step != "java"
	}
	for _, a := range seen.Agents {
		if a.Alive {
			f.blocked[g.cell(a.At)] = true
		}
	}
	for _, fl := range seen.Flames {
		life := fl.Life
		if g.head.Hides(env.FlameLives) {
			life = g.rules.FlameLife
		}
		if g.rules.Step != "2018" {
			f.burn(g.cell(fl.At), 1, life-1)
		}
	}
	f.bombs = slices.Clone(seen.Bombs)
	for tick := 0; tick <= Horizon; tick++ {
		if tick > 0 {
			f.roll()
			f.explode(tick)
		}
		f.fall(tick)
	}
	return f.fire[:n]
}

// groundBase is a cell that stops blasts and does not burn down.
const groundBase = 'B'

// forecast is a position as it will be. It has one cell more than the board, for places that are
// not on it.
type forecast struct {
	*Game
	step    int
	ground  []byte
	blocked []bool // what else stops rolling bombs
	bombs   []env.SceneBomb
	fire    []uint64
}

// cell is the number of a place, one past the last if it is not on the board.
func (g *Game) cell(at env.Place) int {
	if uint(at[0]) >= uint(g.head.Rows) || uint(at[1]) >= uint(g.head.Cols) {
		return g.head.Rows * g.head.Cols
	}
	return at[0]*g.head.Cols + at[1]
}

// ground is a step's ground, and one cell more.
func (g *Game) ground(seen *scene.Step) []byte {
	ground := slices.Repeat([]byte{env.GroundFog}, g.head.Rows*g.head.Cols+1)
	copy(ground[:len(ground)-1], seen.Ground)
	return ground
}

// burn makes a cell burn for some ticks.
func (f *forecast) burn(cell, from, ticks int) {
	for t := from; t < from+ticks && t <= Horizon; t++ {
		f.fire[cell] |= 1 << t
	}
}

var directions = map[string]env.Place{"up": {-1, 0}, "down": {1, 0}, "left": {0, -1}, "right": {0, 1}}

// roll moves bombs that roll.
func (f *forecast) roll() {
	for i := range f.bombs {
		b := &f.bombs[i]
		d, rolls := directions[b.Moving]
		to := env.Place{b.At[0] + d[0], b.At[1] + d[1]}
		switch c := f.cell(to); {
		case !rolls:
		case f.ground[c] != env.GroundFloor, f.blocked[c],
			slices.ContainsFunc(f.bombs, func(o env.SceneBomb) bool { return o.At == to }):
			b.Moving = ""
		default:
			b.At = to
		}
	}
}

// explode lets the bombs explode that are due at a tick, and those that they set off. Where
// figures can shield a bomb from another, it may explode then, and again when it is due.
func (f *forecast) explode(t int) {
	reached, gone := make([]bool, len(f.fire)), make([]bool, len(f.bombs))
	set := func(cell int) bool { // off by flames
		return f.rules.Step != "2018" && (f.fire[cell]>>t&1 != 0 || reached[cell] && !f.rules.DelayedChain)
	}
	for again := true; again; {
		again = false
		for i := range f.bombs {
			b := &f.bombs[i]
			if gone[i] || b.Life > t && !set(f.cell(b.At)) {
				continue
			}
			gone[i], again = true, true
			for _, c := range f.reach(b) {
				reached[c] = true
				if f.rules.Step == "java" { // flames burn at once
					f.burnDown(c)
				}
			}
		}
	}
	var left []env.SceneBomb
	for i, b := range f.bombs {
		vanishes := f.rules.Step == "2018" && reached[f.cell(b.At)]
		if !vanishes && (!gone[i] || b.Life > t && f.rules.Lives > 0) {
			left = append(left, b)
		}
	}
	f.bombs = left
	lasts := max(1, f.rules.FlameLife)
	if f.rules.Step == "2018" { // flames kill only as they appear
		lasts = 1
	}
	for c, burns := range reached {
		if burns {
			f.burn(c, t, lasts)
			f.burnDown(c)
		}
	}
}

func (f *forecast) burnDown(cell int) {
	if f.ground[cell] == env.GroundWood {
		f.ground[cell] = env.GroundFloor
	}
}

// reach is the cells that a bomb reaches as the ground is.
func (f *forecast) reach(b *env.SceneBomb) []int {
	cells := []int{f.cell(b.At)}
	if f.head.Torus { // nothing stops a blast
		for _, c := range b.Reach {
			cells = append(cells, f.cell(env.Place{c / f.head.Cols, c % f.head.Cols}))
		}
		return cells
	}
	for _, d := range directions {
		for n := 1; n < b.Blast; n++ {
			c := f.cell(env.Place{b.At[0] + n*d[0], b.At[1] + n*d[1]})
			if f.ground[c] == env.GroundWall || f.ground[c] == env.GroundFog {
				break
			}
			cells = append(cells, c)
			if f.ground[c] != env.GroundFloor {
				break
			}
		}
	}
	return cells
}

// fall lets a ring fall if one is due after a tick.
func (f *forecast) fall(t int) {
	ring := f.rules.ringAt(f.step + t)
	if ring < 0 {
		return
	}
	for c := range f.fire[:len(f.fire)-1] {
		row, col := c/f.head.Cols, c%f.head.Cols
		if min(row, col, f.head.Rows-1-row, f.head.Cols-1-col) != ring {
			continue
		}
		f.ground[c] = env.GroundWall
		f.burn(c, max(1, t), Horizon)
		f.bombs = slices.DeleteFunc(f.bombs, func(b env.SceneBomb) bool { return f.cell(b.At) == c })
	}
}
