package envtest

import (
	"bytes"
	"slices"

	"pommego/env"
)

// checkMaskForm: masks are zeros and ones, choice 0 is always legal, and it is
// all that is left to a seat that is out.
func checkMaskForm(k *kit) {
	m := k.match()
	for _, s := range k.plays() {
		for range k.play(m, s) {
			st := m.Status()
			for seat := range k.spec.Seats {
				k.at.seat = seat
				mask := bytes.Repeat([]byte{0xaa}, k.spec.MaskSize())
				m.Mask(seat, mask)
				at := 0
				for _, c := range k.spec.Actions {
					k.checkMaskPart(c, mask[at:at+c.N], st.In.Has(seat))
					at += c.N
				}
			}
		}
	}
}

func (k *kit) checkMaskPart(c env.Choice, mask []uint8, in bool) {
	for choice, legal := range mask {
		switch {
		case legal > 1:
			k.failf("mask of %q is %v, want 0 or 1 each (170: not written)", c.Name, mask)
		case choice == 0 && legal == 0:
			k.failf("mask of %q is %v: choice 0 is always legal", c.Name, mask)
		case choice > 0 && legal == 1 && !in:
			k.failf("mask of %q is %v: a seat that is out has choice 0 only", c.Name, mask)
		}
	}
}

// checkMaskMeaning: a choice that the mask forbids does exactly what choice 0
// does, whatever the other components and the other seats do.
func checkMaskMeaning(k *kit) {
	m, a, b := k.match(), k.match(), k.match()
	mask := make([]uint8, k.spec.MaskSize())
	for s, n := range k.sampled(m, 24) {
		if n == len(s.actions) {
			continue
		}
		saved := m.Append(nil)
		for seat := range k.spec.Seats {
			k.at.seat = seat
			m.Mask(seat, mask)
			at := 0
			for part, c := range k.spec.Actions {
				for choice := 1; choice < c.N; choice++ {
					if mask[at+choice] == 0 {
						k.checkForbidden(a, b, saved, s.actions[n], seat, part, choice)
					}
				}
				at += c.N
			}
		}
	}
}

func (k *kit) checkForbidden(a, b env.Match, saved, actions []uint8, seat, part, choice int) {
	k.restore(a, saved)
	k.restore(b, saved)
	acts := slices.Clone(actions)
	at := &acts[seat*len(k.spec.Actions)+part]
	*at = 0
	a.Step(acts)
	*at = uint8(choice)
	b.Step(acts)
	if d := k.diff(k.look(b), k.look(a)); d != "" {
		c := k.spec.Actions[part]
		k.failf("the mask forbids %q of %q, but it does something that %q does not (all actions: %v): %s",
			c.Names[choice], c.Name, c.Names[0], acts, d)
	}
}

// checkObserveSafely: a match that tells which choices can be survived shows what it shows otherwise, leaves some of
// the legal choices of each component to every seat, and stays as it was.
func checkObserveSafely(k *kit) {
	m, legal := k.match(), make([]uint8, k.spec.MaskSize())
	careful, ok := m.(env.Careful)
	rng := env.RNG{State: 1}
	for range k.sampled(m, 24) {
		if !ok {
			return
		}
		before := m.Append(nil)
		for e := range k.spec.Encodings {
			seats := k.shuffled(&rng)
			got, masks := k.buffers(e, seats, 0x55), bytes.Repeat([]byte{0xaa}, len(seats)*len(legal))
			careful.ObserveSafely(e, seats, got, masks)
			if d := k.diffViews(e, got, k.observe(m, e, seats, 0)); d != "" {
				k.failf("ObserveSafely does not show what Observe does: %s", d)
			}
			for i, seat := range seats {
				k.at.seat = int(seat)
				m.Mask(int(seat), legal)
				k.checkSafe(legal, masks[i*len(legal):][:len(legal)])
			}
		}
		if d := diffBytes(m.Append(nil), before); d != "" {
			k.failf("ObserveSafely changed the match: state %s", d)
		}
	}
}

func (k *kit) checkSafe(legal, safe []uint8) {
	at := 0
	for _, c := range k.spec.Actions {
		left, may := safe[at:at+c.N], legal[at:at+c.N]
		for choice := range left {
			if left[choice] > may[choice] {
				k.failf("safe choices of %q are %v, want some of %v", c.Name, left, may)
			}
		}
		if !slices.Contains(left, 1) {
			k.failf("no choice of %q is safe, want then all of %v", c.Name, may)
		}
		at += c.N
	}
}

// checkIgnored: actions of seats that are out are ignored, also if they are out of
// range.
func checkIgnored(k *kit) {
	if !k.spec.Elimination {
		return
	}
	m, a, b := k.match(), k.match(), k.match()
	parts := len(k.spec.Actions)
	for s, n := range k.sampled(m, 24) {
		in := m.Status().In
		if n == len(s.actions) || in == env.AllSeats(k.spec.Seats) {
			continue
		}
		saved := m.Append(nil)
		k.restore(a, saved)
		k.restore(b, saved)
		zeros, junk := slices.Clone(s.actions[n]), slices.Clone(s.actions[n])
		for seat := range k.spec.Seats {
			if !in.Has(seat) {
				for p := range parts {
					zeros[seat*parts+p], junk[seat*parts+p] = 0, 255
				}
			}
		}
		a.Step(zeros)
		b.Step(junk)
		if d := k.diff(k.look(b), k.look(a)); d != "" {
			k.failf("with %0*b in, the actions of the others were looked at (%v or %v): %s", k.spec.Seats, in, junk, zeros, d)
		}
	}
}
