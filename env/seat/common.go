package seat

import (
	"errors"
	"sync"
	"time"

	"pommego/env"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// Match is a game's match M: an env.Match that shows a seat what it may know.
// Matches are plain values, so that assignment copies them.
type Match[M, V any] interface {
	*M
	env.Match
	// View fills v with what seat may know.
	View(seat int, v *V)
}

// Common is the part of an env.Game that is the same in every game, to be
// embedded: its description, its matches of type M, and the agents that see a
// seat's view V. Describe and Open it before it is used.
type Common[M, V any, P Match[M, V]] struct {
	spec  env.Spec
	blank M
	bots  Roster[V]

	// views are lent to agents while they act: one for each agent would push
	// the games out of the processor's cache.
	views sync.Pool
}

// Describe sets the game's description, except its name, and the state in which new matches
// begin: with these one can play and observe. The global state is the same for all seats.
func (b *Common[M, V, P]) Describe(spec env.Spec, blank M) {
	b.spec, b.blank = spec, blank
	for i := range b.spec.State {
		b.spec.State[i].Shared = true
	}
	b.spec.RuleMeanings = ruleset.Meanings(spec.Rules)
	b.views.New = func() any { return new(V) }
}

// Open sets the game's name and its bots.
func (b *Common[M, V, P]) Open(id, description string, bots Roster[V]) {
	b.spec.ID, b.spec.Description = id, description
	b.spec.Agents, b.spec.AgentVersions = bots.Names(), bots.Versions()
	b.bots = bots
}

// Spec describes the game.
func (b *Common[M, V, P]) Spec() *env.Spec { return &b.spec }

// Lend lends a view. The caller gives it back with GiveBack.
func (b *Common[M, V, P]) Lend() *V { return b.views.Get().(*V) }

// GiveBack takes back what was lent.
func (b *Common[M, V, P]) GiveBack(v *V) { b.views.Put(v) }

// New makes n matches in one block of memory.
func (b *Common[M, V, P]) New(n int) []env.Match {
	block := make([]M, n)
	all := make([]env.Match, n)
	for i := range block {
		block[i] = b.blank
		all[i] = P(&block[i])
	}
	return all
}

// Renew changes the rules of a match to those of this game: see env.Game.
func (b *Common[M, V, P]) Renew(m env.Match) { *m.(P) = b.blank }

// NewTrackers makes n trackers that count nothing.
func (b *Common[M, V, P]) NewTrackers(n int, _ bool) []env.Tracker { return env.Untracked(n) }

// Clock is 0: a game without a clock of its own.
func (b *Common[M, V, P]) Clock() (limit, giveUp time.Duration) { return 0, 0 }

// Endings are those of a game whose winners alone decide what it pays: [env.Outcome].
func (b *Common[M, V, P]) Endings() []env.Ending {
	return []env.Ending{
		{Ending: "it is among the winners", Result: env.Won, Outcome: 1},
		{Ending: "others win", Result: env.Lost, Outcome: -1},
		{Ending: "nobody wins", Result: env.Tied, Outcome: 0},
	}
}

// NewAgent makes a built-in agent.
func (b *Common[M, V, P]) NewAgent(name string) (env.Agent, error) { return b.newAgent(name, nil) }

func (b *Common[M, V, P]) newAgent(name string, file []byte) (env.Agent, error) {
	bot, err := b.bots.newBot(name, file)
	if e, ok := errors.AsType[*env.FileError](err); ok {
		e.Make = func(content []byte) (env.Agent, error) { return b.newAgent(name, content) }
	}
	if err != nil {
		return nil, err
	}
	a := &agent[M, V, P]{bot, searcherOf(bot), b, nil}
	if k, ok := bot.(interface{ Know(m P) }); ok {
		a.know = k.Know
	}
	if r, ok := bot.(env.SearchReporter); ok {
		return &reporter[M, V, P]{a, r}, nil
	}
	return a, nil
}

// agent makes an env.Agent of a Bot. It shows the bot its seat's view and nothing else; only a bot
// that can Know the match is given it first, and looks at it if an option in its name says so.
type agent[M, V any, P Match[M, V]] struct {
	Bot[V]
	Searcher
	game *Common[M, V, P]
	know func(m P) // nil: it cannot
}

func (a *agent[M, V, P]) Waits() bool { return false }

func (a *agent[M, V, P]) Act(m env.Match, seat int, action []uint8) {
	if a.know != nil {
		a.know(m.(P))
	}
	v := a.game.Lend()
	m.(P).View(seat, v)
	a.Bot.Act(v, action)
	a.game.GiveBack(v)
}

func (a *agent[M, V, P]) Append(dst []byte) []byte { return saved.Append(dst, a.Bot) }

func (a *agent[M, V, P]) Restore(state []byte) error { return Restore(a.Bot, state) }

// reporter is an agent whose bot reports what it chose by.
type reporter[M, V any, P Match[M, V]] struct {
	*agent[M, V, P]
	env.SearchReporter
}

// EventLog is the part of an env.Tracker that keeps what happened in a step, to be
// embedded.
type EventLog struct {
	Wanted bool // events are to be kept
	events []env.Event
}

// Events are what happened in the last step, in order.
func (l *EventLog) Events() []env.Event { return l.events }

// StartStep forgets the events of the last step, and returns Wanted.
func (l *EventLog) StartStep() bool {
	l.events = l.events[:0]
	return l.Wanted
}

// Note adds an event, if anyone wants to know.
func (l *EventLog) Note(kind env.EventKind, seat int, by env.SeatSet, at env.Place, what string) {
	if l.Wanted {
		l.events = append(l.events, env.Event{Kind: kind, Seat: seat, By: by, At: at, What: what})
	}
}

// NewTrackers makes n trackers in one block of memory, each a copy of blank:
// env.Game.
func NewTrackers[T any, P interface {
	*T
	env.Tracker
}](n int, blank T) []env.Tracker {
	block, all := make([]T, n), make([]env.Tracker, n)
	for i := range block {
		block[i] = blank
		all[i] = P(&block[i])
	}
	return all
}
