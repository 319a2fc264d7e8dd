package bridge

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// forgotten is after how long a game without viewers is no longer followed.
	forgotten = 2 * time.Second

	// abandoned is after how long a pause ends if no viewer asks any more. Browsers let
	// a page that is in the background ask once a minute.
	abandoned = 150 * time.Second

	// mostFollowed is how many games of a connection are followed at a time.
	mostFollowed = 8
)

// viewers are those of one environment. They ask for a game, and the session's worker
// answers between two steps, when the game is at rest. With no viewer connected, a step
// costs one extra check of a flag.
type viewers struct {
	asked    atomic.Bool // the worker has something to do here
	mu       sync.Mutex
	requests []viewRequest
	at       time.Time // of the last

	held    bool // the games are paused
	waiting bool // and the worker waits
	steps   int  // that it may make all the same

	followed map[int]*followed // by game; the worker's own
}

type viewRequest struct {
	game, since int
	answer      chan<- lookReply // has room for it
}

// lookReply is a look, or why there is none.
type lookReply struct {
	look *Look
	err  error
}

var errNotLive = errors.New("the environment has not been reset")

// present as the number of an earlier look asks for how a game stands now.
const present = -1

func (l *viewers) last() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func (l *viewers) paused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// order does what a viewer wants: pause, go or step.
func (l *viewers) order(order string) {
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
func (l *viewers) holds() bool {
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

func (e *environment) ask(game, since int) <-chan lookReply {
	answer := make(chan lookReply, 1)
	e.viewers.mu.Lock()
	e.viewers.requests = append(e.viewers.requests, viewRequest{game, since, answer})
	e.viewers.at = time.Now()
	e.viewers.asked.Store(true)
	e.viewers.mu.Unlock()
	e.owner.wake()
	return answer
}

// wake wakes the worker for viewers.
func (s *session) wake() {
	select {
	case s.viewSignal <- struct{}{}:
	default: // it is woken already
	}
}

// serveViewers answers viewers after a step, and waits if they have paused.
func (s *session) serveViewers(e *environment) {
	if !e.viewers.asked.Load() {
		return
	}
	e.answerViewers()
	for e.viewers.holds() {
		select {
		case <-s.ctx.Done():
			return
		case <-s.viewSignal:
			s.answerViewers()
		case <-time.After(time.Second):
		}
	}
}

// answerViewers answers the viewers of all environments. The worker calls it.
func (s *session) answerViewers() {
	for _, e := range s.envs {
		e.answerViewers()
	}
}

func (e *environment) answerViewers() {
	l := &e.viewers
	if !l.asked.Load() {
		return
	}
	l.mu.Lock()
	requests := l.requests
	l.requests = nil
	l.mu.Unlock()
	for _, a := range requests {
		look, err := e.look(a)
		a.answer <- lookReply{look, err}
	}
	e.forget()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked.Store(len(l.requests) > 0 || len(l.followed) > 0 || l.held)
}

// forget stops following games without viewers.
func (e *environment) forget() {
	for game, f := range e.viewers.followed {
		if time.Since(f.last) > forgotten {
			e.unfollow(game)
		}
	}
}

func (e *environment) unfollow(game int) {
	delete(e.viewers.followed, game)
	e.pool.Watch(game, nil)
	e.owner.memory.release(followedBytes)
}

// makeRoom has a connection follow fewer games than it may.
func (s *session) makeRoom() {
	var oldest *followed
	count := 0
	for _, e := range s.envs {
		count += len(e.viewers.followed)
		for _, f := range e.viewers.followed {
			if oldest == nil || f.last.Before(oldest.last) {
				oldest = f
			}
		}
	}
	if count >= mostFollowed {
		oldest.env.unfollow(oldest.game)
	}
}

// follow begins to follow a game, unless it is followed already.
func (e *environment) follow(game int) (*followed, error) {
	l := &e.viewers
	if f := l.followed[game]; f != nil {
		return f, nil
	}
	if !e.running {
		return nil, errNotLive
	}
	e.owner.makeRoom()
	if err := e.owner.memory.reserve(followedBytes, "", "the last positions of a game that is watched"); err != nil {
		return nil, err
	}
	if l.followed == nil {
		l.followed = map[int]*followed{}
	}
	f := &followed{env: e, game: game}
	l.followed[game] = f
	e.pool.Watch(game, f)
	return f, nil
}

func (e *environment) look(a viewRequest) (*Look, error) {
	f, err := e.follow(a.game)
	if err != nil {
		return nil, err
	}
	f.last = time.Now()
	if f.isBehind() {
		e.pool.Match(a.game) // waits until it is at rest
		f.catchUp()
	}
	look := f.since(a.since)
	look.Paused = e.viewers.paused()
	return look, nil
}
