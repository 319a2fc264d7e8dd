package envtest

import (
	"math"
	"slices"

	"pommego/env"
)

// checkStatus: the status moves one way only and is consistent in itself.
func checkStatus(k *kit) {
	m := k.match()
	for _, s := range k.plays() {
		var last env.Status
		for n := range k.play(m, s) {
			st := m.Status()
			k.checkStanding(st, n)
			if n > 0 {
				k.checkProgress(last, st)
			}
			last = st
			rewards := nans(k.spec.Seats)
			m.Rewards(rewards)
			for seat, r := range rewards {
				if math.IsNaN(r) || math.IsInf(r, 0) {
					k.at.seat = seat
					k.failf("the reward is %v, or was not written", r)
				}
			}
		}
	}
}

// checkStanding checks one status after n steps.
func (k *kit) checkStanding(st env.Status, n int) {
	all := env.AllSeats(k.spec.Seats)
	switch {
	case st.Steps != n:
		k.failf("Steps is %d, want %d", st.Steps, n)
	case (st.In|st.Decided|st.Winners|st.Tied)&^all != 0:
		k.failf("status %+v has seats that do not exist; there are %d", st, k.spec.Seats)
	case !st.Over && n >= k.spec.MaxSteps:
		k.failf("not over after MaxSteps = %d steps", k.spec.MaxSteps)
	case st.Over == (st.Result == env.Incomplete):
		k.failf("Over is %v with result %v, want Incomplete exactly until over", st.Over, st.Result)
	case st.Result > env.Incomplete:
		k.failf("result is %d, which does not exist", uint8(st.Result))
	case (st.Winners != 0) != (st.Result == env.Win):
		k.failf("winners %016b with result %v, want some exactly with Win", st.Winners, st.Result)
	case st.Over && st.Decided != all:
		k.failf("over, but decided is %0*b, want all %d seats", k.spec.Seats, st.Decided, k.spec.Seats)
	case !k.spec.Elimination && !st.Over && st.In != all:
		k.failf("In is %0*b, but Spec.Elimination says that nobody drops out", k.spec.Seats, st.In)
	}
	for _, team := range k.spec.Teams {
		for _, seat := range team {
			if st.Decided.Has(seat) != st.Decided.Has(team[0]) || st.Winners.Has(seat) != st.Winners.Has(team[0]) {
				k.failf("team %v shares its fate, but decided is %0*b and winners %0*b", team, k.spec.Seats, st.Decided,
					k.spec.Seats, st.Winners)
			}
		}
	}
}

func (k *kit) checkProgress(last, now env.Status) {
	if gone := last.Decided &^ now.Decided; gone != 0 {
		k.failf("Decided fell from %0*b to %0*b, want it only to grow", k.spec.Seats, last.Decided, k.spec.Seats, now.Decided)
	}
	if back := now.In &^ last.In; back != 0 {
		k.failf("In grew from %0*b to %0*b: who is out stays out", k.spec.Seats, last.In, k.spec.Seats, now.In)
	}
}

// checkOutcome: outcomes lie in [-1, 1], agree with the winners and, once
// decided, never change.
func checkOutcome(k *kit) {
	m := k.match()
	for _, s := range k.plays() {
		fixed := make(map[int]float64)
		for range k.play(m, s) {
			st, got := m.Status(), nans(k.spec.Seats)
			m.Outcome(got)
			for seat := range k.spec.Seats {
				if !st.Decided.Has(seat) {
					continue
				}
				k.at.seat = seat
				if !(got[seat] >= -1 && got[seat] <= 1) {
					k.failf("the outcome is %v (NaN: not written), want -1 to 1", got[seat])
				}
				if was, decided := fixed[seat]; decided && was != got[seat] {
					k.failf("the outcome was decided as %v and is now %v", was, got[seat])
				}
				fixed[seat] = got[seat]
				want := -1.0
				if st.Winners.Has(seat) {
					want = 1
				}
				if st.Result == env.Win && got[seat] != want {
					k.failf("the outcome is %v with winners %0*b, want %v", got[seat], k.spec.Seats, st.Winners, want)
				}
			}
		}
	}
}

// checkTrain: where a seat can drop out on its own, training it ends the game
// as it drops out, until the next Reset; it is part of the saved state.
func checkTrain(k *kit) {
	for _, team := range k.spec.Teams {
		if len(team) > 1 {
			return
		}
	}
	if !k.spec.Elimination {
		return
	}
	m, plain := k.match(), k.match()
	for i, s := range k.plays() {
		seat, saved := i%k.spec.Seats, k.match()
		for n := range k.play(m, s) {
			if n == 0 {
				m.SetTrainingSeat(seat)
				k.restore(saved, m.Append(nil))
			} else {
				saved.Step(s.actions[n-1])
			}
			k.at.seat = seat
			st := m.Status()
			if now := saved.Status(); now != st {
				k.failf("saved after Train and restored, the game stands at %+v, want %+v", now, st)
			}
			if !st.Over && !st.In.Has(seat) {
				k.failf("the seat was trained and is out, but the game goes on: %+v", st)
			}
			if st.Over {
				break
			}
		}
		m.Reset(s.seed)
		plain.Reset(s.seed)
		if d := k.diff(k.look(m), k.look(plain)); d != "" {
			k.failf("Train outlasts Reset: %s", d)
		}
	}
}

// nans is n numbers that nobody wrote.
func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
