package vec

import (
	"slices"
	"sync"
	"testing"
)

// TestSharesOwnFirst takes all chunks by one worker: its own from the front, then
// the others' from the back.
func TestSharesOwnFirst(t *testing.T) {
	s := newShares(100, 3, 10)
	s.offer()
	var got []int
	for {
		chunk, ok := s.take(1)
		if !ok {
			break
		}
		got = append(got, chunk)
		if last := s.finish(chunk, 0); last != (len(got) == 10) {
			t.Errorf("chunk %d is the last: %v", chunk, last)
		}
	}
	if want := []int{3, 4, 5, 9, 8, 7, 6, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("worker 1 of 3 took %v, want %v", got, want)
	}
}

// TestSharesHandOutEverythingOnce has many workers at it, many times over.
func TestSharesHandOutEverythingOnce(t *testing.T) {
	for _, c := range []struct{ games, workers, chunk int }{{1, 1, 32}, {1000, 4, 7}, {64, 4, 1}, {33, 2, 32}} {
		s := newShares(c.games, c.workers, c.chunk)
		for range 200 {
			s.offer()
			taken := make([]int, c.games)
			lasts := make([]int, c.workers)
			var all sync.WaitGroup
			for w := range c.workers {
				all.Go(func() {
					for chunk, ok := s.take(w); ok; chunk, ok = s.take(w) {
						lo, hi := s.bounds(chunk)
						for i := lo; i < hi; i++ {
							taken[i]++
						}
						if s.finish(chunk, hi-lo) {
							lasts[w]++
						}
					}
				})
			}
			all.Wait()
			if slices.ContainsFunc(taken, func(n int) bool { return n != 1 }) {
				t.Fatalf("%+v: games were handed out %v times, want once each", c, taken)
			}
			sum, ends := 0, 0
			for _, n := range s.done {
				sum += int(n)
			}
			for _, n := range lasts {
				ends += n
			}
			if sum != c.games || ends != 1 {
				t.Fatalf("%+v: %d games done, %d last chunks, want %d and 1", c, sum, ends, c.games)
			}
		}
	}
}
