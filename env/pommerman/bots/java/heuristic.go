package java

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// heuristic scores a state by what has changed since the root of a decision. It is
// CustomHeuristic or, with advanced, AdvancedHeuristic.
type heuristic struct {
	rules    *pommerman.Rules
	seat     int
	advanced bool
	wood     float64 // the divisor of changes in wood
	was      features
}

type features struct {
	enemies, mates int // how many live
	wood           int // how much wood is seen, plus 1
	blast          int
	kicks          bool
	near           // with AdvancedHeuristic
}

func (h *heuristic) begin(root *pommerman.State, m *memory, advanced bool, rng Generator) {
	h.advanced = advanced
	h.was = h.look(root, rng)
	if m.wood == 0 {
		m.wood = uint16(h.was.wood)
	}
	h.wood = float64(m.wood)
}

func (h *heuristic) value(s *pommerman.State, rng Generator) float64 {
	now := h.look(s, rng) // always called, because it draws numbers
	switch h.rules.Result(s, h.seat) {
	case env.Loss:
		return -1
	case env.Win:
		return 1
	}
	if h.advanced {
		return h.advancedValue(&now)
	}
	return h.customValue(&now)
}

func (h *heuristic) look(s *pommerman.State, rng Generator) features {
	self, others := &s.Agents[h.seat], s.Living().Without(h.seat)
	enemies := others & h.rules.Enemies(h.seat)
	o := features{enemies: enemies.Len(), mates: others.Len() - enemies.Len(), wood: 1, blast: int(self.Blast),
		kicks: self.Kicks}
	for _, item := range &s.Board {
		if item == pommerman.Wood {
			o.wood++
		}
	}
	if h.advanced {
		o.near = survey(h.rules, s, h.seat, rng)
	}
	return o
}

// customValue is CustomHeuristic. An agent that can kick gets a point for that even if it
// could kick at the root. Products are rounded before sums, so that no machine fuses them.
func (h *heuristic) customValue(now *features) float64 {
	enemy, team := 0.5, 0.0
	if h.rules.Teams() {
		enemy, team = 0.4, 0.1
	}
	v := float64(share(h.was.enemies-now.enemies, 3) * enemy)
	v += float64(float64(now.mates-h.was.mates) * team)
	v += float64(share(h.was.wood-now.wood, h.wood) * 0.1)
	v += float64(count(now.kicks) * 0.15)
	return v + float64(share(now.blast-h.was.blast, 10)*0.15)
}

// advancedValue is AdvancedHeuristic.
func (h *heuristic) advancedValue(now *features) float64 {
	enemy, team := 0.3, 0.0
	if h.rules.Teams() {
		enemy, team = 0.2, 0.1
	}
	v := float64(share(now.safe-h.was.safe, 4) * 0.2)
	v += float64(share(h.was.unsafe-now.unsafe, 4) * 0.2)
	v += float64(share(h.was.enemies-now.enemies, 3) * enemy)
	v += float64(float64(now.mates-h.was.mates) * team)
	v += float64(share(h.was.toEnemy-now.toEnemy, 10) * 0.1)
	v += float64(share(h.was.wood-now.wood, h.wood) * 0.05)
	v += float64(count(now.kicks && !h.was.kicks) * 0.05)
	v += float64(share(now.blast-h.was.blast, 10) * 0.05)
	v += float64(share(h.was.toItem-now.toItem, 10) * 0.05)
	return v / 2
}

func share(n int, of float64) float64 { return float64(n) / of }

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Score returns the value of a state to a seat by CustomHeuristic or AdvancedHeuristic,
// given the root of the decision and the amount of wood to divide by.
func Score(r *pommerman.Rules, seat int, root, s *pommerman.State, advanced bool) (value float64, wood int) {
	h, m, rng := heuristic{rules: r, seat: seat}, memory{}, ownRNG{}
	h.begin(root, &m, advanced, &rng)
	return h.value(s, &rng), int(m.wood)
}

// near holds what AdvancedHeuristic looks at besides the numbers of CustomHeuristic.
type near struct {
	safe, unsafe    int // how many directions
	toEnemy, toItem int // steps, at most farthest
}

const farthest = 10

// survey looks at a state from a seat's cell. Like the original, it mixes up rows and
// columns when it asks what is in sight, and in one more place.
func survey(r *pommerman.Rules, s *pommerman.State, seat int, rng Generator) near {
	self, shown := s.Agents[seat].Cell, [256]pommerman.Item{}
	for c, item := range s.Board {
		shown[grid.Cell(c).Mirrored()] = item
	}
	enemies, seen := tactics.Items(s.Living()&r.Enemies(seat))<<r.Agent0(), tactics.Items(0)
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
	bombs := make([]pommerman.Bomb, 0, grid.MaxSide*grid.MaxSide)
	for c := range board.All {
		if s.Board[c] == pommerman.BombItem {
			bombs = append(bombs, pommerman.Bomb{Cell: c, Blast: blastAt(s, c)})
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

// safe counts the directions, Stay among them, that are out of danger and can be
// walked. If there are none, it counts the directions in danger that stay on the board.
// If all are in danger, it returns 1 if there is a way out.
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

// blastAt returns the blast of the last bomb on a cell, 0 if there is none.
func blastAt(s *pommerman.State, c grid.Cell) (blast uint8) {
	for i := range s.Bombs[:s.NumBombs] {
		if b := &s.Bombs[i]; b.Cell == c {
			blast = b.Blast
		}
	}
	return blast
}
