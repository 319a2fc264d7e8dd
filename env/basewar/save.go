package basewar

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// Append appends the state: format, rules' fingerprint, then the fields of
// State in order, little-endian.
func (m *Match) Append(dst []byte) []byte {
	s := &m.State
	dst = m.game.header().Append(dst)
	for _, set := range s.sets() {
		for _, word := range set {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		}
	}
	for _, b := range s.Bombers {
		dst = append(dst, byte(b.Cell), b.Lives, b.Bombs)
	}
	dst = append(dst, s.NumBombs)
	for _, b := range s.bombs() {
		dst = append(dst, byte(b.Cell), b.Life, byte(b.Owners))
	}
	dst = append(dst, s.Energy[:]...)
	for _, n := range s.counters() {
		dst = binary.LittleEndian.AppendUint16(dst, *n)
	}
	return binary.LittleEndian.AppendUint64(dst, s.RNG.State)
}

// sets is the sets of cells in the state.
func (s *State) sets() [3]*grid.Bits { return [3]*grid.Bits{&s.Stones, &s.Boxes, &s.Blast} }

// counters is the numbers in the state that take two bytes.
func (s *State) counters() [5]*uint16 {
	return [5]*uint16{&s.Score[Blue], &s.Score[Green], &s.Gained[Blue], &s.Gained[Green], &s.StepCount}
}

// header is what saved states begin with.
func (g *Game) header() saved.Header {
	return saved.Header{Game: "basewar", ID: g.Spec().ID, Format: stateFormat, Rules: g.fingerprint}
}

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	in := saved.Reader{Left: state}
	if err := m.game.header().Read(&in); err != nil {
		return err
	}
	var s State
	for _, set := range s.sets() {
		for w := range set {
			set[w] = in.Uint64()
		}
	}
	for id := range s.Bombers {
		b := in.Bytes(3)
		s.Bombers[id] = Bomber{grid.Cell(b[0]), b[1], b[2]}
	}
	n := in.Uint8()
	if n > MaxBombs {
		return fmt.Errorf("basewar: saved state has %d bombs, want at most %d", n, MaxBombs)
	}
	for range n {
		b := in.Bytes(3)
		s.addBomb(Bomb{grid.Cell(b[0]), b[1], BomberSet(b[2])})
	}
	copy(s.Energy[:], in.Bytes(len(s.Energy)))
	for _, n := range s.counters() {
		*n = in.Uint16()
	}
	s.RNG = env.RNG{State: in.Uint64()}
	if err := in.End("basewar"); err != nil {
		return err
	}
	if err := m.game.rules.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}
