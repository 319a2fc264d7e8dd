package basewar

import (
	"math/bits"

	"pommego/env"
	"pommego/env/grid"
)

// Horizon is the most rounds that a Forecast looks ahead.
const Horizon = 16

// Forecast holds what the bombs on a map are going to do if no more are laid. Where
// bombers will be is unknown, so none of them shields anything. Rounds count from 1,
// the round that is about to be played. Bombs that are due later than Horizon count as
// due in its last round.
type Forecast struct {
	Rounds int // the last round in which a bomb explodes, at most Horizon; 0: none does

	// Blast has the cells reached at the end of each round, Closed the cells that cannot
	// be entered in it. Both are right up to Rounds; Closed[Rounds+1] holds for all rounds
	// after that.
	Blast  [Horizon + 1]grid.Bits
	Closed [Horizon + 2]grid.Bits

	Boxes [2]int    // how many boxes each side's bombs are going to destroy
	Left  grid.Bits // the boxes that no bomb is going to destroy
	Hits  [2]int    // in how many rounds each side's base is going to be reached
}

// Foresee computes a forecast. With a bomber's id it assumes that this bomber lays
// a bomb now; an id below 0 means none does.
func (g *Game) Foresee(s *State, layer int, f *Forecast) {
	var due [Horizon + 1]uint32 // the bombs that explode in a round by themselves
	then, lie := *s, s.bombCells()
	*f = Forecast{}
	f.Closed[1] = s.Stones.Or(g.fixed).Or(s.Boxes).Or(lie)
	if layer >= 0 && !lie.Has(s.Bombers[layer].Cell) {
		c, life := s.Bombers[layer].Cell, g.rules.BombLife+int(1-toByte(g.rules.TickAtOnce))
		then.addBomb(Bomb{c, uint8(life), 1 << layer})
		lie.Add(c)
	}
	for i := range then.bombs() {
		due[min(then.Bombs[i].Life, Horizon)] |= 1 << i
	}
	walls, alight := g.off.Or(s.Stones), uint32(1)<<then.NumBombs-1
	for t := 1; alight != 0 && t <= Horizon; t++ {
		if burning := due[t] & alight; burning != 0 {
			stops := walls.Or(then.Boxes).Or(g.fixed)
			b := g.chain(&then, burning, lie, &walls, &stops)
			f.Rounds, alight = t, alight&^b.gone
			g.note(f, &then, &b)
			lie = lie.AndNot(f.Blast[t])
		}
		f.Closed[t+1] = s.Stones.Or(g.fixed).Or(then.Boxes).Or(lie)
	}
	f.Left = then.Boxes
}

// note adds a round, the last so far, to a forecast. The bombs' own cells count as reached, whatever the rules.
func (g *Game) note(f *Forecast, s *State, b *blast) {
	for gone := b.gone; gone != 0; gone &= gone - 1 {
		bomb := &s.Bombs[bits.TrailingZeros32(gone)]
		b.by[bomb.Owner()].Add(bomb.Cell)
	}
	cells := b.cells()
	f.Blast[f.Rounds] = cells
	for side := range f.Boxes {
		own := s.Boxes.And(b.by[side])
		f.Boxes[side] += own.Len()
		f.Hits[side] += int(toByte(cells.Has(g.bases[side])))
	}
	s.Boxes = s.Boxes.AndNot(cells)
}

// Survives reports whether a bomber that is on a cell after its move of the next round
// can avoid all blasts of the forecast from then on. If not, round is the round in
// which it is hurt if it holds out as long as it can.
func (f *Forecast) Survives(c grid.Cell) (round int, survives bool) {
	reach := grid.Only(c)
	for t := 1; t <= f.Rounds; t++ {
		if t > 1 {
			reach = reach.Grow().AndNot(f.Closed[t]).Or(reach)
		}
		reach = reach.AndNot(f.Blast[t])
		if reach.Empty() {
			return t, false
		}
	}
	return 0, true
}

