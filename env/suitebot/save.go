package suitebot

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// Append appends the state: format, rules' fingerprint, then the fields of
// State in order, little-endian, of seats and fields that there are.
func (m *Match) Append(dst []byte) []byte {
	s, p := &m.State, m.game.plan
	dst = append(dst, stateFormat)
	dst = binary.LittleEndian.AppendUint64(dst, m.game.fingerprint)
	for _, set := range []*Cells{&s.Spent, &s.Blast} {
		for _, word := range set[:p.words] {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		}
	}
	for k := range s.fuses[:p.rules.BombDelay] {
		for _, f := range s.fuses[k][:p.rules.Players] {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(f))
		}
	}
	for seat := range p.rules.Players {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(s.Agents[seat]))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(s.Homes[seat]))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Scores[seat]))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Gains[seat]))
		dst = binary.LittleEndian.AppendUint16(dst, s.Collected[seat])
		dst = binary.LittleEndian.AppendUint16(dst, s.Kills[seat])
		dst = binary.LittleEndian.AppendUint16(dst, s.Deaths[seat])
	}
	dst = binary.LittleEndian.AppendUint16(dst, s.StepCount)
	return binary.LittleEndian.AppendUint64(dst, s.Dice.State)
}

// savedSize is how many bytes Append writes.
func (p *Plan) savedSize() int {
	return 1 + 8 + 2*8*p.words + 2*p.rules.BombDelay*p.rules.Players + 18*p.rules.Players + 2 + 8
}

// reader takes saved bytes apart. There must be enough of them.
type reader []byte

func (r *reader) uint8() uint8 {
	v := (*r)[0]
	*r = (*r)[1:]
	return v
}

func (r *reader) uint16() uint16 {
	v := binary.LittleEndian.Uint16(*r)
	*r = (*r)[2:]
	return v
}

func (r *reader) uint32() uint32 {
	v := binary.LittleEndian.Uint32(*r)
	*r = (*r)[4:]
	return v
}

func (r *reader) uint64() uint64 {
	v := binary.LittleEndian.Uint64(*r)
	*r = (*r)[8:]
	return v
}

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	p, in := m.game.plan, reader(state)
	if len(state) < 9 {
		return fmt.Errorf("suitebot: saved state has %d bytes, want %d", len(state), p.savedSize())
	}
	if v := in.uint8(); v != stateFormat {
		return fmt.Errorf("suitebot: saved state has format %d, want %d", v, stateFormat)
	}
	if f := in.uint64(); f != m.game.fingerprint {
		return fmt.Errorf("suitebot: saved state belongs to other rules than %s (fingerprint %016x, want %016x)", m.game.spec.ID, f, m.game.fingerprint)
	}
	if len(state) != p.savedSize() {
		return fmt.Errorf("suitebot: saved state has %d bytes, want %d", len(state), p.savedSize())
	}
	s := p.readState(&in)
	if err := p.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}

func (p *Plan) readState(in *reader) (s State) {
	for _, set := range []*Cells{&s.Spent, &s.Blast} {
		for w := range p.words {
			set[w] = in.uint64()
		}
	}
	for k := range s.fuses[:p.rules.BombDelay] {
		for seat := range p.rules.Players {
			s.fuses[k][seat] = fuse(in.uint16())
		}
	}
	for seat := range p.rules.Players {
		s.Agents[seat] = Cell(in.uint16())
		s.Homes[seat] = Cell(in.uint16())
		s.Scores[seat] = int32(in.uint32())
		s.Gains[seat] = int32(in.uint32())
		s.Collected[seat] = in.uint16()
		s.Kills[seat] = in.uint16()
		s.Deaths[seat] = in.uint16()
	}
	s.StepCount = in.uint16()
	s.Dice = env.Dice{State: in.uint64()}
	return s
}
