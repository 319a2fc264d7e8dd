package match

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"pommego/env"
)

// Player plays one seat in one game after the other. It belongs to one
// goroutine at a time.
type Player interface {
	// Name is what NewPlayer made it from.
	Name() string

	// Traits are what a match must know of it. They are always the same.
	Traits() Traits

	// Begin starts a new game. An error of the kind ErrAbsent means that the player is not
	// there, and one of the kind ErrVoid that it was there before; after any other error it is
	// still asked for moves. ctx ends when the time for it is over.
	Begin(ctx context.Context, g Start) error

	// Act writes the seat's action, which is all zeros when it is called. If it
	// returns an error, the action is ignored. It never writes after it has returned.
	// ctx ends at the limit for the move, if there is one.
	Act(ctx context.Context, m env.Match, seat int, action []uint8) (Cost, error)

	// End tells the player how its game went.
	End(ctx context.Context, r Outcome) error

	// Close ends the player and whatever it started.
	Close() error
}

// Traits are what a match must know of a player.
type Traits struct {
	Remote bool          // it plays outside this program, so that a clock limits its moves
	Limit  time.Duration // what Rules.Limit is unless it is given; if not 0, the player is always asked again
	Events bool          // it reads the events of Start.Tracker
	File   string        // the file that its name names, on which its moves depend; "": none
}

// ErrAbsent says that a player cannot be reached or started.
var ErrAbsent = errors.New("is not there to play")

// ErrVoid says that a game cannot be scored: the connection to a player has failed, and not the player.
var ErrVoid = errors.New("the game cannot be scored")

// Start is what a player is told when a game begins.
type Start struct {
	Seat int
	// Seed is the game's. Built-in agents derive their RNGs from it. Remote
	// players do not get it, since they could foresee the game with it.
	Seed   env.Seed
	Limit  time.Duration // the limit for a move; 0: none
	Memory int64         // the most bytes that a program may have in memory; 0: any number

	Tracker env.Tracker // follows the game, read-only; nil: events are unknown
}

// Cost is what a move cost besides time.
type Cost struct {
	Ticks   uint64  // moves that an agent that searches has simulated
	Answers Answers // of a language model
	Note    string  // what the player did in place of an answer; "": it answered
}

// Outcome is how a game went for one seat.
type Outcome struct {
	Result  env.Result
	Winners env.SeatSet
	Steps   int
	Reward  float64    // the seat's reward in the last step, by the game's own measure
	Counts  env.Counts // what the game counted for all seats, nil if it counts nothing
}

// Kinds are the kinds of players outside this program, by the form of their names. A package with another kind adds
// it when the program is initialised.
var Kinds = map[string]func(game env.Game, name string) (Player, error){
	"http://host:port": newHTTP, "exec:COMMAND": newExec, "library:PATH": newLibrary,
}

// Forms lists the forms of names of agents outside this program.
func Forms() string { return strings.Join(slices.Sorted(maps.Keys(Kinds)), ", ") }

// Outside reports whether a name is that of an agent outside this program.
func Outside(name string) bool { return kind(name) != "" }

// kind is the form of the names to which one belongs; "" for built-in agents.
func kind(name string) string {
	scheme, _, _ := strings.Cut(name, ":")
	for form := range Kinds {
		if of, _, _ := strings.Cut(form, ":"); scheme == of || scheme == of+"s" { // https gets the error of http
			return form
		}
	}
	return ""
}

// NewPlayer makes a player of game from its name: of one of Kinds, or a built-in agent. It must be closed.
func NewPlayer(game env.Game, name string) (Player, error) {
	if form := kind(name); form != "" {
		return Kinds[form](game, name)
	}
	agent, file, err := BuiltIn(game, name)
	if err != nil {
		return nil, fmt.Errorf("%w; or one of %s", err, Forms())
	}
	p := &builtIn{Local: Local(name), agent: agent, file: file}
	agent.StopOn(p)
	if w, ok := agent.(env.SearchReporter); ok {
		return searcher{p, w}, nil
	}
	return p, nil
}

// BuiltIn makes a built-in agent. It reads the file that the options name, if they name one, and returns its name.
func BuiltIn(game env.Game, name string) (agent env.Agent, file string, err error) {
	agent, err = game.NewAgent(name)
	if e, ok := errors.AsType[*env.FileError](err); ok {
		content, err := os.ReadFile(e.Path)
		if err != nil {
			return nil, "", fmt.Errorf("agent %q: %w; or one of %s", name, err, strings.Join(e.Names, ", "))
		}
		agent, err = e.Make(content)
		return agent, e.Path, err
	}
	return agent, "", err
}

// AtURL reports whether a name is the address of a server, which plays one seat at a time.
func AtURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// AtClient reports whether a name is that of an agent that a client of this program plays, "client:NAME".
func AtClient(name string) bool { return strings.HasPrefix(name, "client:") }

// Local is the name of a player in this program, with every method of Player except Act. A player outside embeds it
// too, and has methods of its own for what differs.
type Local string

// Name is the text itself.
func (l Local) Name() string { return string(l) }

// Traits are those of a player without a clock.
func (Local) Traits() Traits { return Traits{} }

// Begin does nothing.
func (Local) Begin(context.Context, Start) error { return nil }

// End does nothing.
func (Local) End(context.Context, Outcome) error { return nil }

// Close does nothing.
func (Local) Close() error { return nil }

// remote has what all players outside this program share.
type remote struct {
	Local
	game env.Game
	file string // see Traits
}

func (r *remote) Traits() Traits { return Traits{Remote: true, File: r.file} }

// builtIn is a built-in agent as a Player.
type builtIn struct {
	Local
	agent env.Agent
	file  string          // see Traits
	ctx   context.Context // the context of the current move; see Load
}

func (p *builtIn) Traits() Traits { return Traits{File: p.file} }

// Load returns true once the match has been ended, so that the agent ends its search: env.Flag.
func (p *builtIn) Load() bool { return p.ctx.Err() != nil }

func (p *builtIn) Begin(_ context.Context, g Start) error {
	p.agent.Reset(g.Seed.RNG(env.StreamAgents + uint64(g.Seat)))
	return nil
}

func (p *builtIn) Act(ctx context.Context, m env.Match, seat int, action []uint8) (Cost, error) {
	p.ctx = ctx
	p.agent.Act(m, seat, action)
	return Cost{Ticks: p.agent.Searched()}, ctx.Err() // an interrupted search has no move
}

// searcher is a built-in agent that reports its searches.
type searcher struct {
	*builtIn
	env.SearchReporter
}

// Players are the players of one goroutine, which play one game after the other. Seat makes them as
// they are needed. Close them after use.
type Players struct {
	Game env.Game
	made map[string][]Player // by name, as many as one game needed
}

// Seat gives each seat a player of its name, until the next call.
func (p *Players) Seat(names []string) ([]Player, error) {
	if p.made == nil {
		p.made = map[string][]Player{}
	}
	seats := make([]Player, len(names))
	used := map[string]int{}
	for seat, name := range names {
		if used[name] == len(p.made[name]) {
			player, err := NewPlayer(p.Game, name)
			if err != nil {
				return nil, err
			}
			p.made[name] = append(p.made[name], player)
		}
		seats[seat] = p.made[name][used[name]]
		used[name]++
	}
	return seats, nil
}

// Close closes all players.
func (p *Players) Close() error {
	var err error
	for _, all := range p.made {
		for _, player := range all {
			err = errors.Join(err, player.Close())
		}
	}
	clear(p.made)
	return err
}
