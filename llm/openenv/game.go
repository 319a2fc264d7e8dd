package openenv

import (
	"crypto/sha256"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"pommego/arena/scene"
	"pommego/bridge"
	"pommego/env"
	"pommego/llm/dialogue"
	"pommego/llm/words"
)

// open is the name of an opponent that is another session.
const open = "open"

// game is one game, in some seats of which sessions play.
type game struct {
	options options           // with defaults, and without the fields that may be long
	rules   [sha256.Size]byte // a hash of the rules in the reset
	line    []string
	game    env.Game
	words   *words.Writer
	record  *dialogue.Record
	lease   *bridge.Lease

	fault   func(value any, stack []byte) // notes a panic
	failed  chan struct{}                 // closed after a panic, which ends the game
	started atomic.Bool                   // every seat has a session or a stand-in
	over    atomic.Bool                   // the game has ended, or all sessions have left

	mu       sync.Mutex // released between ticks
	sessions int        // how many have not left
	match    env.Match
	tracker  env.Tracker
	agents   []env.Agent // by seat: the agent that plays it while no session does; nil: it only stops then
	seats    []*seat     // by seat; nil: no session plays it
	actions  []uint8     // the actions of the coming tick, and after it of the last; nil before the first
	waited   int         // the tick whose time limit runs; -1: none
	before   env.SeatSet // the seats that were in when the last tick began
}

// seat is a session's place in a game. The game's mutex guards the fields that change.
type seat struct {
	*dialogue.Seat
	turn    *dialogue.Turn // the turn that its last view began; nil: none, or turns are not recorded
	prompt  *string        // its own prompt, until it has been sent
	played  []byte         // its actions since the last reply
	ready   bool           // it has an action for the coming tick
	unpaid  float64        // reward since the last reply
	done    bool
	replies chan observation // a buffer of one
}

// places counts the open seats of a line-up.
func places(line []string) (n int) {
	for _, name := range line {
		if name == open {
			n++
		}
	}
	return n
}

// begin starts the game, with built-in agents in the seats that no session has taken. mu is held.
func (g *game) begin() {
	if g.over.Load() || g.started.Swap(true) {
		return
	}
	defer g.guard()
	seed := env.Seed{Value: *g.options.Seed}
	for n, a := range g.agents {
		if a != nil {
			a.Reset(seed.RNG(env.StreamAgents + uint64(n)))
		}
	}
	g.play(false)
}

// take takes an answer for a session's seat.
func (g *game) take(s *seat, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.done { // the seat's game ended while the answer was on its way
		step := g.look()
		g.reply(s, &step)
		return
	}
	in := g.match.Status().In.Has(s.Number)
	if s.turn == nil && g.record != nil && in { // the client did not wait for the last reply, so no turn has begun
		step, talk := g.look(), *s.Seat
		view, _ := s.View(&step)
		s.turn, *s.Seat = s.Turn(&step, dialogue.Message{Role: "user", Content: view}), talk
	}
	counts := s.Counts
	if s.Take(text); !in {
		s.Counts = counts // its answers play nothing
	}
	if s.turn != nil {
		s.turn.Answer, s.turn.Reading = &text, s.Last.Reading
		g.record.Turn(s.Number, s.turn)
		s.turn = nil
	}
	g.play(false)
}

// play makes ticks until one needs an answer that has not come. With late it makes the first
// tick without missing answers. mu is held.
func (g *game) play(late bool) {
	defer g.guard()
	for g.started.Load() && !g.over.Load() && !g.lease.Load() && g.hasSessions() {
		step := g.look()
		waits, asked, in := false, false, g.match.Status().In
		for _, s := range g.seats {
			if s == nil {
				continue
			}
			if s.See(&step); !in.Has(s.Number) {
				continue
			}
			if !s.ready && s.Holds {
				if s.ready = !s.Act(&step, g.action(s.Number)); !s.ready {
					g.reply(s, &step) // its answer has no action left for the coming tick
				}
			}
			waits, asked = waits || s.ready, asked || !s.ready
		}
		if asked && !late {
			if waits {
				g.wait()
			}
			return
		}
		late = false
		g.tick()
		g.mu.Unlock() // lets other sessions leave or look
		g.mu.Lock()
	}
}

