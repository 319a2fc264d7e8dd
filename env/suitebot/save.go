package suitebot

import (
	"encoding/json"

	"pommego/env/saved"
)

// code writes or reads the parts of a state in the order of its bytes: the fields of
// State in order, of the seats and fields that the plan has.
func (p *Plan) code(s *State, c *saved.Codec) {
	saved.List(c, s.Spent[:p.words])
	saved.List(c, s.Blast[:p.words])
	for k := range s.fuses[:p.rules.BombDelay] {
		saved.List(c, s.fuses[k][:p.rules.Players])
	}
	for seat := range p.rules.Players {
		saved.Numbers(c, &s.Agents[seat], &s.Homes[seat])
		saved.Numbers(c, &s.Scores[seat], &s.Gains[seat])
		saved.Numbers(c, &s.Collected[seat], &s.Kills[seat], &s.Deaths[seat])
	}
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.RNG.State)
}

// Append appends the state: format, rules' fingerprint, and its parts.
func (m *Match) Append(dst []byte) []byte { return m.game.form.Append(dst, &m.State) }

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error { return m.game.form.Restore(state, &m.State) }

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) { return m.game.form.AppendJSON(dst, &m.State) }

// RestoreJSON sets the state from what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	return m.game.form.RestoreJSON(state, &m.State)
}
