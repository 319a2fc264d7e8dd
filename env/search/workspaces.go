package search

import (
	"math/bits"
	"sync"
)

// Workspaces lend working memory W to agents while they search. Only agents whose searches
// take as much, by [RoundUp], use the same: what has grown for a large search never serves a
// small one. So those who act at the same time have no more than they say together
// (env.Agent.SearchBytes).
//
// The zero value is ready. Any number of goroutines may use it.
type Workspaces[W any] struct{ sizes [4 * 64]sync.Pool }

// Lend lends memory for searches of so many bytes, to be given back.
func (l *Workspaces[W]) Lend(bytes int64) *W {
	if w, ok := l.of(bytes).Get().(*W); ok {
		return w
	}
	return new(W)
}

// GiveBack takes back what was lent for so many bytes.
func (l *Workspaces[W]) GiveBack(bytes int64, w *W) { l.of(bytes).Put(w) }

// of has the memory for searches of so many bytes, which are rounded up.
func (l *Workspaces[W]) of(bytes int64) *sync.Pool {
	length := bits.Len64(uint64(bytes))
	return &l.sizes[4*length+int(bytes>>max(length-3, 0)&3)]
}

// RoundUp is the next of the four sizes in each power of two.
func RoundUp(bytes int64) int64 {
	shift := max(bits.Len64(uint64(bytes))-3, 0)
	return (bytes + 1<<shift - 1) >> shift << shift
}
