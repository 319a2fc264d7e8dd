package bridge

import (
	"slices"
	"sync"
	"time"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/vec"
)

const (
	// between is the least time from one position that is kept to the next. If a game is
	// stepped faster than anybody can see, the positions in between are left out.
	between = 50 * time.Millisecond

	mostKept    = 128 // the most positions kept of a game
	mostMissed  = 64  // the most events that one position shows, the last ones
	mostReached = 512 // the most cells that the bombs of one position reach in all; of more none are kept
)

// followedBytes is the most memory that a followed game takes: positions with their events and thoughts, an episode
// that is under way, and the last one.
func followedBytes(p *vec.Pool) int64 {
	spec, stage := p.Spec(), p.Match(0).Stage()
	position := 8<<10 + stage.Rows*stage.Cols*(spec.Seats+32) + 16*spec.Seats*spec.MaskSize()
	return int64(mostKept*position + 2*episodeBytes)
}

// followed is a game that has viewers: a vec.Watcher that keeps its last positions. If
// it leaves steps out, the next position that it keeps also has their events and rewards.
type followed struct {
	env     *environment
	game    int
	viewers int // only the session's worker uses it

	mu     sync.Mutex
	feed   scene.Feed
	at     vec.LiveGame
	acted  []uint8     // the actions of the last step
	missed []env.Event // events since the last position that is kept
	paid   []float64   // by seat: the rewards of the last step
	gained []float64   // by seat: the rewards since the position that is kept
	behind bool        // whether there have been steps since that position
	when   time.Time   // when that position was kept
	shown  int         // the number of the last thing that the client showed
	played *episode
}

// Begun notes that another episode begins: vec.Watcher.
func (f *followed) Begun(at vec.LiveGame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	spec := at.Game.Spec()
	head := scene.HeadOf(spec, at.Match)
	head.Seed, head.Names = at.Seed.Value, at.Names
	for _, seat := range at.Learners {
		if head.Names[seat] == "" { // a learner; else an agent plays there in this episode
			head.Names[seat] = "learner"
		}
	}
	at.Learners = slices.Clone(at.Learners) // plays reads them while the next episode's are dealt
	f.at, f.missed = at, nil
	f.paid, f.gained = make([]float64, spec.Seats), make([]float64, spec.Seats)
	f.shown = f.env.shown.Load().number
	f.feed.Begin(head, at.Match)
	f.played = &episode{game: at.Game, head: head, start: at.Match.Append(nil)}
	f.keep(scene.Describe(spec, at.Match, at.Tracker, nil))
}

// Stepped keeps the position, or, if it comes too soon, its events and rewards: vec.Watcher.
func (f *followed) Stepped(actions []uint8) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acted = append(f.acted[:0], actions...)
	f.missed = append(f.missed, f.at.Tracker.Events()...)
	f.missed = slices.Delete(f.missed, 0, max(len(f.missed)-mostMissed, 0))
	f.at.Match.Rewards(f.paid)
	for seat, reward := range f.paid {
		f.gained[seat] += reward
	}
	f.behind = true
	over := f.at.Match.Status().Over
	if p := f.played; len(p.actions)+len(actions) <= mostActions {
		if p.actions = append(p.actions, actions...); over {
			f.env.over.Store(p)
		}
	}
	due := over || time.Since(f.when) >= between
	if shown := f.env.shown.Load(); due || shown.number != f.shown {
		f.describe(shown)
	}
}

// isBehind reports whether the game has come to rest at a position that is not kept.
func (f *followed) isBehind() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.behind && time.Since(f.when) >= 2*between
}

// catchUp keeps the present position of a game at rest.
func (f *followed) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.behind {
		f.describe(&shown{number: f.shown}) // what the client has shown since is about the next step
	}
}

// describe keeps the position after the last step. shown is the last thing that the client had
// shown before that step.
func (f *followed) describe(shown *shown) {
	spec := f.at.Game.Spec()
	s := scene.Describe(spec, f.at.Match, f.at.Tracker, f.acted)
	if s.Status.Over {
		f.missed = append(f.missed, env.EndEvent(f.at.Match.Status()))
	}
	s.Events = f.missed
	moved := f.feed.Last().Status.In
	for _, seat := range moved {
		if t, ok := env.ThoughtOf(spec, seat, f.at.Agents[seat]); ok {
			s.Thoughts = append(s.Thoughts, t)
		}
	}
	if shown.number != f.shown {
		own := f.at.Learners[:len(f.at.Learners)-f.env.pool.Policies()]
		s.Thoughts = append(s.Thoughts, shown.thoughts(spec, own, f.game, moved)...)
	}
	s.Rewards, f.gained = f.gained, s.Rewards
	clear(f.gained)
	f.missed, f.shown = nil, shown.number
	f.keep(s)
}

func (f *followed) keep(s scene.Step) {
	f.feed.Add(s, f.at.Match)
	f.feed.Last().DropReach(mostReached)
	f.behind, f.when = false, time.Now()
}

// news returns the lines that a viewer was not sent yet.
func (f *followed) news(v *scene.Viewer) []scene.Line {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.feed.News(v, scene.Whole)
}

// plays reports whether a learner plays, or the game is over.
func (f *followed) plays() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	status := f.feed.Last().Status
	learns := func(seat int) bool { return slices.Contains(f.at.Learners, uint8(seat)) }
	return status.Over || slices.ContainsFunc(status.In, learns)
}
