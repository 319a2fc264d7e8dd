package basewar

import (
	"encoding/json"

	"pommego/env/saved"
)

// code writes or reads the parts of a state in the order of its bytes.
func (s *State) code(c *saved.Codec) {
	saved.List(c, s.Stones[:])
	saved.List(c, s.Boxes[:])
	saved.List(c, s.Blast[:])
	saved.Blocks(c, s.Bombers[:])
	c.Len("bombs", &s.NumBombs, MaxBombs)
	saved.Blocks(c, s.bombs())
	saved.List(c, s.Energy[:])
	saved.List(c, s.Score[:])
	saved.List(c, s.Gained[:])
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.RNG.State)
}

// Append appends the state: format, rules' fingerprint, and its parts.
func (m *Match) Append(dst []byte) []byte { return m.game.form.Append(dst, &m.State) }

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error { return m.game.form.Restore(state, &m.State) }

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	return m.game.form.AppendJSON(dst, &m.State)
}

// RestoreJSON sets the state from what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	return m.game.form.RestoreJSON(state, &m.State)
}
