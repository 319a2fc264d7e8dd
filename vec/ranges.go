package vec

import (
	"sync/atomic"
	"time"
)

// ranges distributes the games in chunks. Each worker that a call wakes has its own
// range, the same in every call, so that a game stays in the cache of one core. It
// works through its range from the front; when that is empty, it takes chunks from the
// backs of the others' ranges (work stealing). So a worker that wakes late, or not at
// all, does not delay the others.
type ranges struct {
	games int           // how many games there are
	chunk atomic.Int32  // how many games are taken at a time
	own   []workRange   // by worker: its range
	left  atomic.Int32  // how many games are not done
	spent atomic.Int64  // how many nanoseconds the finished games took
	last  chan struct{} // signalled by the worker that finishes the last games
}

// workRange holds the games of one worker that are not yet taken: the index of the
// first in the lower half of the word, the end in the upper half.
type workRange struct {
	open atomic.Uint64
	_    [120]byte // padding: two ranges must not share a cache line
}

func newRanges(games, workers int) *ranges {
	return &ranges{games: games, own: make([]workRange, workers), last: make(chan struct{}, 1)}
}

// offer makes all games available, with a range for each of the first workers.
func (s *ranges) offer(workers, chunk int) {
	s.chunk.Store(int32(chunk))
	s.spent.Store(0)
	s.left.Store(int32(s.games))
	for i := range s.own {
		from, to := min(i, workers), min(i+1, workers)
		s.own[i].open.Store(uint64(s.games*to/workers)<<32 | uint64(s.games*from/workers))
	}
}

// take returns a range of games for a worker; ok is false if no games are left.
func (s *ranges) take(worker int) (lo, hi int, ok bool) {
	chunk := uint64(s.chunk.Load())
	for k := 0; k < len(s.own) && !ok; k++ {
		lo, hi, ok = s.own[(worker+k)%len(s.own)].take(chunk, k > 0)
	}
	return lo, hi, ok
}

// take takes the first games of a range, or the last ones.
func (s *workRange) take(chunk uint64, last bool) (lo, hi int, ok bool) {
	for {
		open := s.open.Load()
		from, to := open&(1<<32-1), open>>32
		if from >= to {
			return 0, 0, false
		}
		first, end := from, min(from+chunk, to)
		left := to<<32 | end
		if last {
			first, end = max(from+chunk, to)-chunk, to
			left = first<<32 | from
		}
		if s.open.CompareAndSwap(open, left) {
			return int(first), int(end), true
		}
	}
}

// finish records that n games are done and how long they took, and reports whether
// they were the last.
func (s *ranges) finish(games int, took time.Duration) (last bool) {
	s.spent.Add(int64(took))
	return s.left.Add(-int32(games)) == 0
}
