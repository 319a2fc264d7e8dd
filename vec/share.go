package vec

import "sync/atomic"

// chunkGames is how many games a worker takes at a time.
const chunkGames = 32

// shares hands the games out in chunks. Every worker has a share of its own,
// which it works through from the front, the same one each time, so that a game
// stays with the core that has it in its cache. A worker that has no more left
// takes chunks from the backs of the others' shares. So a worker that wakes
// late, or not at all, delays no other.
type shares struct {
	chunk int     // games of a chunk
	games int     // all of them
	own   []share // of each worker
	done  []int32 // of each chunk, the games whose episode ended
	left  atomic.Int32
	last  chan struct{} // told by a worker that finishes the last chunk
}

// share is the chunks of one worker that are not taken yet: the first in the
// lower half of the word, the end in the upper.
type share struct {
	open atomic.Uint64
	_    [120]byte // keeps the other shares out of this one's cache lines
}

func newShares(games, workers, chunk int) *shares {
	chunks := (games + chunk - 1) / chunk
	return &shares{chunk: chunk, games: games, own: make([]share, workers), done: make([]int32, chunks), last: make(chan struct{}, 1)}
}

// offer makes all chunks available.
func (s *shares) offer() {
	n, workers := len(s.done), len(s.own)
	s.left.Store(int32(n))
	for i := range s.own {
		from, to := n*i/workers, n*(i+1)/workers
		s.own[i].open.Store(uint64(to)<<32 | uint64(from))
	}
}

// take gives a chunk to a worker; ok is false if there are no more.
func (s *shares) take(worker int) (chunk int, ok bool) {
	if chunk, ok = s.own[worker].front(); ok {
		return chunk, true
	}
	for k := 1; k < len(s.own); k++ {
		if chunk, ok = s.own[(worker+k)%len(s.own)].back(); ok {
			return chunk, true
		}
	}
	return 0, false
}

// front takes a share's first chunk.
func (s *share) front() (chunk int, ok bool) {
	for {
		open := s.open.Load()
		from, to := uint32(open), uint32(open>>32)
		if from >= to {
			return 0, false
		}
		if s.open.CompareAndSwap(open, uint64(to)<<32|uint64(from+1)) {
			return int(from), true
		}
	}
}

// back takes a share's last chunk.
func (s *share) back() (chunk int, ok bool) {
	for {
		open := s.open.Load()
		from, to := uint32(open), uint32(open>>32)
		if from >= to {
			return 0, false
		}
		if s.open.CompareAndSwap(open, uint64(to-1)<<32|uint64(from)) {
			return int(to - 1), true
		}
	}
}

// bounds is the games of a chunk.
func (s *shares) bounds(chunk int) (lo, hi int) {
	return chunk * s.chunk, min((chunk+1)*s.chunk, s.games)
}

// finish notes that a chunk is done and reports whether it was the last.
func (s *shares) finish(chunk, ended int) (last bool) {
	s.done[chunk] = int32(ended)
	return s.left.Add(-1) == 0
}
