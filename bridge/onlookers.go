package bridge

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// forgotten is after how long a game is no longer followed that nobody looks at.
	forgotten = 2 * time.Second

	// abandoned is after how long a pause ends if nobody looks any more. Browsers let
	// a page that is in the background ask once a minute.
	abandoned = 150 * time.Second

	// mostFollowed is how many games of an environment are followed at a time.
	mostFollowed = 8
)

// onlookers are those who look on at an environment. They ask for a game, and the
// session's worker answers between two steps: at no other time is a game at rest. What
// nobody asks for costs a step one look at a flag.
type onlookers struct {
	asked atomic.Bool // the worker has something to do here
	mu    sync.Mutex
	asks  []lookAsk
	at    time.Time // of the last

	held    bool // the games are paused
	waiting bool // and the worker waits
	steps   int  // that it may make all the same

	followed map[int]*followed // by game; the worker's own
}

type lookAsk struct {
	game, since int
	answer      chan<- *Look // has room for it
}

// present as the number of an earlier look asks for how a game stands now.
const present = -1

// last is when somebody last looked.
func (l *onlookers) last() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func (l *onlookers) paused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// order does what those who look on want: pause, go or step.
func (l *onlookers) order(order string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Now()
	switch {
	case order != "step":
		l.held, l.steps = order == "pause", 0
	case l.waiting: // else the step is under way
		l.steps++
	}
	l.asked.Store(true)
}

// holds reports whether the worker is to wait before it answers a step.
func (l *onlookers) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) > abandoned {
		l.held = false
	}
	l.waiting = l.held && l.steps == 0
	if l.steps > 0 {
		l.steps--
	}
	return l.waiting
}

// ask asks for a look at a game.
func (e *environment) ask(game, since int) <-chan *Look {
	answer := make(chan *Look, 1)
	e.looks.mu.Lock()
	e.looks.asks = append(e.looks.asks, lookAsk{game, since, answer})
	e.looks.at = time.Now()
	e.looks.asked.Store(true)
	e.looks.mu.Unlock()
	e.owner.wake()
	return answer
}

// wake wakes the worker for those who look on.
func (s *session) wake() {
	select {
	case s.looked <- struct{}{}:
	default: // it is woken already
	}
}

// attend answers those who look on after a step, and waits if they have paused.
func (s *session) attend(e *environment) {
	if !e.looks.asked.Load() {
		return
	}
	e.answerLooks()
	for e.looks.holds() {
		select {
		case <-s.quit:
			return
		case <-s.looked:
			s.answerLooks()
		case <-time.After(time.Second):
		}
	}
}

// answerLooks answers those who look on at any environment; it is the worker that calls
// it.
func (s *session) answerLooks() {
	for _, e := range s.envs {
		e.answerLooks()
	}
}

func (e *environment) answerLooks() {
	l := &e.looks
	if !l.asked.Load() {
		return
	}
	l.mu.Lock()
	asks := l.asks
	l.asks = nil
	l.mu.Unlock()
	for _, a := range asks {
		a.answer <- e.look(a)
	}
	e.forget()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked.Store(len(l.asks) > 0 || len(l.followed) > 0 || l.held)
}

// forget ends to follow games that nobody looks at any more.
func (e *environment) forget() {
	for game, f := range e.looks.followed {
		if time.Since(f.last) > forgotten {
			e.unfollow(game)
		}
	}
}

func (e *environment) unfollow(game int) {
	delete(e.looks.followed, game)
	e.pool.Watch(game, nil)
}

// follow is a game that is looked at, which is followed from then on; nil if there is
// nothing to see.
func (e *environment) follow(game int) *followed {
	l := &e.looks
	if f := l.followed[game]; f != nil {
		return f
	}
	if !e.running {
		return nil
	}
	if len(l.followed) == mostFollowed {
		oldest := game
		for other, f := range l.followed {
			if oldest == game || f.last.Before(l.followed[oldest].last) {
				oldest = other
			}
		}
		e.unfollow(oldest)
	}
	if l.followed == nil {
		l.followed = map[int]*followed{}
	}
	f := &followed{env: e, game: game}
	l.followed[game] = f
	e.pool.Watch(game, f)
	return f
}

// look answers one of those who look on; nil if there is nothing to see.
func (e *environment) look(a lookAsk) *Look {
	f := e.follow(a.game)
	if f == nil {
		return nil
	}
	f.last = time.Now()
	if f.isBehind() {
		e.pool.Match(a.game) // waits until it is at rest
		f.catchUp()
	}
	look := f.since(a.since)
	look.Paused = e.looks.paused()
	return look
}
