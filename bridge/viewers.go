package bridge

import (
	"errors"
	"slices"
	"time"

	"pommego/arena/scene"
)

var errNotLive = errors.New("the environment has not been reset")

// visit has the session's worker call f between two requests, when no game is stepped. It waits until late, if
// that is not nil, or the environment is gone. Unless it returns nil, f is not called.
func (e *environment) visit(late <-chan time.Time, f func()) error {
	done := make(chan struct{})
	select {
	case e.owner.visits <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-late:
		return errors.New("the environment is busy")
	case <-e.gone:
		return errors.New("the client of the environment has gone")
	}
}

// admitVisit makes a visit, if one waits. The worker calls it before each request.
func (s *session) admitVisit() {
	select {
	case visit := <-s.visits:
		visit()
	default:
	}
}

// begin follows games for one viewer more, nil: one in which a learner plays. They are as many of them as there
// is memory for. end ends it.
func (e *environment) begin(games []int) (all []*followed, err error) {
	visited := e.visit(time.After(lookTimeout), func() {
		if !e.running {
			err = errNotLive
			return
		}
		if games == nil {
			games = []int{e.living()}
		}
		for _, game := range games {
			var f *followed
			if f, err = e.follow(game); err != nil {
				break
			}
			all = append(all, f)
		}
	})
	if len(all) > 0 {
		return all, nil
	}
	return nil, errors.Join(visited, err)
}

func (e *environment) end(games []*followed) {
	_ = e.visit(nil, func() { // else all have been freed
		for _, f := range games {
			if f.viewers--; f.viewers == 0 && e.followed[f.game] == f {
				delete(e.followed, f.game)
				e.pool.Watch(f.game, nil)
				e.owner.memory.release(followedBytes)
			}
		}
	})
}

// catchUp keeps the present positions of games that have come to rest.
func (e *environment) catchUp(games []*followed) {
	if slices.ContainsFunc(games, (*followed).isBehind) {
		_ = e.visit(time.After(lookTimeout), func() { // else it is not at rest
			for _, f := range games {
				e.pool.Match(f.game) // waits until it is at rest
				f.catchUp()
			}
		})
	}
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
func (e *environment) follow(game int) (*followed, error) {
	f := e.followed[game]
	if f == nil {
		if err := e.owner.memory.reserve(followedBytes, "", "the last positions of a game that is watched"); err != nil {
			return nil, err
		}
		f = &followed{env: e, game: game, feed: scene.Feed{Most: mostKept}}
		e.followed[game] = f
		e.pool.Watch(game, f)
	}
	f.viewers++
	return f, nil
}
