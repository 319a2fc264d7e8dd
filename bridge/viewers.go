package bridge

import (
	"errors"
	"slices"
	"time"

	"pommego/arena/scene"
)

var errNotLive = errors.New("the environment has not been reset")

// visit lets the session's worker call f between two requests, when no game is being stepped. It waits for that
// until late, if that is not nil, or until the environment is gone. If it returns an error, f was not called.
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

// admitVisit makes a visit if one is waiting. The worker calls it before each request.
func (s *session) admitVisit() {
	select {
	case visit := <-s.visits:
		visit()
	default:
	}
}

// begin starts to follow games for one more viewer; for nil, one game in which a
// learner plays. It follows as many of them as there is memory for. end undoes it.
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
	_ = e.visit(nil, func() { // if it fails, the environment has freed all
		for _, f := range games {
			if f.viewers--; f.viewers == 0 && e.followed[f.game] == f {
				delete(e.followed, f.game)
				e.pool.Watch(f.game, nil)
				e.owner.memory.release(e.followedBytes)
			}
		}
	})
}

// catchUp keeps the present positions of games that have come to rest.
func (e *environment) catchUp(games []*followed) {
	if slices.ContainsFunc(games, (*followed).isBehind) {
		_ = e.visit(time.After(lookTimeout), func() { // if it fails, no game is at rest
			for _, f := range games {
				e.pool.Match(f.game) // waits until the game is at rest
				f.catchUp()
			}
		})
	}
}

// living returns a game in which a learner plays, if there is one.
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

// follow starts to follow a game for one more viewer.
func (e *environment) follow(game int) (*followed, error) {
	f := e.followed[game]
	if f == nil {
		if err := e.owner.memory.reserve(e.followedBytes, "", "watching a game"); err != nil {
			return nil, err
		}
		f = &followed{env: e, game: game, feed: scene.Feed{Most: mostKept}}
		e.followed[game] = f
		e.pool.Watch(game, f)
	}
	f.viewers++
	return f, nil
}
