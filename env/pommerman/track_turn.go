package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// laidToday does what laid does, and finds the agents that wanted to lay a bomb and did not.
func (k *tracker) laidToday(t *turn, from uint8) {
	if k == nil {
		return
	}
	k.laid(t.s, from)
	if !k.Wanted {
		return
	}
	var laid env.SeatSet
	for _, b := range t.s.Bombs[from:t.s.NumBombs] {
		laid = laid.With(b.Owner())
	}
	for a := range t.s.Agents {
		if t.s.Agents[a].Alive && Action(t.actions[a]) == LayBomb && !laid.Has(a) {
			k.notLaid(a, t.s.Agents[a].Cell)
		}
	}
}

// kicksToday notes the kicks. It is called after phases 3 to 8, in which agents may
// have kicked bombs.
func (k *tracker) kicksToday(t *turn) {
	if k == nil || t.kicks == [MaxAgents]uint8{} {
		return
	}
	for i := range t.s.bombs() {
		for a, kicks := range t.kicks {
			if int(kicks) == MaxAgents+i+1 {
				k.kicked(a, t.agentWish[a], grid.Dir(t.actions[a]))
			}
		}
	}
}

// exploding notes the bombs without a life left, which are about to explode. Flames on
// their cells set them off, including those of earlier steps.
func (k *tracker) exploding(r *Rules, s *State) {
	if k == nil || !k.Wanted {
		return
	}
	for i := range s.bombs() {
		if b := &s.Bombs[i]; b.Life == 0 {
			k.exploded(b, k.owners(s, b.Cell, r.FlameLife-1))
		}
	}
}

// explode2018 notes that a bomb explodes by the rules of 2018: its time is up,
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
	Rays(&s.Board, b.Cell, b.Blast, &k.fire(s)[b.Owner()])
}

// burnWood2018 finds the wood that this step's flames have reached, while the board
// still shows it.
func (k *tracker) burnWood2018(s *State, reached grid.Bits) {
	if k == nil {
		return
	}
	f := k.fire(s)
	for c := range reached.All {
		if s.Board[c] == Wood {
			k.burnt(c, f.owners(c))
		}
	}
}

// explodeJava notes that a bomb is about to explode by the Java rules. flameJava notes
// each of its flames, before it is laid.
func (k *tracker) explodeJava(t *javaTurn, b *Bomb) {
	if k != nil && k.Wanted {
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
