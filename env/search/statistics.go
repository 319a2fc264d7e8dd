package search

import (
	"math/bits"
	"sync"

	"pommego/env"
)

// MoveStatistics is what a search has found out about one move.
type MoveStatistics struct {
	// Visits is how often the move was tried: the rounds that began with it, the states
	// compared in the end that come after it, or the plans judged that begin with it. 0: never.
	Visits int32
	// Value is the value that was found for it. Of the moves that were tried, the best was chosen.
	Value float64
}

// Memo holds what an agent spent on its last action, and the statistics behind its choice. It is
// a seat.Searcher and an env.SearchReporter. An agent embeds it, calls Forget at the start of
// each action, adds the ticks of its searches to Ticks, and calls Keep with their statistics.
type Memo struct {
	Ticks   uint64 // ticks simulated for the last action
	Bytes   int64  // the most memory that a search takes
	tallies []MoveStatistics
	stop    env.Flag
}

// StopOn makes searches whose budgets come from Limit stop when the flag is set.
func (m *Memo) StopOn(flag env.Flag) { m.stop = flag }

// Limit returns the budget with the flag as its Stop.
func (m *Memo) Limit(b Budget) Budget {
	b.Stop = m.stop
	return b
}

// Forget empties the memo. If nothing is kept after that, the action was decided
// without a search.
func (m *Memo) Forget() { m.Ticks, m.tallies = 0, m.tallies[:0] }

// Searched is how many ticks the last action took.
func (m *Memo) Searched() uint64 { return m.Ticks }

// SearchBytes is the most memory that a search takes.
func (m *Memo) SearchBytes() int64 { return m.Bytes }

// Keep keeps the statistics of the choices of one component of the action, by their
// numbers. from is the number of the component's first choice, counted over all
// components. If the search had no choice, found is empty and Keep does nothing.
func (m *Memo) Keep(from int, found []MoveStatistics) {
	if len(found) == 0 {
		return
	}
	if more := from + len(found) - len(m.tallies); more > 0 {
		m.tallies = append(m.tallies, make([]MoveStatistics, more)...)
	}
	copy(m.tallies[from:], found)
}

// SearchStatistics writes what is kept.
func (m *Memo) SearchStatistics(visits []int32, values []float64) bool {
	for i, t := range m.tallies {
		visits[i], values[i] = t.Visits, t.Value
	}
	return len(m.tallies) > 0
}

// Workspaces lend working memory W to agents while they search. Agents share memory
// only if RoundUp gives the same size for their searches, so memory that grew for a
// large search never serves a small one. So agents that act at the same time take no
// more than the sum of their env.Agent.SearchBytes.
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

// GiveBack takes back memory that was lent for so many bytes.
func (l *Workspaces[W]) GiveBack(bytes int64, w *W) { l.of(bytes).Put(w) }

// of returns the pool of memory for searches of so many bytes, rounded up.
func (l *Workspaces[W]) of(bytes int64) *sync.Pool {
	length := bits.Len64(uint64(bytes))
	return &l.sizes[4*length+int(bytes>>max(length-3, 0)&3)]
}

// RoundUp rounds up to the next of four sizes in each power of two.
func RoundUp(bytes int64) int64 {
	shift := max(bits.Len64(uint64(bytes))-3, 0)
	return (bytes + 1<<shift - 1) >> shift << shift
}
