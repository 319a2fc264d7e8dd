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
	match.Players
	config *Config
}

func newPlayer(game env.Game, c *Config) *player { return &player{match.Players{Game: game}, c} }

// play plays one game of the data set, as recorded if a client has played it. A
// panic in it comes back as an error.
func (p *player) play(ctx context.Context, number int, recorded *Recorded) (e *Episode, err error) {
	seats := p.Game.Spec().Seats
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

// errLimit ends a match at the configuration's MaxSteps.
var errLimit = errors.New("the game is long enough")

// playMatch plays by the rules of matches, with client in the seats of a client's agents.
func (p *player) playMatch(ctx context.Context, e *Episode, client *script) error {
	spec, players := p.Game.Spec(), make([]match.Player, len(e.Agents))
	var names []string
	for _, index := range e.Agents {
		if name := p.config.Agents[index]; !atClient(name) {
			names = append(names, name)
		}
	}
	own, err := p.Seat(names)
	if err != nil {
		return err
	}
	for k, index := range e.Agents {
		if atClient(p.config.Agents[index]) {
			players[k] = client
		} else {
			players[k], own = own[0], own[1:]
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
	report, err := match.Play(ctx, p.Game, players, e.Seed, *p.config.rules(), watch)
	switch {
	case errors.Is(err, errLimit):
		return nil
	case err == nil && report.Void != "":
		return fmt.Errorf("%w: %s", match.ErrVoid, report.Void)
	}
	return err
}

// conclude writes down how a game stands at its end.
func (e *Episode) conclude(spec *env.Spec, m env.Match, s env.Status) {
	e.Truncated = !s.Over
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
