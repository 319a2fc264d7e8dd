package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
)

// Recorded is a game that a client has played, with agents of its own against
// built-in ones without a limit in time. It holds the actions of the client's
// agents. Those of the built-in agents follow from the seed, so Record plays
// the game again.
type Recorded struct {
	Agents []string `json:"agents"` // by seat
	// Actions has a byte for each step, seat of the client's agents, and
	// component, in this order.
	Actions []byte `json:"actions"`
	// Extra has, for each of Config.Extra by its name, the array of each step and
	// seat of the client's agents.
	Extra   map[string][]byte `json:"extra"`
	Winners uint16            `json:"winners"` // one bit per seat
}

// Record makes a data set of c.Games games that a client has played, in a new folder. In c.Agents
// the client's agents are called "client:NAME". Record calls next for each game, in the order of
// their seeds: game i has seed c.Seed + i, episode 0. It does not call next if the configuration is
// wrong or the folder is not free. Like [Merge] it cannot continue what was interrupted.
func Record(ctx context.Context, game env.Game, c Config, folder string, o Options,
	next func() (*Recorded, error)) (*Manifest, error) {
	c.Seating = ByClient
	p, err := newPlan(game, c, o)
	if err != nil {
		return nil, err
	}
	c = p.config
	a, err := begin(p, folder, o)
	if err != nil {
		return nil, err
	}
	players := match.Players{Game: game}
	for number := 0; number < c.Games && err == nil; number++ {
		var recorded *Recorded
		if recorded, err = next(); err != nil {
			err = fmt.Errorf("the client ended after %d of %d games: %w", number, c.Games, err)
			break
		}
		var e *Episode
		if e, err = c.playAgain(ctx, &players, number, recorded); err != nil {
			err = fmt.Errorf("game %d (seed %d): %w", number, c.seed(number).Value, err)
			break
		}
		err = a.add(e)
	}
	return a.conclude(errors.Join(err, players.Close()))
}

// playAgain plays a client's game, in which built-in agents decide again. It returns an error if the game
// does not end as the client says.
func (c *Config) playAgain(ctx context.Context, p *match.Players, game int, r *Recorded) (*Episode, error) {
	spec := p.Game.Spec()
	unknown := func(name string) bool { return !slices.Contains(c.Agents, name) }
	if len(r.Agents) != spec.Seats || slices.ContainsFunc(r.Agents, unknown) {
		return nil, fmt.Errorf("the client seats agents %q, want %d of %q", r.Agents, spec.Seats, c.Agents)
	}
	script := &script{Local: "client:", Recorded: r, extra: c.Extra}
	for seat, name := range r.Agents {
		if match.AtClient(name) {
			script.seats = append(script.seats, seat)
		}
	}
	theirs := len(script.seats)
	parts := len(spec.Actions)
	if theirs == 0 || len(r.Actions) == 0 || len(r.Actions)%(theirs*parts) != 0 {
		return nil, fmt.Errorf("the client sent %d bytes of actions of %d seats with %d components",
			len(r.Actions), theirs, parts)
	}
	for i, a := range r.Actions {
		if c := &spec.Actions[i%parts]; int(a) >= c.N {
			return nil, fmt.Errorf("the client's action %d is %d for %s, want 0 to %d", i/parts, a, c.Name, c.N-1)
		}
	}
	steps := len(r.Actions) / (theirs * parts)
	for i := range c.Extra {
		x := &c.Extra[i]
		if got, want := len(r.Extra[x.Name]), steps*theirs*x.size(); got != want {
			return nil, fmt.Errorf("the client sent %d bytes of array %q, want %d", got, x.Name, want)
		}
	}
	e, err := c.play(ctx, p, game, r.Agents, script)
	if err != nil {
		return nil, err
	}
	e.Decisions = append(e.Decisions, script.decisions...)
	slices.SortStableFunc(e.Decisions, func(a, b ledger.Decision) int {
		return cmp.Or(a.Step-b.Step, a.Seat-b.Seat)
	})
	var winners env.SeatSet
	for seat, result := range e.Results {
		if result == env.Won {
			winners = winners.With(seat)
		}
	}
	if e.Steps != steps || winners != env.SeatSet(r.Winners) {
		return nil, fmt.Errorf("played again, the client's game comes out differently: after %d steps seats %v have won, "+
			"the client says %v after %d", e.Steps, winners.List(), env.SeatSet(r.Winners).List(), steps)
	}
	return e, nil
}

// script is a player that repeats what a client's agents did in a game.
type script struct {
	match.Local
	*Recorded
	seats []int // the seats of the client's agents
	extra []Extra

	decisions []ledger.Decision // what the client reported of the actions so far
}

// Act plays choice 0 once the script has ended, which playAgain notices.
func (s *script) Act(_ context.Context, m env.Match, seat int, action []uint8) (match.Cost, error) {
	d := ledger.Decision{Step: m.Status().Steps, Seat: seat, Arrays: map[string][]byte{}}
	at := d.Step*len(s.seats) + slices.Index(s.seats, seat) // the place among all actions of the script
	if at*len(action) < len(s.Actions) {
		copy(action, s.Actions[at*len(action):])
	}
	for i := range s.extra {
		x := &s.extra[i]
		if n := x.size(); (at+1)*n <= len(s.Extra[x.Name]) {
			d.Arrays[x.Name] = s.Extra[x.Name][at*n:][:n]
		}
	}
	if len(s.extra) > 0 {
		s.decisions = append(s.decisions, d)
	}
	return match.Cost{}, nil
}
