package pommerman

import (
	"math/bits"

	"pommego/env"
	"pommego/env/grid"
)

// laidToday is laid, and finds those that wanted to lay a bomb and did not.
func (k *tracker) laidToday(t *turn, from uint8) {
	if k != nil {
		k.laidFrom(t.s, from)
		k.notLaidFrom(t, from)
	}
}

func (k *tracker) notLaidFrom(t *turn, from uint8) {
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

// resolving is told that phases 3 to 8 begin, and resolved that they are over. A
// bomb has been kicked if it rolls now and not on as it did: in another direction,
// or from a cell that it would not have reached.
func (k *tracker) resolving(s *State) {
	if k != nil && k.wanted {
		k.bombs = s.Bombs
	}
}

func (k *tracker) resolved(t *turn) {
	if k == nil || !k.wanted {
		return
	}
	for i := range t.s.bombs() {
		b, before := &t.s.Bombs[i], &k.bombs[i]
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
	if k == nil {
		return
	}
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
	if k != nil {
		k.deathsToday(r, t)
	}
}

func (k *tracker) deathsToday(r *Rules, t *turn) {
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
