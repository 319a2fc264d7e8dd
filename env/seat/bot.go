// Package seat is what the games have in common besides their rules: matches made in
// blocks, bots with names and options, and agents that let a bot play a seat from its
// view alone.
//
// A game embeds a [Common], which gives it Spec, New and NewAgent, and hands it the
// [Roster] of its bots:
//
//	type Game struct {
//		seat.Common[Match, View, *Match]
//		rules Rules
//	}
//
//	var Roster = seat.Roster[View]{
//		seat.Static[View](),
//		seat.Plain("simple", func() seat.Bot[View] { return new(simple) }),
//		seat.Searching("mcts", search.Settings{Method: search.TreeSearch}, newSearcher),
//	}
//
// # Options
//
// A name may carry options after a colon, "name:key=value,key=value". The error for a
// name or a key that does not exist lists those that do. docs/games/pommerman.md
// describes the options of searches.
//
// With the option ticks a game can be repeated from its seed, with ms it cannot.
//
// # Concurrency
//
// A Roster and a Common are read-only once made, and safe for concurrent use. A bot belongs to
// one goroutine at a time; different bots share nothing but memory that is lent to them while they act.
package seat

import (
	"pommego/env"
	"pommego/env/saved"
	"pommego/env/search"
)

// Bot is an agent for one seat, written against its view V alone.
type Bot[V any] interface {
	// Reset empties the memory; rng is for the whole episode.
	Reset(rng env.RNG)
	// Reseed replaces the RNG and leaves the memory as it is.
	Reseed(rng env.RNG)
	// Act decides on the seat's action.
	Act(v *V, action []uint8)
	// Code writes or reads memory and RNG state. It reads into a bot that was Reset.
	saved.Coder
}

// Restore restores a bot from what saved.Append wrote. If it returns an error, the bot is as it was.
func Restore[V any](bot Bot[V], state []byte) error {
	return saved.Restore("state of an agent", state, bot, func() { bot.Reset(env.RNG{}) })
}

// Searcher is a Bot that plans by simulation. Its methods are those of [env.Agent].
type Searcher interface {
	Searched() uint64
	SearchBytes() int64
	StopOn(flag env.Flag)
}

// searcherOf returns the Searcher that a bot is; for other bots, one that never searches.
func searcherOf[V any](bot Bot[V]) Searcher {
	if s, ok := bot.(Searcher); ok {
		return s
	}
	return env.NoSearch{}
}

// Forgetful is embedded in bots that remember nothing but their RNG.
type Forgetful struct{ RNG env.RNG }

// Reset gives the bot an RNG for the episode.
func (a *Forgetful) Reset(rng env.RNG) { a.RNG = rng }

// Reseed replaces the RNG.
func (a *Forgetful) Reseed(rng env.RNG) { a.RNG = rng }

// Code writes or reads the RNG. It is not inlined, because it would allocate in the
// methods that the compiler makes for types that embed Forgetful.
//
//go:noinline
func (a *Forgetful) Code(c *saved.Codec) { saved.Numbers(c, &a.RNG.State) }

// Planner is embedded in bots that search: how they do it, and what they found for their last action.
type Planner struct {
	search.Settings
	search.Memo
}

// NewPlanner makes the planner of a bot that searches in states S.
func NewPlanner[S any](s search.Settings) Planner {
	return Planner{s, search.Memo{Bytes: search.Bytes[S](&s)}}
}

// Workspace is what a decision of such a bot needs: the game as it imagines it, and a searcher. Lend it with
// [search.Workspaces].
type Workspace[W, S any] struct {
	World W
	search.Searcher[S]
}

// static always makes choice 0, and remembers nothing.
type static[V any] struct{}

func (static[V]) Reset(env.RNG) {}

func (static[V]) Reseed(env.RNG) {}

func (static[V]) Act(_ *V, action []uint8) { clear(action) }

func (static[V]) Code(*saved.Codec) {}

// random draws each component of its action evenly.
type random[V any] struct {
	Forgetful
	choices func(v *V, component int) int
}

func (a *random[V]) Act(v *V, action []uint8) {
	for i := range action {
		action[i] = uint8(a.RNG.IntN(a.choices(v, i)))
	}
}

// Noisy adds the option noise to a kind of bot: the share of decisions in which it
// makes a random move, each with the same chance, instead of its own. Its memory goes
// on as if it had made its own move.
func Noisy[V any](k Kind[V], moves int) Kind[V] {
	create := k.Make
	k.Make = func(o *Options) Bot[V] {
		bot, share := create(o), 0.0
		if !Number(o, "noise", 0, 1, &share) {
			return bot
		}
		n := &noisy[V]{Bot: bot, Searcher: searcherOf(bot), share: share, moves: moves}
		if r, ok := bot.(env.SearchReporter); ok {
			return &noisyReporter[V]{n, r}
		}
		return n
	}
	return k
}

// noisy is a bot that makes a share of its moves at random.
type noisy[V any] struct {
	Bot[V]
	Searcher
	rng   env.RNG
	share float64
	moves int
	drawn bool // its last move was one of those
}

func (a *noisy[V]) Reset(rng env.RNG) {
	a.Bot.Reset(a.own(rng))
}

func (a *noisy[V]) Reseed(rng env.RNG) {
	a.Bot.Reseed(a.own(rng))
}

// own derives the RNG for the noise from the bot's RNG, and returns the latter unchanged.
func (a *noisy[V]) own(rng env.RNG) env.RNG {
	of := rng
	a.rng = env.RNG{State: ^of.Uint64()}
	return rng
}

func (a *noisy[V]) Act(v *V, action []uint8) {
	a.Bot.Act(v, action)
	if a.drawn = a.rng.Float64() < a.share; a.drawn {
		action[0] = uint8(a.rng.IntN(a.moves))
	}
}

func (a *noisy[V]) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	a.Bot.Code(c)
}

// noisyReporter is a noisy bot that reports the statistics behind the moves that it did not make at random.
type noisyReporter[V any] struct {
	*noisy[V]
	bot env.SearchReporter
}

func (a *noisyReporter[V]) SearchStatistics(visits []int32, values []float64) bool {
	return !a.drawn && a.bot.SearchStatistics(visits, values)
}
