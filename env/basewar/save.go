package basewar

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// Append appends the state: format, rules' fingerprint, then the fields of
// State in order, little-endian.
func (m *Match) Append(dst []byte) []byte {
	s := &m.State
	dst = append(dst, stateFormat)
	dst = binary.LittleEndian.AppendUint64(dst, m.game.fingerprint)
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
	return binary.LittleEndian.AppendUint64(dst, s.Dice.State)
}

// sets is the sets of cells in the state.
func (s *State) sets() [3]*grid.Bits { return [3]*grid.Bits{&s.Stones, &s.Boxes, &s.Blast} }

// counters is the numbers in the state that take two bytes.
func (s *State) counters() [5]*uint16 {
	return [5]*uint16{&s.Score[Blue], &s.Score[Green], &s.Gained[Blue], &s.Gained[Green], &s.StepCount}
}

// reader takes saved bytes apart. Reading past the end gives zeros and is
// noted.
type reader struct {
	left  []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if len(r.left) < n {
		r.short = true
		return make([]byte, n)
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) uint8() uint8   { return r.bytes(1)[0] }
func (r *reader) uint16() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	in := reader{left: state}
	if v := in.uint8(); v != stateFormat && !in.short {
		return fmt.Errorf("basewar: saved state has format %d, want %d", v, stateFormat)
	}
	if f := in.uint64(); f != m.game.fingerprint && !in.short {
		return fmt.Errorf("basewar: saved state belongs to other rules than %s (fingerprint %016x, want %016x)", m.game.spec.ID, f, m.game.fingerprint)
	}
	var s State
	for _, set := range s.sets() {
		for w := range set {
			set[w] = in.uint64()
		}
	}
	for id := range s.Bombers {
		b := in.bytes(3)
		s.Bombers[id] = Bomber{grid.Cell(b[0]), b[1], b[2]}
	}
	n := in.uint8()
	if n > MaxBombs {
		return fmt.Errorf("basewar: saved state has %d bombs, want at most %d", n, MaxBombs)
	}
	for range n {
		b := in.bytes(3)
		s.addBomb(Bomb{grid.Cell(b[0]), b[1], BomberSet(b[2])})
	}
	copy(s.Energy[:], in.bytes(len(s.Energy)))
	for _, n := range s.counters() {
		*n = in.uint16()
	}
	s.Dice = env.Dice{State: in.uint64()}
	switch {
	case in.short:
		return errors.New("basewar: saved state is cut short")
	case len(in.left) > 0:
		return fmt.Errorf("basewar: saved state has %d bytes too many", len(in.left))
	}
	if err := m.game.rules.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}
