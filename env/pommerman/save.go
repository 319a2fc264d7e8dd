package pommerman

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
	for _, item := range s.Board {
		dst = append(dst, byte(item))
	}
	for _, layer := range s.layers() {
		for _, word := range layer {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		}
	}
	dst = append(dst, s.NumBombs)
	for i := range s.bombs() {
		b := &s.Bombs[i]
		dst = append(dst, byte(b.Cell), b.Life, b.Blast, b.owner)
	}
	for i := range s.Agents {
		a := &s.Agents[i]
		dst = append(dst, byte(a.Cell), a.Ammo, a.Blast, toByte(a.Alive)|toByte(a.Kicks)<<1)
		dst = append(dst, s.Radio[i][:]...)
	}
	dst = binary.LittleEndian.AppendUint16(dst, s.StepCount)
	dst = append(dst, byte(s.due), byte(s.training))
	return binary.LittleEndian.AppendUint64(dst, s.Dice.State)
}

// layers is the sets of cells in the state.
func (s *State) layers() []*grid.Bits {
	var all [maxFlameLife + len(s.hidden)]*grid.Bits
	for i := range s.flames {
		all[i] = &s.flames[i]
	}
	for i := range s.hidden {
		all[maxFlameLife+i] = &s.hidden[i]
	}
	return all[:]
}

// errShort says that a state ends too early.
var errShort = errors.New("pommerman: saved state is cut short")

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
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	in := reader{left: state}
	if v := in.uint8(); v != stateFormat && !in.short {
		return fmt.Errorf("pommerman: saved state has format %d, want %d", v, stateFormat)
	}
	if f := in.uint64(); f != m.game.fingerprint && !in.short {
		return fmt.Errorf("pommerman: saved state belongs to other rules than %s (fingerprint %016x, want %016x)", m.game.spec.ID, f, m.game.fingerprint)
	}
	var s State
	for i, b := range in.bytes(len(s.Board)) {
		s.Board[i] = Item(b)
	}
	for _, layer := range s.layers() {
		for w := range layer {
			layer[w] = in.uint64()
		}
	}
	s.NumBombs = in.uint8()
	if s.NumBombs > MaxBombs {
		return fmt.Errorf("pommerman: saved state has %d bombs, want at most %d", s.NumBombs, MaxBombs)
	}
	for i := range s.bombs() {
		b := in.bytes(4)
		s.Bombs[i] = Bomb{grid.Cell(b[0]), b[1], b[2], b[3]}
	}
	for i := range s.Agents {
		b := in.bytes(4)
		if b[3] > 3 {
			return fmt.Errorf("pommerman: saved state has flags %#x for agent %d, want at most 3", b[3], i)
		}
		s.Agents[i] = Agent{grid.Cell(b[0]), b[1], b[2], b[3]&1 != 0, b[3]&2 != 0}
		copy(s.Radio[i][:], in.bytes(MaxWords))
	}
	s.StepCount = binary.LittleEndian.Uint16(in.bytes(2))
	s.due, s.training = int8(in.uint8()), int8(in.uint8())
	s.Dice = env.Dice{State: in.uint64()}
	switch {
	case in.short:
		return errShort
	case len(in.left) > 0:
		return fmt.Errorf("pommerman: saved state has %d bytes too many", len(in.left))
	}
	if err := m.game.rules.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}
