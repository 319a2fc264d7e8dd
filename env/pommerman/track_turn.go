package pommerman

import (
	"math/bits"

	"pommego/env"
	"pommego/env/grid"
)

// stepTracked is Step of today's rules for a tracker: the same phases, between
// which the tracker looks at what they do. Step itself knows of none, and a test
// holds the one to the other.
func (r *Rules) stepTracked(s *State, actions []uint8, k *tracker) {
	var t turn
	t.s, t.agentAt, t.agentWish = s, away, away
	k.fallDue(r, s)    // 14, of the step before
	s.burnDown(r)      // 1
	t.read(r, actions) // the moves of the living, and what they say
	bombs := s.NumBombs
	t.agentsWish(r) // 2
	k.laidToday(&t, bombs)
	t.liftBombs()
	if !t.undisturbed() {
		k.resolve(&t) // 3 to 8
	}
	k.pickUps(s, t.living[:t.alive], &t.agentWish)
	t.moveAgents(r)    // 9
	if s.tickBombs() { // 10
		k.explode(r, s)
		s.explode(r) // 11 and 12
	} else {
		s.drawBombs() // 12
	}
	if t.uncovered {
		s.drawOldFlames() // 12
	}
	t.deaths(r) // 13
	k.deaths(r, &t)
	r.count(s) // 14
}

// laidToday is laid, and finds those that wanted to lay a bomb and did not.
func (k *tracker) laidToday(t *turn, from uint8) {
	k.laid(t.s, from)
	if !k.wanted {
		return
	}
	var laid env.SeatSet
	for _, b := range t.s.Bombs[from:t.s.NumBombs] {
		laid = laid.With(b.Owner())
	}
	for _, a := range t.living[:t.alive] {
		if Action(t.actions[a]) == LayBomb && !laid.Has(int(a)) {
			k.notLaid(int(a), t.agentAt[a])
		}
	}
}

// resolve is turn.resolve. A bomb has been kicked if it rolls now and not on as it
// did: in another direction, or from a cell that it would not have reached.
func (k *tracker) resolve(t *turn) {
	if !k.wanted {
		t.resolve()
		return
	}
	was := t.s.Bombs
	t.resolve()
	for i := range t.s.bombs() {
		b, before := &t.s.Bombs[i], &was[i]
		d := b.Moving()
		if d == grid.Stay || d == before.Moving() && (b.Cell == before.Cell || b.Cell == before.Cell.Next(d)) {
			continue
		}
		for _, a := range t.living[:t.alive] {
			if wish := t.agentWish[a]; wish != t.agentAt[a] && wish.Next(d) == b.Cell && grid.Dir(t.actions[a]) == d {
				k.kicked(int(a), wish, d)
			}
		}
	}
}

// explode goes over the bombs that are about to explode, as State.explode does,
// and lights their owners' fires. All rays see the board as it is now.
func (k *tracker) explode(r *Rules, s *State) {
	own := k.fire(s)
	due, gone := uint64(0), uint64(0)
	for i := range s.bombs() {
		due |= uint64(toByte(s.Bombs[i].Life == 0)) << i
	}
	for due != 0 {
		gone |= due
		for rest := due; rest != 0; rest &= rest - 1 {
			b := &s.Bombs[bits.TrailingZeros64(rest)]
			k.exploded(b, k.setOff(r, s, b))
		}
		for ; due != 0; due &= due - 1 {
			b := &s.Bombs[bits.TrailingZeros64(due)]
			s.rays(b, &own[b.Owner()])
		}
		reached := own[0].Or(own[1]).Or(own[2]).Or(own[3])
		for i := range s.bombs() {
			if gone>>i&1 == 0 && !r.DelayedChain && reached.Has(s.Bombs[i].Cell) {
				due |= 1 << i
			}
		}
	}
	k.burnWood(s)
}

// setOff is whose flames set off a bomb, those of earlier steps included.
func (k *tracker) setOff(r *Rules, s *State, b *Bomb) env.SeatSet {
	if !k.wanted {
		return 0
	}
	return k.owners(s, b.Cell, r.FlameLife-1)
}

// deaths finds the agents that died in flames.
func (k *tracker) deaths(r *Rules, t *turn) {
	for _, a := range t.living[:t.alive] {
		if agent := &t.s.Agents[a]; !agent.Alive {
			k.died(int(a), agent.Cell, k.owners(t.s, agent.Cell, r.FlameLife-1))
		}
	}
}

// explode2018 is told that a bomb explodes by the rules of 2018: its time is up,
// or it has rolled into flames.
func (k *tracker) explode2018(s *State, b *Bomb) {
	if k == nil {
		return
	}
	by := env.SeatSet(0)
	if b.Moving() != grid.Stay && s.Board[b.Cell] == Flames {
		by = k.owners(s, b.Cell, maxFlameLife)
	}
	k.exploded(b, by)
	s.rays(b, &k.fire(s)[b.Owner()])
}

// explodeJava is told that a bomb is about to explode by the Java rules, and
// flameJava of each of its flames, before it is laid.
func (k *tracker) explodeJava(t *javaTurn, b *Bomb) {
	if k != nil && k.wanted {
		k.exploded(b, k.owners(t.s, b.Cell, t.r.FlameLife))
	}
}

func (k *tracker) flameJava(s *State, b *Bomb, c grid.Cell) {
	if k == nil {
		return
	}
	k.fire(s)[b.Owner()].Add(c)
	if s.Board[c] == Wood {
		k.burnt(c, env.SeatSet(0).With(b.Owner()))
	}
}
