package pommerman

import (
	"pommego/env/saved"
)

// code writes or reads the parts of a state in the order of its bytes.
func (r *Rules) code(s *State, c *saved.Codec) {
	saved.List(c, s.Board[:])
	for i := range s.flames {
		saved.List(c, s.flames[i][:])
	}
	for i := range s.hidden {
		saved.List(c, s.hidden[i][:])
	}
	s.codeBombs(c)
	for i := range s.Agents {
		s.Agents[i].code(c)
		saved.List(c, s.Radio[i][:])
	}
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.due, &s.training)
	saved.Numbers(c, &s.RNG.State)
	if r.Traits().results {
		saved.Numbers(c, &s.results)
	}
}

func (s *State) codeBombs(c *saved.Codec) {
	c.Len("bombs", &s.NumBombs, MaxBombs)
	saved.Blocks(c, s.bombs())
}

func (a *Agent) code(c *saved.Codec) {
	flags := toByte(a.Alive) | toByte(a.Kicks)<<1
	saved.Numbers(c, &a.Cell)
	saved.Numbers(c, &a.Ammo, &a.Blast, &flags)
	if flags > 3 {
		c.Fail("has flags %#x for an agent, want at most 3", flags)
	}
	a.Alive, a.Kicks = flags&1 != 0, flags&2 != 0
}

// Append appends the state: format, rules' fingerprint, and its parts.
func (m *Match) Append(dst []byte) []byte { return m.game.form.Append(dst, &m.State) }

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error { return m.game.form.Restore(state, &m.State) }
