package vec

import (
	"sync/atomic"
	"time"
)

// shares distributes the games in chunks. Each worker that a call wakes has its own
// share, the same in every call, so that a game stays in the cache of one core. It
// works through its share from the front; when that is empty, it takes chunks from the
// backs of the others' shares (work stealing). So a worker that wakes late, or not at
// all, does not delay the others.
type shares struct {
	games int           // all of them
	chunk atomic.Int32  // games taken at a time
	own   []share       // of each worker
	left  atomic.Int32  // games not done
	spent atomic.Int64  // nanoseconds that finished games took
	last  chan struct{} // signalled by the worker that finishes the last games
}

// share is the games of one worker that are not taken yet: the index of the first in
// the lower half of the word, the end in the upper.
type share struct {
	open atomic.Uint64
	_    [120]byte // padding: two shares must not share a cache line
}

func newShares(games, workers int) *shares {
	return &shares{games: games, own: make([]share, workers), last: make(chan struct{}, 1)}
}

// offer makes all games available, with a share for each of the first workers.
func (s *shares) offer(workers, chunk int) {
	s.chunk.Store(int32(chunk))
	s.spent.Store(0)
	s.left.Store(int32(s.games))
	for i := range s.own {
		from, to := min(i, workers), min(i+1, workers)
		s.own[i].open.Store(uint64(s.games*to/workers)<<32 | uint64(s.games*from/workers))
	}
}

// take gives games to a worker; ok is false if there are no more.
func (s *shares) take(worker int) (lo, hi int, ok bool) {
	chunk := uint64(s.chunk.Load())
	if lo, hi, ok = s.own[worker].front(chunk); ok {
		return lo, hi, true
	}
	for k := 1; k < len(s.own); k++ {
		if lo, hi, ok = s.own[(worker+k)%len(s.own)].back(chunk); ok {
			return lo, hi, true
		}
	}
	return 0, 0, false
}

// front takes the first games of a share.
func (s *share) front(chunk uint64) (lo, hi int, ok bool) {
	for {
		open := s.open.Load()
		from, to := open&(1<<32-1), open>>32
		if from >= to {
			return 0, 0, false
		}
		cut := min(from+chunk, to)
		if s.open.CompareAndSwap(open, to<<32|cut) {
			return int(from), int(cut), true
		}
	}
}

// back takes the last games of a share.
func (s *share) back(chunk uint64) (lo, hi int, ok bool) {
	for {
		open := s.open.Load()
		from, to := open&(1<<32-1), open>>32
		if from >= to {
			return 0, 0, false
		}
		cut := max(from+chunk, to) - chunk
		if s.open.CompareAndSwap(open, cut<<32|from) {
			return int(cut), int(to), true
		}
	}
}

// finish records that n games are done and how long they took, and reports whether
// they were the last.
func (s *shares) finish(games int, took time.Duration) (last bool) {
	s.spent.Add(int64(took))
	return s.left.Add(-int32(games)) == 0
}
