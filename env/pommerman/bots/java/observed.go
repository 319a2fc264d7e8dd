package java

import (
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// ways is the order in which an agent looks at its neighbours.
var ways = [4]grid.Dir{grid.Left, grid.Right, grid.Up, grid.Down}

// observed is what SimplePlayer makes of a view.
type observed struct {
	tactics.Sight
	v       *pommerman.View
	enemies tactics.Items // how those that are seen are drawn
	bombs   grid.Bits
	columns [grid.MaxSide * grid.MaxSide]grid.Cell
}

// read takes the view apart. A bomb hides the enemy that stands on it.
func (s *observed) read(v *pommerman.View) {
	s.v = v
	s.Board, s.Shown, s.Self, s.Order, s.Whole = &v.Board, &v.Board, v.Self.Cell, tactics.InOrder(ways), true
	for _, b := range v.Bombs[:v.NumBombs] {
		s.bombs.Add(b.Cell)
	}
	side := v.Rules.BoardSize
	for i := range side * side {
		c := grid.At(i%side, i/side)
		s.columns[i] = c
		if s.isEnemy(c) {
			s.enemies = s.enemies.With(v.Board[c])
		}
	}
	s.Open = tactics.Passable(v.Rules, s.enemies)
}

// byColumns is all cells in the original's order.
func (s *observed) byColumns() []grid.Cell {
	return s.columns[:s.v.Rules.BoardSize*s.v.Rules.BoardSize]
}

func (s *observed) isEnemy(c grid.Cell) bool {
	item := s.v.Board[c]
	seat := int(item) - int(s.v.Rules.Agent0())
	if seat < 0 || seat >= s.v.Rules.Seats() || !s.v.Alive.Has(seat) || s.bombs.Has(c) {
		return false
	}
	return slices.Contains(s.v.Enemies[:], item)
}

// sensible reports whether a bomb could be survived: there is a passage in sight,
// with or without a way there, beyond the blast or off its lines.
func (s *observed) sensible() bool {
	if s.v.Self.Ammo < 1 {
		return false
	}
	for _, c := range s.byColumns() {
		_, inLine := tactics.Line(s.Self, c)
		if s.Board[c] == pommerman.Passage && s.Sees(c) && (!inLine || !s.Within(c, int(s.v.Self.Blast))) {
			return true
		}
	}
	return false
}

// flee gets away from bombs. With danger all round it goes where there is a way
// out; else in a direction out of danger, or if there is none in any.
func (s *observed) flee(danger *tactics.Threats, rng Generator) (pommerman.Action, tactics.Moves) {
	danger.Ways = tactics.WaysOf(ways[:]...)
	danger.Keep(func(d grid.Dir) bool { return danger.Blast[d] > 0 })
	list := s.Flee(danger)
	n, could := list.N, tactics.Moves(0)
	for _, dir := range list.All() {
		could = could.With(pommerman.Action(dir))
	}
	switch {
	case n == 0:
		return step(grid.Stay)
	case danger.N == len(ways):
		n = 1 // the first that it finds
	case danger.Blast[list.All()[0]] == 0:
		return step(list.All()[rng.IntN(n)])
	}
	return pommerman.Action(list.All()[rng.IntN(n)]), could
}

// towardItem goes to the nearest item, at most two steps away. Of those equally near
// it may be the first of any kind.
func (s *observed) towardItem() (move pommerman.Action, could tactics.Moves) {
	for steps := uint8(0); steps <= 2 && could == 0; steps++ {
		seen := tactics.Items(0)
		for _, c := range s.byColumns() {
			item := s.Board[c]
			if s.Dist[c] != steps+1 || !tactics.Pickups.Has(item) || seen.Has(item) {
				continue
			}
			seen = seen.With(item)
			if could == 0 {
				move = pommerman.Action(s.First[c])
			}
			could |= tactics.One(pommerman.Action(s.First[c]))
		}
	}
	return move, could
}

// towardWood bombs wood that is adjacent, or goes to wood two steps away.
func (s *observed) towardWood() (move pommerman.Action, found bool) {
	const wood = tactics.Items(1 << pommerman.Wood)
	if s.Around[1]&wood != 0 && s.sensible() {
		return pommerman.LayBomb, true
	}
	if s.v.Self.Ammo < 1 {
		return 0, false
	}
	for _, c := range s.byColumns() {
		if s.Board[c] == pommerman.Wood && s.Within(c, 2) && !tactics.Exposed(s.v, s.Self.Next(s.First[c])) {
			return pommerman.Action(s.First[c]), true
		}
	}
	return 0, false
}
