package seat

import (
	"errors"
	"sync"
	"time"

	"pommego/env"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// Match is a game's match M: an env.Match that can show a seat what it may know.
// Matches are plain values, so that assignment copies them.
type Match[M, V any] interface {
	*M
	env.Match
	// View fills v with what seat may know.
	View(seat int, v *V)
}

// Common is embedded in every game and is the part of an env.Game that is the same in
// all: its description, its matches of type M, and the agents that see a seat's view V.
// Describe and Open must be called before it is used.
type Common[M, V any, P Match[M, V]] struct {
	spec  env.Spec
	blank M
	bots  Roster[V]

	// views lends views to agents while they act: one view for each agent would push the
	// games out of the processor's cache.
	views sync.Pool
}

// Describe sets the game's description, except its name, and the state in which new matches
// begin. After that one can play and observe. The global state is the same for all seats.
func (b *Common[M, V, P]) Describe(spec env.Spec, blank M) {
	b.spec, b.blank = spec, blank
	for i := range b.spec.State {
		b.spec.State[i].Shared = true
	}
	b.spec.RuleMeanings = ruleset.Meanings(spec.Rules)
	b.views.New = func() any { return new(V) }
}

// Open sets the game's name and its bots. Then one can also make agents.
func (b *Common[M, V, P]) Open(id, description string, bots Roster[V]) {
	b.spec.ID, b.spec.Description = id, description
	b.spec.Agents, b.spec.AgentVersions = bots.Names(), bots.Versions()
	b.bots = bots
}

// Spec describes the game.
func (b *Common[M, V, P]) Spec() *env.Spec { return &b.spec }

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

// Copy sets a match to another one and its rules: see env.Game.
func (b *Common[M, V, P]) Copy(to, from env.Match) { *to.(P) = *from.(P) }

// NewTrackers makes n trackers that count nothing.
func (b *Common[M, V, P]) NewTrackers(n int, _ bool) []env.Tracker { return env.Untracked(n) }

// Clock returns 0: the game has no clock of its own.
func (b *Common[M, V, P]) Clock() (limit, giveUp time.Duration) { return 0, 0 }

// Endings returns the endings of a game that pays by its winners alone: [env.Outcome].
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

// agent is a Bot as an env.Agent. It shows the bot its seat's view and nothing else. Only a bot
// that has Know gets the match first, and looks at it only if an option in its name says so.
type agent[M, V any, P Match[M, V]] struct {
	Bot[V]
	Searcher
	game *Common[M, V, P]
	know func(m P) // the bot's Know; nil: it has none
}

func (a *agent[M, V, P]) Waits() bool { return false }

func (a *agent[M, V, P]) Act(m env.Match, seat int, action []uint8) {
	if a.know != nil {
		a.know(m.(P))
	}
	v := a.game.views.Get().(*V)
	m.(P).View(seat, v)
	a.Bot.Act(v, action)
	a.game.views.Put(v)
}

func (a *agent[M, V, P]) Append(dst []byte) []byte { return saved.Append(dst, a.Bot) }

func (a *agent[M, V, P]) Restore(state []byte) error { return Restore(a.Bot, state) }

// reporter is an agent whose bot reports the statistics behind its choice.
type reporter[M, V any, P Match[M, V]] struct {
	*agent[M, V, P]
	env.SearchReporter
}

// EventLog is embedded in an env.Tracker. It keeps what happened in a step.
type EventLog struct {
	Wanted bool // events are to be kept
	events []env.Event
}

// Events returns what happened in the last step, in order.
func (l *EventLog) Events() []env.Event { return l.events }

// StartStep forgets the events of the last step, and returns Wanted.
func (l *EventLog) StartStep() bool {
	l.events = l.events[:0]
	return l.Wanted
}

// Note adds an event, if events are wanted.
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
