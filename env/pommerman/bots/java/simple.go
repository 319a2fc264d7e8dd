package java

import (
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
)

// simple is SimplePlayer: it gets away from bombs, bombs adjacent enemies, walks to
// enemies exactly three steps away, to items, bombs wood, walks to wood, wanders.
type simple struct {
	rng    ownRNG
	recent tactics.Recent
}

func (a *simple) Reset(rng env.RNG) { *a = simple{rng: ownRNG{rng}} }

func (a *simple) Reseed(rng env.RNG) { a.rng = ownRNG{rng} }

func (a *simple) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	move, _ := a.decide(v, &a.rng)
	action[0] = uint8(move)
}

func step(d grid.Dir) (pommerman.Action, tactics.Moves) {
	return pommerman.Action(d), tactics.One(pommerman.Action(d))
}

// decide is one decision, and all moves that the original may play with the same
// draws: some of its choices depend on an order that each of its processes has for
// itself.
func (a *simple) decide(v *pommerman.View, rng Generator) (pommerman.Action, tactics.Moves) {
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

// wander draws a move that is not exposed to a bomb. If all lead where it was
// lately, it stops; if one does not, all of them count.
func (a *simple) wander(s *observed, rng Generator) (pommerman.Action, tactics.Moves) {
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
