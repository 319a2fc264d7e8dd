package bridge

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pommego/arena/scene"
)

var errNotLive = errors.New("the environment has not been reset")

// visit lets the session's worker call f between two requests, when no game is being stepped. It waits for that
// until late, if that is not nil, or until the environment is gone. If it returns an error, f was not called or
// has panicked.
func (e *environment) visit(late <-chan time.Time, f func()) error {
	done := make(chan error, 1)
	select {
	case e.owner.visits <- func() { done <- e.owner.guard(f) }:
		return <-done
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
// learner plays. It follows as many of them as there is memory for, but no broken ones. end undoes it.
func (e *environment) begin(games []int) (all []*followed, err error) {
	visited := e.visit(time.After(lookTimeout), func() {
		if !e.running.Load() {
			err = errNotLive
			return
		}
		if games == nil {
			games = []int{e.living()}
		}
		for _, game := range games {
			var f *followed
			if f, err = e.follow(game); err == nil {
				all = append(all, f)
			}
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
				e.owner.memory.release(e.followedBytes)
				e.pool.Watch(f.game, nil)
			}
		}
	})
}

// catchUp keeps the present positions of games that have come to rest.
func (e *environment) catchUp(games []*followed) {
	if slices.ContainsFunc(games, (*followed).isBehind) {
		_ = e.visit(time.After(lookTimeout), func() { // if it fails, no game is at rest
			for _, f := range games {
				if !e.pool.Broken(f.game) { // now it is at rest
					f.catchUp()
				}
			}
		})
	}
}

// living returns a game in which a learner plays, if there is one.
func (e *environment) living() int {
	for game := range e.pool.Games() {
		at := e.pool.LiveGame(game)
		plays := func(seat uint8) bool { return at.Match.Status().In.Has(int(seat)) }
		if !e.pool.Broken(game) && slices.ContainsFunc(at.Learners, plays) {
			return game
		}
	}
	return 0
}

// follow starts to follow a game for one more viewer.
func (e *environment) follow(game int) (*followed, error) {
	f := e.followed[game]
	if f == nil {
		if e.pool.Broken(game) {
			return nil, fmt.Errorf("game %d has failed, and its client has not reset it", game)
		}
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
