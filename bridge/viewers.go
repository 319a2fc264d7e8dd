package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"pommego/arena/scene"
)

// viewers are those who watch one environment. Between two steps, when a game is at rest, the session's worker
// begins to follow it for them, or ends that. With no viewer connected, a step costs one extra check of a flag.
type viewers struct {
	asked    atomic.Bool // somebody looks, or wants to
	mu       sync.Mutex
	requests []viewRequest

	followed map[int]*followed // by game; the worker's own
}

// viewRequest is the request of one viewer, who watches until ctx is done.
type viewRequest struct {
	ctx    context.Context
	game   int
	answer chan<- viewReply // has room for it
}

// viewReply is the game, or why there is none.
type viewReply struct {
	game *followed
	err  error
}

var errNotLive = errors.New("the environment has not been reset")

// ask asks the worker for a game, which is followed until ctx is done.
func (e *environment) ask(ctx context.Context, game int) <-chan viewReply {
	answer := make(chan viewReply, 1)
	e.viewers.mu.Lock()
	e.viewers.requests = append(e.viewers.requests, viewRequest{ctx, game, answer})
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

// answerViewers answers the viewers of all environments. The worker calls it.
func (s *session) answerViewers() {
	for _, e := range s.envs {
		e.answerViewers()
	}
}

// answerViewers is to be called by the worker.
func (e *environment) answerViewers() {
	l := &e.viewers
	if !l.asked.Load() {
		return
	}
	l.mu.Lock()
	requests := l.requests
	l.requests = nil
	l.mu.Unlock()
	for _, r := range requests {
		f, err := e.follow(r)
		r.answer <- viewReply{f, err}
	}
	for game, f := range l.followed {
		f.viewers = slices.DeleteFunc(f.viewers, func(ctx context.Context) bool { return ctx.Err() != nil })
		if len(f.viewers) == 0 {
			delete(l.followed, game)
			e.pool.Watch(game, nil)
			e.owner.memory.release(followedBytes)
		} else if f.isBehind() {
			e.pool.Match(game) // waits until it is at rest
			f.catchUp()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked.Store(len(l.requests) > 0 || len(l.followed) > 0)
}

// follow follows a game for one viewer more.
func (e *environment) follow(r viewRequest) (*followed, error) {
	l := &e.viewers
	f := l.followed[r.game]
	if f == nil {
		if !e.running {
			return nil, errNotLive
		}
		if err := e.owner.memory.reserve(followedBytes, "", "the last positions of a game that is watched"); err != nil {
			return nil, err
		}
		if l.followed == nil {
			l.followed = map[int]*followed{}
		}
		f = &followed{env: e, game: r.game, feed: scene.Feed{Most: mostKept}}
		l.followed[r.game] = f
		e.pool.Watch(r.game, f)
	}
	f.viewers = append(f.viewers, r.ctx)
	return f, nil
}
