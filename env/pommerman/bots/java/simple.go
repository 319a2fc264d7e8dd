package java

import (
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
)

// simple is SimplePlayer. In this order, it gets away from bombs, bombs adjacent enemies, walks
// to enemies exactly three steps away, walks to items, bombs wood, walks to wood, wanders.
type simple struct {
	rng    ownRNG
	recent tactics.Recent
}

func (a *simple) Reset(rng env.RNG) { *a = simple{rng: ownRNG{rng}} }

func (a *simple) Reseed(rng env.RNG) { a.rng = ownRNG{rng} }

func (a *simple) Act(v *pommerman.View, action []uint8) {
	clear(action) // it sends no words
	move, _ := a.decide(v, &a.rng)
	action[0] = uint8(move)
}

func step(d grid.Dir) (pommerman.Action, pommerman.Moves) {
	return pommerman.Action(d), tactics.One(pommerman.Action(d))
}

// decide makes one decision. It also returns all moves that the original may play with
// the same draws: some of its choices depend on an order that differs between its
// processes.
func (a *simple) decide(v *pommerman.View, rng Generator) (pommerman.Action, pommerman.Moves) {
	var s observed
	s.read(v)
	s.Tie = func() bool { return rng.Float32() < 0.5 }
	s.Start()
	if danger := tactics.ThreatsTo(s.Self, v.Bombs[:v.NumBombs], s.Within, ways[:]...); danger.N > 0 {
		return s.flee(&danger, rng)
	}
	if s.Around[1]&s.enemies != 0 && s.sensible() {
		return pommerman.LayBomb, tactics.One(pommerman.LayBomb)
	}
	for _, c := range s.byColumns() {
		if s.isEnemy(c) && s.Dist[c] == 3+1 {
			return step(s.First[c])
		}
	}
	if move, could := s.towardItem(); could != 0 {
		return move, could
	}
	if move, found := s.towardWood(); found {
		return move, tactics.One(move)
	}
	return a.wander(&s, rng)
}

func (a *simple) Could(v *pommerman.View, _ *pommerman.State, rng Generator) uint8 {
	_, could := a.decide(v, rng)
	return uint8(could)
}

// wander draws a move that is not exposed to a bomb. If all of them lead to cells where
// it was lately, it stops; if one of them does not, all of them may be drawn.
func (a *simple) wander(s *observed, rng Generator) (pommerman.Action, pommerman.Moves) {
	list, fresh := tactics.WaysOf(grid.Dirs[:]...), false
	list.Keep(func(d grid.Dir) bool {
		to := s.Self.Next(d)
		safe := s.Open.Has(s.Board[to]) && !tactics.Exposed(s.v, to)
		fresh = fresh || safe && !slices.Contains(a.recent.List(), to)
		return safe
	})
	a.recent.Add(s.Self)
	if !fresh {
		return step(grid.Stay)
	}
	return step(list.All()[rng.IntN(list.N)])
}

func (a *simple) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	a.recent.Code(c)
}

// ways is the order in which an agent looks at its neighbours.
var ways = [4]grid.Dir{grid.Left, grid.Right, grid.Up, grid.Down}

// observed holds what SimplePlayer reads in a view.
type observed struct {
	tactics.Sight
	v       *pommerman.View
	enemies tactics.Items // the cell values of enemies in view
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

// byColumns lists all cells in the original's order.
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

// sensible reports whether the agent could survive a bomb of its own: there is a
// passage in sight, with or without a way there, beyond the blast or off its lines.
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

// flee gets away from bombs. If all directions are in danger, it goes where there is a
// way out; else it takes a direction out of danger, or any if there is none.
func (s *observed) flee(danger *tactics.Threats, rng Generator) (pommerman.Action, pommerman.Moves) {
	danger.Ways = tactics.WaysOf(ways[:]...)
	danger.Keep(func(d grid.Dir) bool { return danger.Blast[d] > 0 })
	list := s.Flee(danger)
	n, could := list.N, pommerman.Moves(0)
	for _, dir := range list.All() {
		could = could.With(pommerman.Action(dir))
	}
	switch {
	case n == 0:
		return step(grid.Stay)
	case danger.N == len(ways):
		n = 1 // take the first one found
	case danger.Blast[list.All()[0]] == 0:
		return step(list.All()[rng.IntN(n)])
	}
	return pommerman.Action(list.All()[rng.IntN(n)]), could
}

// towardItem goes to the nearest item, at most two steps away. Of equally near ones,
// the original may choose the first of any kind.
func (s *observed) towardItem() (move pommerman.Action, could pommerman.Moves) {
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
