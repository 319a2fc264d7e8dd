package vec

import (
	"slices"
	"sync"
	"testing"
)

// TestSharesOwnFirst takes all games by one worker: its own from the front, then
// the others' from the back.
func TestSharesOwnFirst(t *testing.T) {
	s := newRanges(100, 3)
	s.offer(3, 20)
	var got [][2]int
	for {
		lo, hi, ok := s.take(1)
		if !ok {
			break
		}
		got = append(got, [2]int{lo, hi})
		if last := s.finish(hi-lo, 0); last != (len(got) == 6) {
			t.Errorf("%d to %d are the last games: %v", lo, hi, last)
		}
	}
	if want := [][2]int{{33, 53}, {53, 66}, {80, 100}, {66, 80}, {13, 33}, {0, 13}}; !slices.Equal(got, want) {
		t.Errorf("worker 1 of 3 took %v, want %v", got, want)
	}
}

// TestSharesHandOutEverythingOnce has many workers at it, many times over, also
// some that have no share of their own.
func TestSharesHandOutEverythingOnce(t *testing.T) {
	for _, c := range []struct{ games, workers, woken, chunk int }{
		{1, 1, 1, 32}, {1000, 4, 4, 7}, {64, 4, 4, 1}, {33, 2, 2, 32}, {200, 4, 1, 3}, {3, 4, 4, 1},
	} {
		s := newRanges(c.games, c.workers)
		for range 200 {
			s.offer(c.woken, c.chunk)
			taken := make([]int, c.games)
			lasts := make([]int, c.workers)
			var all sync.WaitGroup
			for w := range c.workers {
				all.Go(func() {
					for lo, hi, ok := s.take(w); ok; lo, hi, ok = s.take(w) {
						if hi-lo > c.chunk {
							t.Errorf("%+v: worker %d took games %d to %d at once", c, w, lo, hi)
						}
						for i := lo; i < hi; i++ {
							taken[i]++
						}
						if s.finish(hi-lo, 1) {
							lasts[w]++
						}
					}
				})
			}
			all.Wait()
			if slices.ContainsFunc(taken, func(n int) bool { return n != 1 }) {
				t.Fatalf("%+v: games were handed out %v times, want once each", c, taken)
			}
			ends := 0
			for _, n := range lasts {
				ends += n
			}
			if ends != 1 {
				t.Fatalf("%+v: %d workers did the last games, want 1", c, ends)
			}
		}
	}
}
