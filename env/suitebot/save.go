package suitebot

import (
	"encoding/binary"

	"pommego/env"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// Append appends the state: format, rules' fingerprint, then the fields of
// State in order, little-endian, of seats and fields that there are.
func (m *Match) Append(dst []byte) []byte {
	s, p := &m.State, m.game.plan
	dst = m.game.header().Append(dst)
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
	return binary.LittleEndian.AppendUint64(dst, s.RNG.State)
}

// header is what saved states begin with.
func (g *Game) header() saved.Header {
	return saved.Header{Game: "suitebot", ID: g.Spec().ID, Format: stateFormat, Rules: g.fingerprint}
}

// Restore sets the state from what Append wrote.
func (m *Match) Restore(state []byte) error {
	in := saved.Reader{Left: state}
	if err := m.game.header().Read(&in); err != nil {
		return err
	}
	s := m.game.plan.readState(&in)
	if err := in.End("suitebot"); err != nil {
		return err
	}
	if err := m.game.plan.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}

func (p *Plan) readState(in *saved.Reader) (s State) {
	for _, set := range []*Cells{&s.Spent, &s.Blast} {
		for w := range p.words {
			set[w] = in.Uint64()
		}
	}
	for k := range s.fuses[:p.rules.BombDelay] {
		for seat := range p.rules.Players {
			s.fuses[k][seat] = fuse(in.Uint16())
		}
	}
	for seat := range p.rules.Players {
		s.Agents[seat] = Cell(in.Uint16())
		s.Homes[seat] = Cell(in.Uint16())
		s.Scores[seat] = int32(in.Uint32())
		s.Gains[seat] = int32(in.Uint32())
		s.Collected[seat] = in.Uint16()
		s.Kills[seat] = in.Uint16()
		s.Deaths[seat] = in.Uint16()
	}
	s.StepCount = in.Uint16()
	s.RNG = env.RNG{State: in.Uint64()}
	return s
}
