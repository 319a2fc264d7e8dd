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

	followed map[int]*followed       // by game; the worker's own
	over     atomic.Pointer[episode] // that has ended last; nil: none
}

// viewRequest is the request of one viewer, who watches until ctx is done.
type viewRequest struct {
	ctx    context.Context
	games  []int            // nil: one in which a learner plays
	answer chan<- viewReply // has room for it
}

// viewReply is the games, or why there are none.
type viewReply struct {
	games []*followed
	err   error
}

var errNotLive = errors.New("the environment has not been reset")

// ask asks the worker for games, which are followed until ctx is done.
func (e *environment) ask(ctx context.Context, games []int) <-chan viewReply {
	answer := make(chan viewReply, 1)
	e.viewers.mu.Lock()
	e.viewers.requests = append(e.viewers.requests, viewRequest{ctx, games, answer})
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
		all, err := e.followAll(r)
		r.answer <- viewReply{all, err}
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

// followAll follows games for one viewer more: as many of them as there is memory for.
func (e *environment) followAll(r viewRequest) (all []*followed, err error) {
	if !e.running {
		return nil, errNotLive
	}
	if r.games == nil {
		r.games = []int{e.living()}
	}
	for _, game := range r.games {
		f, err := e.follow(r.ctx, game)
		if err != nil && all == nil {
			return nil, err
		} else if err == nil {
			all = append(all, f)
		}
	}
	return all, nil
}

// living is a game in which a learner plays, if there is one.
func (e *environment) living() int {
	for game := range e.pool.Games() {
		at := e.pool.LiveGame(game)
		in := at.Match.Status().In
		if slices.ContainsFunc(at.Learners, func(seat uint8) bool { return in.Has(int(seat)) }) {
			return game
		}
	}
	return 0
}

// follow follows a game for one viewer more.
func (e *environment) follow(ctx context.Context, game int) (*followed, error) {
	l := &e.viewers
	f := l.followed[game]
	if f == nil {
		if err := e.owner.memory.reserve(followedBytes, "", "the last positions of a game that is watched"); err != nil {
			return nil, err
		}
		if l.followed == nil {
			l.followed = map[int]*followed{}
		}
		f = &followed{env: e, game: game, feed: scene.Feed{Most: mostKept}}
		l.followed[game] = f
		e.pool.Watch(game, f)
	}
	f.viewers = append(f.viewers, ctx)
	return f, nil
}