// guard, deferred, ends the game after a panic. It also runs where no request would answer that: in timers, and when a
// session leaves. mu is held.
func (g *game) guard() {
	if v := recover(); v != nil {
		g.fault(v, debug.Stack())
		g.over.Store(true)
		close(g.failed)
	}
}

// hasSessions reports whether a session still takes part in the game.
func (g *game) hasSessions() bool {
	return slices.ContainsFunc(g.seats, func(s *seat) bool { return s != nil && !s.done })
}

// action is the part of the coming tick's actions that belongs to a seat.
func (g *game) action(n int) []uint8 {
	width := len(g.words.Head.Actions)
	return g.actions[n*width:][:width]
}

// wait starts the time limit of a tick. After it the tick is made without the answers that are missing.
func (g *game) wait() {
	steps := g.match.Status().Steps
	if g.waited == steps {
		return
	}
	g.waited = steps
	g.lease.After(seconds(*g.options.MoveTimeout), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.waited == steps && g.match.Status().Steps == steps {
			g.waited = -1
			g.play(true)
		}
	})
}

// tick makes a tick, with stop for seats that have no action.
func (g *game) tick() {
	status := g.match.Status()
	for n, a := range g.agents {
		s := g.seats[n]
		if s != nil && s.ready {
			continue
		}
		clear(g.action(n))
		if s == nil && a != nil && status.In.Has(n) {
			a.Act(g.match, n, g.action(n))
		}
	}
	if g.lease.Load() {
		return // agents whose search was interrupted have no valid actions, and nothing counts
	}
	for _, s := range g.seats {
		switch {
		case s == nil:
			continue
		case s.ready:
			s.ready = false
		case status.In.Has(s.Number):
			s.Late()
		}
		if !s.done {
			s.played = append(s.played, g.action(s.Number)...)
		}
	}
	g.before = status.In
	g.tracker.Step(g.match, g.actions)
	g.lease.Stepped()
	g.record.Step(status.In, g.actions)
	g.pay()
}

// pay gives seats their outcome once it is known, and replies to those for which the game is over.
func (g *game) pay() {
	status := g.match.Status()
	if status.Over {
		g.over.Store(true)
		g.record.End() // the Log has logged any error
	}
	outcome := make([]float64, len(g.seats))
	g.match.Outcome(outcome)
	for n, s := range g.seats {
		if s == nil || s.done || !status.Over && !status.Decided.Has(n) {
			continue
		}
		s.done = true
		s.unpaid += outcome[n]
		if s.Holds {
			step := g.look()
			g.reply(s, &step)
		}
	}
}

func (g *game) look() scene.Step {
	actions := g.actions
	if g.match.Status().Steps == 0 {
		actions = nil
	}
	return scene.Describe(g.game.Spec(), g.match, g.tracker, actions)
}

// reply replies to a seat's answer with what the seat sees.
func (g *game) reply(s *seat, step *scene.Step) {
	s.Holds = false
	s.replies <- g.observe(s, step, false)
}

// leave ends a session's part in the game. The stand-in that the reset named then plays its seat. It reports
// whether the session was the last.
func (g *game) leave(s *seat) (last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats[s.Number] = nil
	g.record.Turn(s.Number, nil)
	g.sessions--
	if last = g.sessions == 0; last {
		if g.over.Store(true); g.started.Load() {
			g.record.End()
		}
		g.lease.Release()
	} else if g.started.Load() {
		g.play(false)
	}
	return last
}

// drop ends a seat's answer if its client has gone. Ticks that were made stay.
func (g *game) drop(s *seat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.ready { // the tick of this action has not been made
		s.Last.Ticks--
	}
	s.Holds, s.ready = false, false
}

// replyOut replies to a seat that is out and waits for the end of the game.
func (g *game) replyOut(s *seat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.Holds && !g.match.Status().In.Has(s.Number) {
		step := g.look()
		g.reply(s, &step)
	}
}
