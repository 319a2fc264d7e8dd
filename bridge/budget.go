package bridge

import "sync"

// budget is the memory that all connections together may take. It is counted
// before anything is allocated; what is counted is what a client decides on:
// games, their agents and what these search in, batches and the messages around them, shared memory,
// saved states that are kept or on their way, and long requests.
type budget struct {
	mu   sync.Mutex
	most int64
	used int64
}

// account is the part of a budget that one connection has taken. It may be used
// from several goroutines.
type account struct {
	*budget
	held int64 // guarded by the budget's mutex
}

// perConnection is how much of the budget one connection may have: half, so that
// no one client can take all from the others.
func (b *budget) perConnection() int64 { return b.most / 2 }

// taken is how much of it is taken.
func (b *budget) taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// reserve takes bytes for what the error is to name, of the request's field.
func (a *account) reserve(bytes int64, field, what string) error {
	const hint = "close environments, ask for less at a time (fewer games, workers or ticks), or start the server " +
		"with a higher --max-memory-bytes"
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.held+bytes > a.perConnection():
		return fail(codeLimit, field, hint,
			"%s would take %d bytes; this connection has %d, and may have %d, half of the server's memory budget",
			what, bytes, a.held, a.perConnection())
	case a.used+bytes > a.most:
		return fail(codeLimit, field, hint,
			"%s would take %d bytes; all connections have %d of the server's memory budget of %d",
			what, bytes, a.used, a.most)
	}
	a.held += bytes
	a.used += bytes
	return nil
}

func (a *account) release(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= bytes
	a.used -= bytes
}

// exchange notes that a part of what was reserved has become another, which is reserved
// already, and releases what it was.
func (a *account) exchange(total, part *int64, bytes int64) {
	a.release(*part)
	*total += bytes - *part
	*part = bytes
}

func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= a.held
	a.held = 0
}
