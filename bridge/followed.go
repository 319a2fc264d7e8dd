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
	// between is the time from one position that is kept to the next. Of games that
	// are stepped more often than anybody can see, the others are left out.
	between = 50 * time.Millisecond

	mostKept   = 256 // positions of a game
	mostMissed = 64  // events, the last, that are told with one of them

	// positionBytes is the most memory that a position takes with its events and thoughts, and
	// followedBytes what a game takes that is followed.
	positionBytes = 12 << 10
	followedBytes = mostKept * positionBytes
)

// followed is a game that has viewers: a vec.Watcher that keeps its last
// positions. Where it leaves steps out, what happened in them is told with the next that
// it keeps.
type followed struct {
	env  *environment
	game int
	last time.Time // when a viewer asked; the session's worker's own

	mu      sync.Mutex
	at      vec.LiveGame
	kept    []kept
	head    *scene.Head // of the episode
	episode int
	number  int
	acted   []uint8     // the last actions
	missed  []env.Event // since the last position that is kept
	behind  bool        // there have been steps since
	when    time.Time   // it was kept
	shown   int         // the number of the last thing that the client showed
	wanted  bool        // somebody wants what is between two looks, too
}

// kept is a position that can be viewed.
type kept struct {
	number, episode int
	head            *scene.Head
	step            scene.Step
}

// Begun begins another episode: vec.Watcher.
func (f *followed) Begun(at vec.LiveGame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	spec := at.Game.Spec()
	head := scene.HeadOf(spec, at.Match)
	head.Seed, head.Names = at.Seed.Value, at.Names
	for _, seat := range at.Learners {
		if head.Names[seat] == "" { // else an agent plays there in this episode
			head.Names[seat] = "learner"
		}
	}
	f.at, f.head, f.missed = at, &head, nil
	f.episode++
	f.shown = f.env.shown.last()
	f.keep(scene.Describe(spec, at.Match, at.Tracker, nil))
}

// Stepped keeps the position, or what happened until it: vec.Watcher.
func (f *followed) Stepped(actions []uint8) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acted = append(f.acted[:0], actions...)
	if !f.wanted {
		f.missed = f.missed[:0]
	}
	f.missed = append(f.missed, f.at.Tracker.Events()...)
	f.missed = slices.Delete(f.missed, 0, max(len(f.missed)-mostMissed, 0))
	f.behind = true
	due := f.wanted && (f.at.Match.Status().Over || time.Since(f.when) >= between)
	if shown := f.env.shown.last(); due || shown != f.shown {
		f.describe(shown)
	}
}

func (f *followed) isBehind() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.behind
}

// catchUp keeps the present position of a game at rest.
func (f *followed) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.behind {
		f.describe(f.shown) // what was shown since is for the next step
	}
}

// describe keeps the position after the last step. shown is the number of what the client
// had shown before it.
func (f *followed) describe(shown int) {
	spec := f.at.Game.Spec()
	s := scene.Describe(spec, f.at.Match, f.at.Tracker, f.acted)
	if s.Status.Over {
		f.missed = append(f.missed, env.EndEvent(f.at.Match.Status()))
	}
	s.Events = f.missed
	for _, seat := range f.kept[len(f.kept)-1].step.Status.In { // those who moved
		if t, ok := env.ThoughtOf(spec, seat, f.at.Agents[seat]); ok {
			s.Thoughts = append(s.Thoughts, t)
		}
	}
	if shown != f.shown {
		s.Thoughts = append(s.Thoughts, f.env.shown.thoughts(spec, f.at.Learners, f.game)...)
	}
	f.missed, f.shown = nil, shown
	f.keep(s)
}

func (f *followed) keep(s scene.Step) {
	f.number++
	if len(f.kept) == mostKept {
		f.kept = slices.Delete(f.kept, 0, mostKept/4)
	}
	f.kept = append(f.kept, kept{f.number, f.episode, f.head, s})
	f.behind, f.when = false, time.Now()
}

// since is what has been kept since an earlier look, of one episode; for present the last
// position alone. The end of an episode comes by itself, if it has not been
// seen yet and the next has only begun since.
func (f *followed) since(number int) *Look {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := &f.kept[len(f.kept)-1]
	look := &Look{Game: f.game, Head: *last.head, Episode: last.episode, Number: last.number}
	if number == present {
		look.Step = last.step
		return look
	}
	f.wanted = true
	unseen := f.kept[f.after(number):]
	if len(unseen) == 0 {
		return look
	}
	next := slices.IndexFunc(unseen, func(k kept) bool { return k.episode == last.episode })
	if next > 0 && number > 0 && unseen[0].episode == last.episode-1 {
		unseen = unseen[:next]
	} else {
		unseen = unseen[next:]
	}
	last = &unseen[len(unseen)-1]
	look.Head, look.Episode, look.Number = *last.head, last.episode, last.number
	var whole []scene.Step
	for i := range unseen {
		whole = append(whole, unseen[i].step)
	}
	look.Steps = scene.Patches(whole)
	return look
}

// after is the first place in kept of a number beyond another.
func (f *followed) after(number int) int {
	if number > f.number {
		return 0 // of an earlier time that the game was followed
	}
	at := slices.IndexFunc(f.kept, func(k kept) bool { return k.number > number })
	if at < 0 {
		return len(f.kept)
	}
	return at
}
