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

// survey looks at a state from a seat's cell. Like the original it mixes up rows and
// columns where it asks what is in sight, and in one more place.
func survey(r *pommerman.Rules, s *pommerman.State, seat int, rng Generator) near {
	self, shown := s.Agents[seat].Cell, [256]pommerman.Item{}
	for c, item := range s.Board {
		shown[grid.Cell(c).Mirrored()] = item
	}
	enemies, seen := livingEnemies(r, s, seat), tactics.Items(0)
	board := grid.Square(r.BoardSize)
	for c := range board.All {
		if item := s.Board[c]; enemies.Has(item) {
			seen = seen.With(item)
		}
	}
	ties := 0
	f := tactics.Sight{
		Ground: tactics.Ground{Board: &s.Board, Self: self, Open: tactics.Passable(r, seen), Order: tactics.InOrder(ways)},
		Shown:  &shown,
		Tie:    func() bool { ties++; return false }, Whole: true,
	}
	f.Start()
	rng.Discard(ties)
	n := near{toEnemy: farthest, toItem: farthest}
	bombs := make([]pommerman.SeenBomb, 0, grid.MaxSide*grid.MaxSide)
	for c := range board.All {
		if s.Board[c] == pommerman.BombItem {
			bombs = append(bombs, pommerman.SeenBomb{Cell: c, Blast: blastAt(s, c)})
		}
		if f.Dist[c] == 0 {
			continue
		}
		steps, item := int(f.Dist[c])-1, s.Board[c.Mirrored()]
		if seen.Has(item) {
			n.toEnemy = min(n.toEnemy, steps)
		}
		if tactics.Pickups.Has(item) {
			n.toItem = min(n.toItem, steps)
		}
	}
	danger := tactics.ThreatsTo(self, bombs, f.Within, grid.Up)
	n.unsafe, n.safe = danger.N, safe(&f, &danger, r.BoardSize)
	return n
}

// safe counts the directions that are out of danger and can be walked, Stay among them.
// If there are none, it counts those in danger that stay on the board. With danger all
// round it is 1 if there is a way out.
func safe(f *tactics.Sight, danger *tactics.Threats, side int) int {
	if danger.N == len(ways) {
		for _, dir := range ways {
			if f.LeadsOut(dir, int(danger.Blast[dir]), f.Self.Mirrored()) {
				return 1
			}
		}
		return 0
	}
	safe, exposed := 0, 0
	for dir, blast := range danger.Blast {
		to := f.Self.Next(grid.Dir(dir))
		switch {
		case !to.OnBoard(side):
		case blast > 0:
			exposed++
		case f.Open.Has(f.Board[to]) || f.Board[to] == pommerman.Fog:
			safe++
		}
	}
	if safe == 0 {
		return exposed
	}
	return safe
}

func livingEnemies(r *pommerman.Rules, s *pommerman.State, seat int) (set tactics.Items) {
	for other := range r.Seats() {
		if other != seat && other != r.Teammate(seat) && s.Agents[other].Alive {
			set = set.With(r.Agent0() + pommerman.Item(other))
		}
	}
	return set
}

// blastAt is the blast of the last bomb on a cell, 0 if there is none.
func blastAt(s *pommerman.State, c grid.Cell) (blast uint8) {
	for i := range s.Bombs[:s.NumBombs] {
		if b := &s.Bombs[i]; b.Cell == c {
			blast = b.Blast
		}
	}
	return blast
}
