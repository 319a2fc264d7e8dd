package dataset

import (
	"context"
	"fmt"
	"slices"

	"pommego/arena/ledger"
	"pommego/arena/match"
)

// play plays a game of the data set by the rules of matches, with client in the seats of a client's agents.
// Of how the game ends it keeps only the results. A replay finds the rest.
func (c *Config) play(ctx context.Context, p *match.Players, game int, agents []string,
	client *script) (*Episode, error) {
	own, err := p.Seat(slices.DeleteFunc(slices.Clone(agents), atClient))
	if err != nil {
		return nil, err
	}
	players := make([]match.Player, len(agents))
	for seat, name := range agents {
		if atClient(name) {
			players[seat] = client
		} else {
			players[seat], own = own[0], own[1:]
		}
	}
	e := &Episode{Played: ledger.Played{Game: game, Seed: c.seed(game), Agents: agents}, Dealt: true,
		Missed: make([]int32, len(agents)), errors: map[string]string{}}
	rules := c.rules()
	rules.MaxSteps = c.MaxSteps
	report, err := match.Play(ctx, p.Game, players, e.Seed, *rules, func(at match.Moment) error {
		e.Add(at, c.Layout != Games)
		return nil
	})
	if err == nil && report.Void != "" {
		err = fmt.Errorf("%w: %s", match.ErrVoid, report.Void)
	}
	if err != nil {
		return nil, err
	}
	e.Results = report.Results
	for seat, s := range report.Seats {
		if e.Missed[seat] = int32(s.Late + s.Failed + s.Gone); s.LastError != "" {
			e.errors[agents[seat]] = s.LastError
		}
	}
	return e, nil
}
