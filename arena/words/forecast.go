package words

import (
	"math/bits"

	"pommego/arena/scene"
	"pommego/env"
)

// Horizon is the last tick of a forecast.
const Horizon = 63

// Forecast tells for each cell at which ticks it burns: bit t for tick t, from 1 to Horizon. It
// is what the bombs and flames of a step will do if no other bomb is laid or kicked. Where
// figures will be is unknown, so none of them shields anything.
func (g *Game) Forecast(seen *scene.Step) []uint64 {
	f := forecast{Game: g, fire: make([]uint64, len(seen.Ground)), ground: append(env.Ground{}, seen.Ground...)}
	for _, fl := range seen.Flames {
		life := fl.Life
		if g.head.Hides(env.FlameLives) {
			life = g.rules.FlameLife
		}
		f.burn(g.cell(fl.At), 1, life-1)
	}
	for _, b := range seen.Bases {
		f.ground[g.cell(b.At)] = base
	}
	f.bombs = append(f.bombs, seen.Bombs...)
	for tick := 1; len(f.bombs) > 0 && tick <= Horizon; tick++ {
		f.tick(tick)
	}
	return f.fire
}

const base = 'B' // a ground that stops blasts like wood and stays

type forecast struct {
	*Game
	ground env.Ground
	bombs  []env.SceneBomb
	fire   []uint64
}

func (g *Game) cell(at env.Place) int { return at[0]*g.head.Cols + at[1] }

// burn makes a cell burn for some ticks.
func (f *forecast) burn(cell, from, ticks int) {
	for t := from; t < from+ticks && t <= Horizon; t++ {
		f.fire[cell] |= 1 << t
	}
}

// tick lets the bombs explode that are due, and those that they set off.
func (f *forecast) tick(t int) {
	reached := map[int]bool{}
	for again := true; again; {
		again = false
		var left []env.SceneBomb
		for _, b := range f.bombs {
			if at := f.cell(b.At); b.Life > t && f.fire[at]>>t&1 == 0 && !(reached[at] && !f.rules.DelayedChain) {
				left = append(left, b)
				continue
			}
			again = true
			for _, c := range f.reach(&b) {
				reached[c] = true
			}
		}
		f.bombs = left
	}
	for c := range reached {
		f.burn(c, t, max(1, f.rules.FlameLife))
		if f.ground[c] == env.GroundWood {
			f.ground[c] = env.GroundFloor
		}
	}
}

// reach is the cells that a bomb reaches as the ground is.
func (f *forecast) reach(b *env.SceneBomb) []int {
	if f.head.Torus {
		return b.Reach // nothing stops its blast
	}
	cells := []int{f.cell(b.At)}
	for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		for n := 1; n < b.Blast; n++ {
			row, col := b.At[0]+n*d[0], b.At[1]+n*d[1]
			if row < 0 || col < 0 || row >= f.head.Rows || col >= f.head.Cols {
				break
			}
			c := row*f.head.Cols + col
			if f.ground[c] == env.GroundWall || f.ground[c] == env.GroundFog {
				break
			}
			cells = append(cells, c)
			if f.ground[c] == env.GroundWood || f.ground[c] == base {
				break
			}
		}
	}
	return cells
}

// first is the first tick at which a cell burns, 0 for none.
func first(fire uint64) int {
	if fire == 0 {
		return 0
	}
	return bits.TrailingZeros64(fire)
}
