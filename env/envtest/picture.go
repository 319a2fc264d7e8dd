package envtest

import (
	"bytes"
	"fmt"
	"slices"

	"pommego/env"
)

// picture holds everything that the contract shows of a match.
type picture struct {
	state   []byte
	status  env.Status
	rewards []float64
	outcome []float64 // by seat: of decided seats; 0 for others
	masks   [][]uint8
	views   [][][]byte // by encoding and field: the observations of all seats
}

func (k *kit) look(m env.Match) *picture {
	p := &picture{
		state: m.Append(nil), status: m.Status(),
		rewards: make([]float64, k.spec.Seats), outcome: make([]float64, k.spec.Seats),
	}
	m.Rewards(p.rewards)
	m.Outcome(p.outcome)
	for seat := range k.spec.Seats {
		if !p.status.Decided.Has(seat) {
			p.outcome[seat] = 0
		}
		mask := make([]uint8, k.spec.MaskSize())
		m.Mask(seat, mask)
		p.masks = append(p.masks, mask)
	}
	for _, e := range k.encodings() {
		p.views = append(p.views, k.observe(m, e, k.seats(), 0))
	}
	return p
}

// seats is all seats in order.
func (k *kit) seats() []uint8 {
	all := make([]uint8, k.spec.Seats)
	for i := range all {
		all[i] = uint8(i)
	}
	return all
}

// encodings is all that Observe can write.
func (k *kit) encodings() []int {
	var all []int
	for e := range k.spec.Encodings {
		all = append(all, e)
	}
	if len(k.spec.State) > 0 {
		all = append(all, env.GlobalState)
	}
	return all
}

// encoding describes one of the encodings.
func (k *kit) encoding(e int) *env.Encoding {
	if e == env.GlobalState {
		return &env.Encoding{Name: "global state", Fields: k.spec.State}
	}
	return &k.spec.Encodings[e]
}

// observe returns each field of an encoding for some seats, in buffers.
func (k *kit) observe(m env.Match, encoding int, seats []uint8, filler byte) [][]byte {
	dst := k.buffers(encoding, seats, filler)
	m.Observe(encoding, seats, dst)
	return dst
}

// buffers makes buffers of exactly the right size, filled with filler.
func (k *kit) buffers(encoding int, seats []uint8, filler byte) (dst [][]byte) {
	fields := k.encoding(encoding).Fields
	for i := range fields {
		f := &fields[i]
		n := f.Size()
		if !f.Shared {
			n *= len(seats)
		}
		dst = append(dst, bytes.Repeat([]byte{filler}, n))
	}
	return dst
}

// diff returns the first thing in which got differs from want, "" if there is none.
func (k *kit) diff(got, want *picture) string {
	switch {
	case got.status != want.status:
		return fmt.Sprintf("status is %+v, want %+v", got.status, want.status)
	case !slices.Equal(got.rewards, want.rewards):
		return fmt.Sprintf("rewards are %v, want %v", got.rewards, want.rewards)
	case !slices.Equal(got.outcome, want.outcome):
		return fmt.Sprintf("outcome is %v, want %v", got.outcome, want.outcome)
	}
	for seat := range want.masks {
		if !bytes.Equal(got.masks[seat], want.masks[seat]) {
			return fmt.Sprintf("mask of seat %d is %v, want %v", seat, got.masks[seat], want.masks[seat])
		}
	}
	for e := range want.views {
		if d := k.diffViews(k.encodings()[e], got.views[e], want.views[e]); d != "" {
			return d
		}
	}
	if d := diffBytes(got.state, want.state); d != "" {
		return fmt.Sprintf("saved state %s (%s, want %s)", d, k.readable(got.state), k.readable(want.state))
	}
	return ""
}

// readable is a saved state in its readable form, where it has one.
func (k *kit) readable(state []byte) (text []byte) {
	if m := k.match(); m.Restore(state) == nil {
		text, _ = m.AppendJSON(nil)
	}
	return text
}

func (k *kit) diffViews(encoding int, got, want [][]byte) string {
	e := k.encoding(encoding)
	for f := range e.Fields {
		if d := diffBytes(got[f], want[f]); d != "" {
			return fmt.Sprintf("observation %q, field %q: %s", e.Name, e.Fields[f].Name, d)
		}
	}
	return ""
}

// diffBytes says where two byte strings first differ.
func diffBytes(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %d, want %d", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("has %d bytes, want %d", len(got), len(want))
	}
	return ""
}
