package vec

import (
	"sync"
	"time"
)

// queue connects the caller and the workers of a pool with first-ready batches: it
// holds the games to be stepped, and those that have been stepped and are ready.
type queue struct {
	lock  sync.Mutex
	work  *sync.Cond // signals that there are games to step, or that the workers are to end
	done  *sync.Cond // signals that as many games are ready as recv waits for
	todo  ring
	ready ring
	broke ring // games that panicked; they are no longer under way
	sent  int  // games to be stepped, being stepped or ready
	want  int  // how many ready games recv waits for
	ended bool // the workers are to end

	cost  *cost
	games int           // games stepped since the cost was noted last
	spent time.Duration // the time spent on these games
}

func newQueue(games int, c *cost) *queue {
	q := &queue{todo: newRing(games), ready: newRing(games), broke: newRing(games), cost: c}
	q.work, q.done = sync.NewCond(&q.lock), sync.NewCond(&q.lock)
	return q
}

func (q *queue) send(games []int32) {
	q.lock.Lock()
	for _, g := range games {
		q.todo.push(g)
		q.work.Signal()
	}
	q.sent += len(games)
	q.lock.Unlock()
}

// take waits for games to step and appends them to to: at most as many as a worker
// should take at a time, and at most a fair share. If it appends none, the worker is to
// end.
func (q *queue) take(to []int32, workers int) []int32 {
	q.lock.Lock()
	for q.todo.n == 0 && !q.ended {
		q.work.Wait()
	}
	if !q.ended {
		for range max(1, min(q.cost.chunk(), q.todo.n/workers)) {
			to = append(to, q.todo.pop())
		}
	}
	q.lock.Unlock()
	return to
}

func (q *queue) more() bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.todo.n > 0 && !q.ended
}

// meanCost returns the average time of a step of one game.
func (q *queue) meanCost() time.Duration {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.cost.mean
}

// put adds games that are ready, with the time that their steps took, and games that
// panicked. The cost is noted once for as many steps as there are games, so that slow
// games are included each time.
func (q *queue) put(games []int32, phases []phase, took time.Duration) {
	q.lock.Lock()
	for _, g := range games {
		if phases[g] == broken {
			q.broke.push(g)
			q.sent--
		} else {
			q.ready.push(g)
		}
	}
	if q.ready.n >= min(q.want, q.sent) || q.broke.n > 0 {
		q.done.Signal()
	}
	q.games, q.spent = q.games+len(games), q.spent+took
	if q.games >= len(q.todo.items) {
		q.cost.note(q.games, q.spent)
		q.games, q.spent = 0, 0
	}
	q.lock.Unlock()
}

// recv waits until n games are ready, and appends the first of them to to; if fewer are
// under way, it appends none. If a game has panicked, recv returns that one first, alone.
func (q *queue) recv(to []int32, n int) (games []int32, broke bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for q.want = n; q.broke.n == 0 && q.ready.n < n && q.sent >= n; {
		q.done.Wait()
	}
	switch {
	case q.broke.n > 0:
		return append(to, q.broke.pop()), true
	case q.sent < n:
		return to, false
	}
	for range n {
		to = append(to, q.ready.pop())
	}
	q.sent -= n
	return to, false
}

// rest waits until all games that were sent are ready.
func (q *queue) rest() {
	q.lock.Lock()
	for q.want = q.sent; q.ready.n < q.sent; {
		q.done.Wait()
	}
	q.lock.Unlock()
}

// forget drops the ready games; all games that were sent must be ready.
func (q *queue) forget() { q.ready.n, q.broke.n, q.sent = 0, 0, 0 }

func (q *queue) end(ended bool) {
	q.lock.Lock()
	q.ended = ended
	q.work.Broadcast()
	q.lock.Unlock()
}

// ring is a list of games, first in, first out.
type ring struct {
	items   []int32
	from, n int
}

func newRing(size int) ring { return ring{items: make([]int32, size)} }

func (r *ring) push(g int32) {
	r.items[(r.from+r.n)%len(r.items)] = g
	r.n++
}

func (r *ring) pop() int32 {
	g := r.items[r.from]
	r.from, r.n = (r.from+1)%len(r.items), r.n-1
	return g
}
