package envtest

import (
	"bytes"
	"encoding/json"
	"slices"

	"pommego/env"
)

// checkTrackers: a match with a tracker goes as one without, counting goes on from what
// was saved, and events belong to the game and can be written as JSON.
func checkTrackers(k *kit) {
	for i, c := range k.spec.Counts {
		if c.Name == "" || c.Meaning == "" ||
			slices.ContainsFunc(k.spec.Counts[:i], func(o env.Name) bool { return o.Name == c.Name }) {
			k.failf("Spec.Counts[%d] has name %q and meaning %q, want both, and each name once", i, c.Name, c.Meaning)
		}
	}
	for _, s := range k.plays() {
		noted, counted := k.follow(s.seed, true), k.follow(s.seed, false)
		alone := k.match()
		for n := range k.play(alone, s) {
			if n == len(s.actions) {
				break
			}
			noted.Step(noted.m, s.actions[n])
			counted.Step(counted.m, s.actions[n])
			if got, other := noted.counts(k), counted.counts(k); !slices.Equal(got, other) {
				k.failf("with events %v was counted, without them %v", got, other)
			}
			k.checkEvents(noted.Events())
			if events := counted.Events(); len(events) > 0 {
				k.failf("there are events %v, and none were asked for", events)
			}
			counted = k.takenBack(counted)
		}
		for _, f := range []followed{noted, counted} {
			if !bytes.Equal(f.m.Append(nil), alone.Append(nil)) {
				k.failf("a match stepped by a tracker has come to another state")
			}
		}
	}
}

// followed is a match with its tracker.
type followed struct {
	env.Tracker
	m env.Match
}

func (k *kit) follow(seed env.Seed, events bool) followed {
	f := followed{k.game.NewTrackers(1, events)[0], k.match()}
	f.m.Reset(seed)
	f.Begin(f.m)
	if got := f.counts(k); len(f.Append(nil)) > 0 || len(f.Events()) > 0 {
		k.failf("at the start of a game %v was counted, with %d bytes to save and %d events, want none", got,
			len(f.Append(nil)), len(f.Events()))
	}
	return f
}

func (f followed) counts(k *kit) []int32 {
	var all []int32
	for seat := range k.spec.Seats {
		dst := make([]int32, len(k.spec.Counts)+1)
		dst[len(dst)-1] = 4711
		f.Counts(f.m, seat, dst)
		if dst[len(dst)-1] != 4711 {
			k.failf("Counts writes more than a number for each of Spec.Counts")
		}
		all = append(all, dst[:len(dst)-1]...)
	}
	return all
}

// takenBack restores what was counted in another tracker. Damaged counts must be
// refused, or give other counts, but must not cause a panic.
func (k *kit) takenBack(f followed) followed {
	saved := f.Append(nil)
	again := followed{k.game.NewTrackers(1, false)[0], f.m}
	if err := again.Restore(f.m, saved); err != nil {
		k.failf("what was counted is not taken back: %v", err)
	}
	if want, got := f.counts(k), again.counts(k); !slices.Equal(got, want) {
		k.failf("%v was counted, and taken back it is %v", want, got)
	}
	if len(saved) > 0 {
		if err := again.Restore(f.m, saved[:len(saved)-1]); err == nil {
			k.failf("what was counted is taken back although its last byte is missing")
		}
	}
	if err := again.Restore(f.m, append(saved, 0)); err == nil {
		k.failf("what was counted is taken back with a byte too many")
	}
	if want, got := f.counts(k), again.counts(k); !slices.Equal(got, want) {
		k.failf("%v was counted, and after an error it is %v", want, got)
	}
	return again
}

// checkEvents: events name seats of the game, and are the same when read back.
func (k *kit) checkEvents(events []env.Event) {
	for _, e := range events {
		if e.Seat < env.NoSeat || e.Seat >= k.spec.Seats || e.By&^env.AllSeats(k.spec.Seats) != 0 {
			k.failf("%v: %+v, want seats 0 to %d", e.Kind, e, k.spec.Seats-1)
		}
		text, err := json.Marshal(e)
		if err != nil {
			k.failf("%+v: %v", e, err)
		}
		var back env.Event
		if err := json.Unmarshal(text, &back); err != nil || back != e {
			k.failf("%s is read back as %+v, %v; want %+v", text, back, err, e)
		}
	}
}
