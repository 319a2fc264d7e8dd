package envtest

import (
	"runtime"
	"runtime/debug"
	"testing"

	"pommego/env"
)

// checkAllocations: no call of a step allocates. Reset is one of them, because a pool
// resets some games in every step.
func checkAllocations(k *kit) {
	m := k.match()
	for s, n := range k.sampled(m, 5) {
		if n == len(s.actions) {
			continue
		}
		saved := m.Append(nil)
		k.countAllocs(m)
		k.restore(m, saved)
		k.countStepAllocs(s, n)
	}
}

func (k *kit) countAllocs(m env.Match) {
	numbers, mask := make([]float64, k.spec.Seats), make([]uint8, k.spec.MaskSize())
	k.noAllocs("Status", func() { m.Status() })
	k.noAllocs("Rewards", func() { m.Rewards(numbers) })
	k.noAllocs("Outcome", func() { m.Outcome(numbers) })
	k.noAllocs("Mask", func() { m.Mask(0, mask) })
	seats := k.seats()
	for _, e := range k.encodings() {
		dst := k.observe(m, e, seats, 0)
		k.noAllocs("Observe "+k.encoding(e).Name, func() { m.Observe(e, seats, dst) })
	}
	k.noAllocs("Reseed", func() { m.Reseed(env.Seed{Value: 1}) })
	k.noAllocs("Reset", func() { m.Reset(env.Seed{Value: 1}) })
}

// countStepAllocs makes step n of the script in several matches at once: a
// match can make it only once.
func (k *kit) countStepAllocs(s *script, n int) {
	twins := k.game.New(runs + 1) // AllocsPerRun makes one run to warm up
	for _, m := range twins {
		k.playTo(m, s, n)
	}
	trackers := k.game.NewTrackers(runs+1, false)
	counts := make([]int32, len(k.spec.Counts))
	for _, way := range []struct {
		name string
		step func(i int)
	}{
		{"Step", func(i int) { twins[i].Step(s.actions[n]) }},
		{"Tracker.Step", func(i int) { trackers[i].Step(twins[i], s.actions[n]); trackers[i].Counts(twins[i], 0, counts) }},
	} {
		var states [][]byte
		for _, m := range twins {
			states = append(states, m.Append(nil))
		}
		next := 0
		k.noAllocs(way.name, func() { way.step(next); next++ })
		for i, m := range twins {
			k.restore(m, states[i])
		}
	}
}

// runs is how often a call is made to count what it allocates.
const runs = 3

// noAllocs counts without garbage collection, which would empty the pools that agents and games borrow working
// memory from.
func (k *kit) noAllocs(what string, call func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if n := testing.AllocsPerRun(runs, call); n != 0 {
		k.failf("%s allocates %v times, want 0", what, n)
	}
}

// HeapInUse is how many bytes are in use.
func HeapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second one empties sync.Pools
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
