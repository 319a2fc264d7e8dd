package search

import (
	"math/bits"
	"sync"
)

// Workspaces lend working memory W to agents while they search. Agents share memory
// only if RoundUp gives the same size for their searches, so memory that grew for a
// large search never serves a small one. Agents that act at the same time thus take no
// more than the sum of what they say (env.Agent.SearchBytes).
//
// The zero value is ready. Any number of goroutines may use it.
type Workspaces[W any] struct{ sizes [4 * 64]sync.Pool }

// Lend lends memory for searches of so many bytes. Give it back with the same number.
func (l *Workspaces[W]) Lend(bytes int64) *W {
	if w, ok := l.of(bytes).Get().(*W); ok {
		return w
	}
	return new(W)
}

// GiveBack takes back what was lent for so many bytes.
func (l *Workspaces[W]) GiveBack(bytes int64, w *W) { l.of(bytes).Put(w) }

// of is the pool of memory for searches of so many bytes, rounded up.
func (l *Workspaces[W]) of(bytes int64) *sync.Pool {
	length := bits.Len64(uint64(bytes))
	return &l.sizes[4*length+int(bytes>>max(length-3, 0)&3)]
}

// RoundUp rounds up to the next of four sizes in each power of two.
func RoundUp(bytes int64) int64 {
	shift := max(bits.Len64(uint64(bytes))-3, 0)
	return (bytes + 1<<shift - 1) >> shift << shift
}
