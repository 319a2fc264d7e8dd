package java

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// near is what AdvancedHeuristic looks at besides the numbers of CustomHeuristic.
type near struct {
	safe, unsafe    int // directions
	toEnemy, toItem int // steps, at most farthest
}

const farthest = 10

// survey looks at a state from a seat's cell. Like the original it confuses rows and
// columns where it asks what is in sight, and in one place more.
func survey(r *pommerman.Rules, s *pommerman.State, seat int, rng Generator) near {
	f := field{board: &s.Board, side: r.BoardSize, self: s.Agents[seat].Cell}
	enemies := livingEnemies(r, s, seat)
	seen := tactics.Items(0)
	f.each(func(c grid.Cell) {
		if item := s.Board[c]; enemies.Has(item) {
			seen = seen.With(item)
		}
	})
	f.walk = walkable(r, seen)
	f.look(func(row, col int) pommerman.Item { return s.Board[grid.At(col, row)] })
	ties := 0
	f.spread(func() bool { ties++; return false })
	rng.Discard(ties)
	n := near{toEnemy: farthest, toItem: farthest}
	f.each(func(c grid.Cell) {
		if f.dist[c] == 0 {
			return
		}
		steps, item := int(f.dist[c])-1, s.Board[mirrored(c)]
		if seen.Has(item) {
			n.toEnemy = min(n.toEnemy, steps)
		}
		if tactics.Pickups.Has(item) {
			n.toItem = min(n.toItem, steps)
		}
	})
	var danger danger
	f.each(func(c grid.Cell) {
		if s.Board[c] == pommerman.BombItem {
			f.threaten(&danger, bomb{c, blastAt(s, c)}, []grid.Dir{grid.Up})
		}
	})
	n.unsafe, n.safe = danger.count(), f.safe(&danger)
	return n
}

// safe counts the directions, none among them, that are out of danger and can be
// gone; if there are none, those in danger that stay on the board. With danger all
// round it is 1 if there is a way out.
func (f *field) safe(d *danger) int {
	if d.count() == len(ways) {
		for _, dir := range ways {
			if f.canEscape(dir, d.blast[dir], mirrored(f.self)) {
				return 1
			}
		}
		return 0
	}
	safe, exposed := 0, 0
	for dir := grid.Stay; dir <= grid.Right; dir++ {
		to := f.self.Next(dir)
		switch {
		case !to.OnBoard(f.side):
		case d.has(dir):
			exposed++
		case f.walk.Has(f.board[to]) || f.board[to] == pommerman.Fog:
			safe++
		}
	}
	if safe == 0 {
		return exposed
	}
	return safe
}

// each calls visit for each cell of the board.
func (f *field) each(visit func(c grid.Cell)) {
	for c := range grid.Square(f.side).All {
		visit(c)
	}
}

// livingEnemies is how the living enemies of a seat are drawn.
func livingEnemies(r *pommerman.Rules, s *pommerman.State, seat int) (set tactics.Items) {
	for other := range r.Seats() {
		if other != seat && other != r.Teammate(seat) && s.Agents[other].Alive {
			set = set.With(r.Agent0() + pommerman.Item(other))
		}
	}
	return set
}

// blastAt is the blast of the last bomb on a cell, 0 if there is none.
func blastAt(s *pommerman.State, c grid.Cell) (blast int) {
	for i := range s.Bombs[:s.NumBombs] {
		if b := &s.Bombs[i]; b.Cell == c {
			blast = int(b.Blast)
		}
	}
	return blast
}

// mirrored is the cell whose row is c's column and the reverse.
func mirrored(c grid.Cell) grid.Cell { return c<<4 | c>>4 }
