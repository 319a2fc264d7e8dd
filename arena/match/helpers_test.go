package match_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
)

// TestMain runs the tests, or, where a test has started this very program as an
// agent, plays.
func TestMain(m *testing.M) {
	if behaviour := os.Getenv("MATCH_TEST_AGENT"); behaviour != "" {
		playLines(behaviour)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// patient are rules that no agent on a busy machine breaks by accident.
var patient = match.Rules{Limit: time.Minute, Wait: time.Minute}

// variant is a game with changed rules.
func variant(t *testing.T, id, changes string) env.Game {
	t.Helper()
	game, err := catalog.Variant(id, json.RawMessage(changes))
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// duel is a short game of two.
func duel(t *testing.T, steps string) env.Game {
	t.Helper()
	return variant(t, "OneVsOne-v0", `{"max_steps": `+steps+`}`)
}

// seatsOf makes players by name, closed when the test ends.
func seatsOf(t *testing.T, game env.Game, names ...string) []match.Player {
	t.Helper()
	players := match.Players{Game: game}
	t.Cleanup(func() {
		if err := players.Close(); err != nil {
			t.Error(err)
		}
	})
	seats, err := players.Seat(names)
	if err != nil {
		t.Fatal(err)
	}
	return seats
}

// played is a match with all that was shown of it.
type played struct {
	*match.Report
	moments []moment
}

type moment struct {
	match.Moment
	state []byte
}

// play plays a match to its end.
func play(t *testing.T, game env.Game, players []match.Player, r match.Rules) played {
	t.Helper()
	return playSeed(t, game, players, env.Seed{Value: 20}, r)
}

func playSeed(t *testing.T, game env.Game, players []match.Player, seed env.Seed, r match.Rules) played {
	t.Helper()
	var p played
	result, err := match.Play(t.Context(), game, players, seed, r, func(at match.Moment) error {
		at.Actions = slices.Clone(at.Actions)
		p.moments = append(p.moments, moment{at, at.Match.Append(nil)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Report = result
	return p
}

// moves is what a seat played, its first component, step by step.
func (p *played) moves(seat int) []uint8 {
	var all []uint8
	for _, at := range p.moments {
		if at.Actions != nil {
			all = append(all, at.Actions[seat*len(at.Game.Spec().Actions)])
		}
	}
	return all
}

// timeless is a result without what the clock says.
func timeless(r *match.Report) match.Report {
	plain := *r
	plain.Seats = slices.Clone(r.Seats)
	for i := range plain.Seats {
		plain.Seats[i].Think, plain.Seats[i].Longest = 0, 0
	}
	return plain
}

// scripted is a player whose parts a test writes.
type scripted struct {
	remote bool
	limit  time.Duration // its Traits.Limit
	begin  error
	act    func(ctx context.Context, action []uint8) (match.Cost, error)
	ended  []match.Outcome
}

func (p *scripted) Name() string { return "scripted" }

func (p *scripted) Traits() match.Traits { return match.Traits{Remote: p.remote, Limit: p.limit} }

func (p *scripted) Begin(context.Context, match.Start) error { return p.begin }

func (p *scripted) Act(ctx context.Context, _ env.Match, _ int, action []uint8) (match.Cost, error) {
	return p.act(ctx, action)
}

func (p *scripted) End(_ context.Context, r match.Outcome) error {
	p.ended = append(p.ended, r)
	return errors.New("it does not care")
}

func (p *scripted) Close() error { return nil }
