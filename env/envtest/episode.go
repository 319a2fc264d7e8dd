package envtest

import (
	"slices"

	"pommego/env"
)

// checkMatches: New makes as many matches as asked for, and none touches
// another.
func checkMatches(k *kit) {
	for _, n := range []int{0, 1, 3} {
		if got := len(k.game.New(n)); got != n {
			k.failf("New(%d) made %d matches", n, got)
		}
	}
	s := k.plays()[0]
	all := k.game.New(3)
	for _, m := range all {
		m.Reset(env.Seed{Value: 99})
	}
	before := k.look(all[0])
	for range k.play(all[1], s) {
		if d := k.diff(k.look(all[0]), before); d != "" {
			k.failf("playing one match of New(3) changed another: %s", d)
		}
	}
}

// checkReset: Reset depends on the seed alone, on both parts of it, and not on
// what was played before.
func checkReset(k *kit) {
	used := k.match()
	for range k.play(used, k.plays()[0]) {
	}
	states := make(map[string]env.Seed)
	for _, seed := range []env.Seed{{}, {Value: 1}, {Episode: 1}, {Value: 1, Episode: 1}, {Value: 2},
		{Value: 1 << 63, Episode: 1 << 40}} {
		k.at = place{playing: true, seed: seed, seat: -1}
		fresh := k.match()
		fresh.Reset(seed)
		want := k.look(fresh)
		if twin, there := states[string(want.state)]; there {
			k.failf("Reset gives the very state, RNG included, that seed %+v gives: want the seed's value and episode both "+
				"to matter", twin)
		}
		states[string(want.state)] = seed
		used.Reset(seed)
		if d := k.diff(k.look(used), want); d != "" {
			k.failf("Reset of a match that has been played differs from Reset of a new one: %s", d)
		}
		if st := want.status; st.Over || st.Result != env.Incomplete || st.Steps != 0 ||
			st.In != env.AllSeats(k.spec.Seats) || st.Decided != 0 || st.Winners != 0 {
			k.failf("after Reset the status is %+v, want a running game with everybody in, nobody decided and 0 steps", st)
		}
	}
}

// checkDeterminism: the same seed and actions give the same of everything, also
// while another match is played in between.
func checkDeterminism(k *kit) {
	other := k.match()
	for _, s := range k.plays() {
		a, b := k.match(), k.match()
		b.Reset(s.seed)
		other.Reset(env.Seed{Value: ^s.seed.Value})
		for n := range k.play(a, s) {
			if n > 0 {
				b.Step(s.actions[n-1])
			}
			if !other.Status().Over && n < len(s.actions) {
				other.Step(s.actions[n])
			}
			if n%8 == 0 || n == len(s.actions) {
				if d := k.diff(k.look(b), k.look(a)); d != "" {
					k.failf("two matches with the same seed and actions differ: %s", d)
				}
			}
		}
	}
}

// checkReseed: Reseed shows in nothing but the RNG, and replaces it whole.
func checkReseed(k *kit) {
	one, two := env.Seed{Value: 77, Episode: 1}, env.Seed{Value: 78}
	a, b := k.match(), k.match()
	for range k.sampled(a, 8) {
		saved := a.Append(nil)
		want := k.look(a)
		k.restore(b, saved)
		b.Reseed(one)
		got := k.look(b)
		if d := diffBytes(got.state, want.state); d == "" {
			k.failf("Reseed changed nothing, want another RNG")
		}
		reseeded := got.state
		got.state = want.state
		if d := k.diff(got, want); d != "" {
			k.failf("Reseed changed more than the RNG: %s", d)
		}
		b.Reseed(two)
		b.Reseed(one)
		if d := diffBytes(b.Append(nil), reseeded); d != "" {
			k.failf("Reseed depends on the RNG there were before: state %s", d)
		}
	}
}

// restore restores what the Append of a match or an agent wrote, which must succeed.
func (k *kit) restore(to interface{ Restore(state []byte) error }, state []byte) {
	if err := to.Restore(state); err != nil {
		k.failf("Restore refuses what Append wrote: %v", err)
	}
}

// checkScene: a scene has the ground of every cell, its agents stand on the board, and it
// can be drawn as each seat sees it.
func checkScene(k *kit) {
	m := k.match()
	stage, s := m.Stage(), new(env.Scene)
	if len(stage.Colours) != k.spec.Seats {
		k.failf("Stage has %d colours, want one for each of %d seats", len(stage.Colours), k.spec.Seats)
	}
	for range k.sampled(m, 1) {
		m.Describe(s)
		if len(s.Ground) != stage.Rows*stage.Cols {
			k.failf("Describe writes the ground of %d cells, want %d rows of %d", len(s.Ground), stage.Rows, stage.Cols)
		}
		for _, a := range s.Agents {
			if a.At[0] < 0 || a.At[0] >= stage.Rows || a.At[1] < 0 || a.At[1] >= stage.Cols {
				k.failf("Describe puts an agent of seat %d at %v, off the board", a.Seat, a.At)
			}
		}
		if char := withoutLook(&stage, s); char != 0 {
			k.failf("Stage has no look for the %q that texts draw of what Describe writes, or its sprite is missing", char)
		}
		for seat := range k.spec.Seats {
			s.Seen(&stage, k.spec.Teams, seat)
		}
	}
}

// withoutLook is a character that stands for something of the scene in texts, but has no look by
// the stage, 0 if there is none. All but ticks need a sprite.
func withoutLook(stage *env.Stage, s *env.Scene) byte {
	chars := slices.Clone(s.Ground)
	for _, f := range s.Flames {
		chars = append(chars, '0'+byte(f.Life))
	}
	for _, b := range s.Bases {
		chars = append(chars, 'a'+byte(b.Owners.First()))
	}
	for _, i := range s.Items {
		chars = append(chars, i.Kind[0])
	}
	if len(s.Bombs) > 0 {
		chars = append(chars, 'o')
	}
	for _, c := range chars {
		if l := stage.Look(c); l.Meaning == "" || l.Sprite == "" && (c < '0' || c > '9') {
			return c
		}
	}
	return 0
}
