package java

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// observed is what SimplePlayer makes of a view.
type observed struct {
	field
	v       *pommerman.View
	enemies tactics.Items // how those that are seen are drawn
	bombs   [256]bomb
	count   int
	bombAt  [256]bool
	columns [grid.MaxSide * grid.MaxSide]grid.Cell
}

// read takes the view apart. A bomb hides the enemy that stands on it.
func (s *observed) read(v *pommerman.View) {
	s.v = v
	s.field = field{board: &v.Board, side: v.Rules.BoardSize, self: v.Self.Cell}
	var blast [256]uint8
	for _, b := range v.Bombs[:v.NumBombs] {
		blast[b.Cell] = b.Blast
	}
	for i := range s.side * s.side {
		c := grid.At(i%s.side, i/s.side)
		s.columns[i] = c
		if v.Board[c] == pommerman.BombItem || blast[c] > 0 {
			s.bombAt[c] = true
			s.bombs[s.count] = bomb{c, int(blast[c])}
			s.count++
		} else if s.livingEnemy(v.Board[c]) {
			s.enemies = s.enemies.With(v.Board[c])
		}
	}
	s.walk = walkable(v.Rules, s.enemies)
}

// byColumns is all cells in the original's order.
func (s *observed) byColumns() []grid.Cell { return s.columns[:s.side*s.side] }

// livingEnemy reports whether a cell shows a living enemy.
func (s *observed) livingEnemy(item pommerman.Item) bool {
	seat := int(item) - int(s.v.Rules.Agent0())
	if seat < 0 || seat >= s.v.Rules.Seats() || !s.v.Alive.Has(seat) {
		return false
	}
	return item == s.v.Enemies[0] || item == s.v.Enemies[1] || item == s.v.Enemies[2]
}

// isEnemy reports whether an enemy is seen on a cell.
func (s *observed) isEnemy(c grid.Cell) bool { return !s.bombAt[c] && s.livingEnemy(s.board[c]) }

// adjacent reports whether a cell one step away shows one of the items.
func (s *observed) adjacent(of tactics.Items) bool {
	for _, c := range s.byColumns() {
		if s.dist[c] == 1+1 && of.Has(s.board[c]) {
			return true
		}
	}
	return false
}

// sensible reports whether a bomb could be survived: there is a passage in sight,
// with or without a way there, beyond the blast or off its lines.
func (s *observed) sensible() bool {
	if s.v.Self.Ammo < 1 {
		return false
	}
	for _, c := range s.byColumns() {
		if s.inSight[c] && s.board[c] == pommerman.Passage &&
			(!s.within(c, int(s.v.Self.Blast)) || c.Row() != s.self.Row() && c.Col() != s.self.Col()) {
			return true
		}
	}
	return false
}

// exposed reports whether a cell is in line with a bomb and no further from it than
// its blast, whatever lies between.
func (s *observed) exposed(c grid.Cell) bool {
	for _, b := range s.bombs[:s.count] {
		if _, inLine := tactics.Line(c, b.cell); inLine && c.Distance(b.cell) <= b.blast {
			return true
		}
	}
	return false
}

// flee gets away from bombs. With danger all round it goes where there is a way
// out; else in a direction out of danger, or if there is none in any.
func (s *observed) flee(danger *danger, rng Generator) (pommerman.Action, tactics.Moves) {
	var list [4]grid.Dir
	n := 0
	could := tactics.Moves(0)
	add := func(dir grid.Dir) {
		list[n] = dir
		n++
		could |= tactics.One(pommerman.Action(dir))
	}
	if danger.count() == len(ways) {
		for _, dir := range ways {
			if s.canEscape(dir, danger.blast[dir], s.self) {
				add(dir)
			}
		}
		if n == 0 {
			return step(grid.Stay)
		}
		return pommerman.Action(list[rng.IntN(1)]), could // the first that it finds
	}
	for _, dir := range ways {
		to := s.self.Next(dir)
		if !danger.has(dir) && to.OnBoard(s.side) && (s.walk.Has(s.board[to]) || s.board[to] == pommerman.Fog) {
			add(dir)
		}
	}
	if n > 0 {
		return step(list[rng.IntN(n)])
	}
	for _, dir := range ways {
		if danger.has(dir) && s.self.Next(dir).OnBoard(s.side) {
			add(dir)
		}
	}
	if n == 0 {
		return step(grid.Stay)
	}
	return pommerman.Action(list[rng.IntN(n)]), could
}

// towardItem goes to the nearest item, at most two steps away. Of those equally near
// it may be the first of any kind.
func (s *observed) towardItem() (move pommerman.Action, could tactics.Moves) {
	for steps := uint8(0); steps <= 2 && could == 0; steps++ {
		seen := tactics.Items(0)
		for _, c := range s.byColumns() {
			item := s.board[c]
			if s.dist[c] != steps+1 || !tactics.Pickups.Has(item) || seen.Has(item) {
				continue
			}
			seen = seen.With(item)
			if could == 0 {
				move = pommerman.Action(s.first[c])
			}
			could |= tactics.One(pommerman.Action(s.first[c]))
		}
	}
	return move, could
}

// towardWood bombs wood that is adjacent, or goes to wood two steps away.
func (s *observed) towardWood() (move pommerman.Action, found bool) {
	const wood = tactics.Items(1 << pommerman.Wood)
	if s.adjacent(wood) && s.sensible() {
		return pommerman.LayBomb, true
	}
	if s.v.Self.Ammo < 1 {
		return 0, false
	}
	for _, c := range s.byColumns() {
		if s.board[c] == pommerman.Wood && s.within(c, 2) && !s.exposed(s.self.Next(s.first[c])) {
			return pommerman.Action(s.first[c]), true
		}
	}
	return 0, false
}
