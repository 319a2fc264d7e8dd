package pommerman

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
	return binary.LittleEndian.AppendUint64(dst, s.RNG.State)
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

// header is what saved states begin with.
func (g *Game) header() saved.Header {
	return saved.Header{Game: "pommerman", ID: g.Spec().ID, Format: stateFormat, Rules: g.fingerprint}
}

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	in := saved.Reader{Left: state}
	if err := m.game.header().Read(&in); err != nil {
		return err
	}
	var s State
	for i, b := range in.Bytes(len(s.Board)) {
		s.Board[i] = Item(b)
	}
	for _, layer := range s.layers() {
		for w := range layer {
			layer[w] = in.Uint64()
		}
	}
	s.NumBombs = in.Uint8()
	if s.NumBombs > MaxBombs {
		return fmt.Errorf("pommerman: saved state has %d bombs, want at most %d", s.NumBombs, MaxBombs)
	}
	for i := range s.bombs() {
		b := in.Bytes(4)
		s.Bombs[i] = Bomb{grid.Cell(b[0]), b[1], b[2], b[3]}
	}
	for i := range s.Agents {
		b := in.Bytes(4)
		if b[3] > 3 {
			return fmt.Errorf("pommerman: saved state has flags %#x for agent %d, want at most 3", b[3], i)
		}
		s.Agents[i] = Agent{grid.Cell(b[0]), b[1], b[2], b[3]&1 != 0, b[3]&2 != 0}
		copy(s.Radio[i][:], in.Bytes(MaxWords))
	}
	s.StepCount = in.Uint16()
	s.due, s.training = int8(in.Uint8()), int8(in.Uint8())
	s.RNG = env.RNG{State: in.Uint64()}
	if err := in.End("pommerman"); err != nil {
		return err
	}
	if err := m.game.rules.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}
