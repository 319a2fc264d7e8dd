package vec

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"pommego/env/catalog"
)

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what is in sync.Pools goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory compares what pools are said to take with what they take, for each
// game, with and without each of its agents.
func TestMemory(t *testing.T) {
	const games = 512
	for _, id := range []string{"PommeRadio-v2", "BaseWar-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		must(t, err)
		for n, name := range append([]string{""}, game.Spec().Agents...) {
			cfg := Config{Game: game, Games: games, Workers: 1, Autoreset: SameStep, Counts: n%2 == 0}
			if n == 0 {
				cfg.BatchSize = games / 4
			} else {
				cfg.Opponents = slices.Repeat([]string{name}, game.Spec().Seats-1)
			}
			t.Run(fmt.Sprintf("%s/%s", id, name), func(t *testing.T) {
				said, err := MemoryOf(cfg)
				must(t, err)
				before := heap()
				p, err := New(cfg)
				must(t, err)
				defer p.Close()
				made := heap()
				b := p.NewBatch(nil)
				batched := heap()
				if took := made - before; took > said.Pool ||
					said.Pool-took > games*(matchBytes+int64(p.seating.agents)*agentBytes) {
					t.Errorf("the pool took %d bytes, and was said to take %d", took, said.Pool)
				}
				wantAbout(t, "a batch", batched-made, said.Batch+int64(len(b.slab)))
			})
		}
	}
}

// wantAbout allows for the sizes in which memory is handed out.
func wantAbout(t *testing.T, what string, took, said int64) {
	t.Helper()
	if ratio := float64(said) / float64(took); ratio < 0.8 || ratio > 1.2 {
		t.Errorf("%s took %d bytes, and was said to take %d", what, took, said)
	}
}
