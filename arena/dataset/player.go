package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"pommego/arena/match"
	"pommego/env"
)

// player plays games one after the other. It belongs to one goroutine.
type player struct {
	game    env.Game
	config  *Config
	players map[seat]match.Player
}

type seat struct {
	agent uint16
	seat  int
}

func newPlayer(game env.Game, c *Config) *player { return &player{game, c, map[seat]match.Player{}} }

func (p *player) Close() error {
	var errs []error
	for _, m := range p.players {
		errs = append(errs, m.Close())
	}
	clear(p.players)
	return errors.Join(errs...)
}

// play plays one game of the data set, as recorded if a client has played it. A
// panic in it comes back as an error.
func (p *player) play(ctx context.Context, number int, recorded *Recorded) (e *Episode, err error) {
	seats := p.game.Spec().Seats
	e = &Episode{
		Game: number, Seed: p.config.seed(number), Dealt: true, Agents: make([]uint16, seats),
		Outcome: make([]float64, seats), Lived: make([]int32, seats), Missed: make([]int32, seats),
	}
	p.config.lineup(number, e.Agents)
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			err = fmt.Errorf("game %d (seed %d): %w", number, e.Seed.Value, err)
		}
	}()
	if recorded != nil {
		return e, p.playAgain(ctx, e, recorded)
	}
	return e, p.playMatch(ctx, e, nil)
}

// seat is the player of an agent in a seat. A server is the same in all seats.
func (p *player) seat(index uint16, k int) (match.Player, error) {
	at, name := seat{index, k}, p.config.Agents[index]
	if match.AtURL(name) {
		at.seat = 0
	}
	if p.players[at] == nil {
		m, err := match.NewPlayer(p.game, name)
		if err != nil {
			return nil, err
		}
		p.players[at] = m
	}
	return p.players[at], nil
}

// errLimit ends a match at the configuration's MaxSteps.
var errLimit = errors.New("the game is long enough")

// playMatch plays by the rules of matches, with client in the seats of a client's agents.
func (p *player) playMatch(ctx context.Context, e *Episode, client *script) (err error) {
	spec, players := p.game.Spec(), make([]match.Player, len(e.Agents))
	for k, index := range e.Agents {
		if players[k] = client; !atClient(p.config.Agents[index]) {
			if players[k], err = p.seat(index, k); err != nil {
				return err
			}
		}
	}
	var asked env.SeatSet // who made the step to come
	watch := func(at match.Moment) error {
		if at.Actions != nil {
			e.Actions = append(e.Actions, at.Actions...)
			for k := range players {
				if !asked.Has(k) {
					continue
				}
				e.Lived[k]++
				if players[k] == match.Player(client) {
					client.note(e, k)
				} else if p.config.Layout != Games {
					e.listen(spec, players[k], k)
				}
				e.Missed[k] += int32(toByte(at.Late.Has(k) || at.Failed.Has(k)))
			}
			e.Steps++
		}
		status := at.Match.Status()
		asked = status.In
		long := p.config.MaxSteps > 0 && e.Steps >= p.config.MaxSteps
		if status.Over || long {
			e.conclude(spec, at.Match, status)
			e.Counts = countsOf(spec, at.Tracker, at.Match)
		}
		if long && !status.Over {
			return errLimit
		}
		return nil
	}
	_, err = match.Play(ctx, p.game, players, e.Seed, *p.config.rules(), watch)
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

// conclude writes down how a game stands at its end.
func (e *Episode) conclude(spec *env.Spec, m env.Match, s env.Status) {
	e.Result, e.Winners, e.Truncated = s.Result, s.Winners, !s.Over
	m.Outcome(e.Outcome)
	var before env.SeatSet // who made the last step
	for k := range e.Outcome {
		if !s.Decided.Has(k) {
			e.Outcome[k] = 0
		}
		if int(e.Lived[k]) == e.Steps {
			before = before.With(k)
		}
	}
	e.Results = s.SeatResults(spec.Teams, before)
}
