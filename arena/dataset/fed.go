package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pommego/env"
)

// Fed is a game that a client has played, with agents of its own against
// built-in ones. It holds the actions of the client's agents: the rest follows from
// the seed, and is played again here. With the seat's agents named "client:NAME"
// in Config.Agents and Config.Seating told, Generate keeps such games.
type Fed struct {
	Game   int      // its number in the data set; its seed is Config.Seed + Game, its episode 0
	Agents []uint16 // by seat, indices into Config.Agents
	// Actions has a byte for each step, seat of an agent of the client's, and
	// component, in this order.
	Actions []byte
	// Extra has, for each array of Config.Extra one after the other, the array of each
	// step and seat of an agent of the client's.
	Extra   []byte
	Result  env.Result
	Winners env.SeatSet
}

// errFed says that a client's game comes out differently here.
var errFed = errors.New("played again, the client's game comes out differently")

// reportMissing calls Options.Missing with the games that are wanted.
func (g *generation) reportMissing() error {
	if g.options.Fed == nil {
		return errors.New("dataset: agents that a client serves, and no client: Options.Fed is nil")
	}
	var missing []int
	g.mu.Lock()
	defer g.mu.Unlock()
	for game := range g.plan.config.Games {
		k := game / g.plan.config.FileGames
		for k >= len(g.shards) {
			if err := g.addShard(); err != nil {
				return err
			}
		}
		if !g.shards[k].has(game) {
			missing = append(missing, game)
		}
	}
	g.fed = len(missing)
	if g.options.Missing != nil {
		g.options.Missing(missing)
	}
	return nil
}

// playFed takes a game from the client, whichever comes.
func (g *generation) playFed(ctx context.Context, p *player) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case fed, ok := <-g.options.Fed:
		if !ok {
			return fmt.Errorf("%w: the client ended after %d of %d games", ErrStopped, g.games(), g.plan.config.Games)
		}
		begun := time.Now()
		if fed.Game < 0 || fed.Game >= g.plan.config.Games || g.known(fed.Game) {
			return fmt.Errorf("the client has played game %d, which is not wanted", fed.Game)
		}
		e, err := p.play(ctx, fed.Game, &fed)
		if err != nil {
			return err
		}
		return g.played(e, begun)
	}
}

func (g *generation) games() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at.Games
}

// known reports whether a game has been played already.
func (g *generation) known(game int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shards[game/g.plan.config.FileGames].has(game)
}

// playAgain plays a client's game again, the seats of the client's agents by what
// they did there.
func (p *player) playAgain(ctx context.Context, e *Episode, fed *Fed) error {
	spec := p.game.Spec()
	if len(fed.Agents) != spec.Seats || slices.ContainsFunc(fed.Agents, func(a uint16) bool { return int(a) >= len(p.config.Agents) }) {
		return fmt.Errorf("the client seats agents %v, want %d numbers below %d", fed.Agents, spec.Seats, len(p.config.Agents))
	}
	copy(e.Agents, fed.Agents)
	theirs := 0
	for _, index := range e.Agents {
		theirs += int(toByte(atClient(p.config.Agents[index])))
	}
	parts := len(spec.Actions)
	if theirs == 0 || len(fed.Actions) == 0 || len(fed.Actions)%(theirs*parts) != 0 {
		return fmt.Errorf("the client sent %d bytes of actions of %d seats with %d components", len(fed.Actions), theirs, parts)
	}
	for i, a := range fed.Actions {
		if c := &spec.Actions[i%parts]; int(a) >= c.N {
			return fmt.Errorf("the client's action %d is %d for %s, want 0 to %d", i/parts, a, c.Name, c.N-1)
		}
	}
	steps := len(fed.Actions) / (theirs * parts)
	script := &script{actions: fed.Actions, parts: parts, ends: steps, extra: p.config.Extra}
	if err := script.share(fed.Extra, steps*theirs); err != nil {
		return err
	}
	if err := p.sit(e, script); err != nil {
		return err
	}
	if err := p.playHere(ctx, e); err != nil {
		return err
	}
	if e.Steps != steps || e.Result != fed.Result || e.Winners != fed.Winners {
		return fmt.Errorf("%w: %v for seats %b after %d steps, the client says %v for %b after %d", errFed, e.Result, e.Winners, e.Steps, fed.Result, fed.Winners, steps)
	}
	return nil
}

// script is what a client's agents did, seat after seat in each step.
type script struct {
	actions []byte
	parts   int
	seats   []int // those of the client's agents
	ends    int   // steps there are

	extra  []Extra
	arrays [][]byte // of each, those of all steps and seats
}

// share divides what a client sent among the arrays, of which there are so many of each.
func (s *script) share(all []byte, rows int) error {
	want := 0
	for i := range s.extra {
		want += rows * s.extra[i].size()
	}
	if len(all) != want {
		return fmt.Errorf("the client sent %d bytes of extra arrays, want %d", len(all), want)
	}
	for i := range s.extra {
		n := rows * s.extra[i].size()
		s.arrays, all = append(s.arrays, all[:n]), all[n:]
	}
	return nil
}

// scripted plays one seat of a script. It plays choice 0 once that has ended,
// which playAgain notices.
type scripted struct {
	script *script
	place  int // among the script's seats
}

func (a *scripted) Act(m env.Match, _ int, action []uint8) {
	s := a.script
	if step := m.Status().Steps; step < s.ends {
		copy(action, s.actions[(step*len(s.seats)+a.place)*s.parts:][:s.parts])
	}
}

// report notes what the client's agent reported of a step.
func (a *scripted) report(e *Episode, seat int) {
	s := a.script
	if len(s.extra) == 0 || e.Steps >= s.ends {
		return
	}
	d := Decision{Step: e.Steps, Seat: seat}
	for i := range s.extra {
		n := s.extra[i].size()
		d.put(s.extra[i].Name, s.arrays[i][(e.Steps*len(s.seats)+a.place)*n:][:n])
	}
	e.Decisions = append(e.Decisions, d)
}

func (a *scripted) Reset(env.RNG) {}

func (a *scripted) Reseed(env.RNG) {}

func (a *scripted) Append(dst []byte) []byte { return dst }

func (a *scripted) Restore([]byte) error { return nil }
