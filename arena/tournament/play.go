package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/match"
)

func (r *run) play(ctx context.Context, players *match.Players, game int) (*Record, error) {
	record := &Record{Played: r.t.schedule.game(game).Played}
	seats, err := players.Seat(record.Agents)
	if err != nil {
		return nil, err
	}
	watch, void := func(match.Moment) error { return nil }, func() error { return nil }
	if r.o.Watch != nil {
		watch, void = r.o.Watch()
	}
	rules := r.t.Config.rules()
	rules.Repetition, rules.Wait = record.Repetition, r.o.Wait
	report, err := match.Play(ctx, r.t.Game, seats, record.Seed, *rules, func(at match.Moment) error {
		if r.o.Log != "" {
			record.Add(at, true)
		}
		return watch(at)
	})
	if err != nil {
		return nil, err
	}
	if report.Void != "" {
		return nil, errors.Join(fmt.Errorf("%w: %s", match.ErrVoid, report.Void), void())
	}
	record.take(report)
	return record, nil
}

// take takes the parts of a report that the statistics need.
func (r *Record) take(report *match.Report) {
	r.Result, r.Outcome, r.Steps, r.Counts = report.Results, report.Outcome, report.End.Steps, report.Counts
	var errs []string
	var answers []match.Answers
	for _, s := range report.Seats {
		r.Moves = append(r.Moves, s.Moves)
		r.Ticks = append(r.Ticks, s.Ticks)
		r.Late = append(r.Late, s.Late)
		r.Failed = append(r.Failed, s.Failed)
		r.Gone = append(r.Gone, s.Gone)
		r.Clock.Think = append(r.Clock.Think, s.Think)
		r.Clock.Longest = append(r.Clock.Longest, s.Longest)
		answers = append(answers, s.Answers)
		errs = append(errs, s.LastError)
	}
	if slices.ContainsFunc(errs, func(text string) bool { return text != "" }) {
		r.Errors = errs
	}
	if slices.ContainsFunc(answers, func(a match.Answers) bool { return a != match.Answers{} }) {
		r.Answers = answers
	}
}