// Reach is the cells that a bomb on c would reach now, if no bomber shielded any.
func (g *Game) Reach(s *State, c grid.Cell) grid.Bits {
	walls := g.off.Or(s.Stones)
	stops := walls.Or(s.Boxes).Or(g.fixed)
	cells := g.rules.rays(c, &walls, &stops)
	cells.Add(c)
	return cells
}

// Escapes reports whether a bomber that is on a cell before its move of the next
// round can avoid all blasts of the forecast.
func (f *Forecast) Escapes(c grid.Cell) bool {
	for a := Stop; a <= Right; a++ {
		to, moves := f.Destination(c, a)
		if _, survives := f.Survives(to); survives && (moves || a == Stop) {
			return true
		}
	}
	return false
}

// Destination returns where a bomber is after an action of the next round, and whether
// it moves.
func (f *Forecast) Destination(c grid.Cell, a Action) (to grid.Cell, moves bool) {
	if a == Stop || a >= LayBomb {
		return c, false
	}
	if to = c.Next(grid.Dir(a)); f.Closed[1].Has(to) {
		return c, false
	}
	return to, true
}

// Far stands for the distance to what cannot be reached.
const Far = 1 << 14

// Ways writes for each cell what it costs to get from there to the nearest goal, if a
// step into a free cell costs 1 and one into a box boxCost, and Far where there is no
// way. boxCost is at most 15. Bombs and bombers are not in the way. It is a function of
// its own because the compiler does not inline Grow in functions as large as its callers.
//
//go:noinline
func (g *Game) Ways(s *State, goals grid.Bits, boxCost int, cost *[256]uint16) {
	const ring = 16 // more than any step costs
	var waves [ring]grid.Bits
	for i := range cost {
		cost[i] = Far
	}
	open := g.encoder.ground.AndNot(s.Stones)
	waves[0] = goals.And(open)
	var done grid.Bits
	boxCost = min(boxCost, ring-1)
	for at, idle := 0, 0; idle < ring; at++ {
		wave := waves[at%ring].AndNot(done)
		waves[at%ring] = grid.Bits{}
		if idle++; wave.Empty() {
			continue
		}
		idle = 0
		done = done.Or(wave)
		for c := range wave.All {
			cost[c] = uint16(at)
		}
		left := open.AndNot(done)
		boxes := wave.And(s.Boxes)
		plain := wave.AndNot(boxes)
		next := &waves[(at+1)%ring]
		*next = next.Or(plain.Grow().And(left))
		if !boxes.Empty() {
			later := &waves[(at+boxCost)%ring]
			*later = later.Or(boxes.Grow().And(left))
		}
	}
}

// Approach is the set of cells from which a bomb reaches a side's base once no boxes
// are in the way.
func (g *Game) Approach(s *State, side Side) grid.Bits {
	walls := g.off.Or(s.Stones)
	var nothing grid.Bits
	cells := g.rules.rays(g.bases[side], &walls, &nothing)
	cells.Remove(g.bases[side])
	return cells
}

// foresight is the env.Foresight of a seat that moves one bomber.
type foresight struct {
	bomber int
	game   *Game
	state  State
}

// Foresight returns the foresight of a seat's first bomber.
func (m *Match) Foresight(seat int) env.Foresight {
	return &foresight{bomber: int(m.game.rules.Own(seat)[0]), game: m.game}
}

func (f *foresight) Look(m env.Match) { f.state = m.(*Match).State }

func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	layer, n := -1, f.game.rules.BoardSize
	if Action(move) == LayBomb {
		layer = f.bomber
	}
	var ahead Forecast
	f.game.Foresee(&f.state, layer, &ahead)
	to.Clear(n * n)
	for i := range to.Burns {
		c := grid.At(i/n, i%n)
		for t := 1; t <= ahead.Rounds; t++ {
			to.Burns[i] |= uint64(toByte(ahead.Blast[t].Has(c))) << t
		}
		to.Open[i] = !ahead.Closed[1].Has(c)
	}
}
