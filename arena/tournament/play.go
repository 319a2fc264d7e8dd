package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/match"
)

func (r *run) play(ctx context.Context, players *match.Players, game int) (*Record, error) {
	f := r.t.schedule.game(game)
	names := r.t.schedule.names(&f)
	seats, err := players.Seat(names)
	if err != nil {
		return nil, err
	}
	watch, void := match.Watch(nil), func() error { return nil }
	if r.o.Watch != nil {
		watch, void = r.o.Watch()
	}
	rules := r.t.Config.rules()
	rules.Repetition, rules.Wait = f.again, r.o.Wait
	report, err := match.Play(ctx, r.t.Game, seats, f.seed, *rules, watch)
	if err != nil {
		return nil, err
	}
	if report.Void != "" {
		return nil, errors.Join(fmt.Errorf("%w: %s", match.ErrVoid, report.Void), void())
	}
	return newRecord(&f, names, report), nil
}

// newRecord makes a record of the parts of a report that the statistics need.
func newRecord(f *fixture, names []string, report *match.Report) *Record {
	r := &Record{Game: f.index, Seed: f.seed.Value, Repetition: f.again, Agents: names, Result: report.Results,
		Outcome: report.Outcome, Steps: report.End.Steps, Counts: report.Counts}
	var errs []string
	var answers []match.Answers
	failed := false
	for _, s := range report.Seats {
		r.Moves = append(r.Moves, s.Moves)
		r.Ticks = append(r.Ticks, s.Ticks)
		r.Late = append(r.Late, s.Late)
		r.Failed = append(r.Failed, s.Failed)
		r.Clock.Think = append(r.Clock.Think, s.Think)
		r.Clock.Longest = append(r.Clock.Longest, s.Longest)
		answers = append(answers, s.Answers)
		errs = append(errs, s.LastError)
		failed = failed || s.LastError != ""
	}
	if failed {
		r.Errors = errs
	}
	if slices.ContainsFunc(answers, func(a match.Answers) bool { return a != match.Answers{} }) {
		r.Answers = answers
	}
	return r
}
