package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
)

// Record is one finished game. Results need no actions: those of clients' games, and of games that
// version 0.1.0 played, are unknown.
type Record struct {
	ledger.Played

	// Result and Outcome are by seat, as [match.Report] has them.
	Result  []env.SeatResult `json:"result"`
	Outcome []float64        `json:"outcome"`

	Moves  []int    `json:"moves"` // by seat, like all fields below
	Ticks  []uint64 `json:"ticks"`
	Late   []int    `json:"late"`
	Failed []int    `json:"failed"`
	Gone   []int    `json:"gone,omitempty"` // moves without a question; nil in older logs, and where a client played

	Answers []match.Answers `json:"answers,omitempty"` // nil without language models

	Counts env.Counts `json:"counts,omitempty"` // what the game counted

	Errors []string `json:"errors,omitempty"`

	Clock Clock `json:"clock"`
}

// Clock has the times of one game, by seat. Results use nothing
// of it.
type Clock struct {
	Think   []time.Duration `json:"think_ns"`   // of all moves together
	Longest []time.Duration `json:"longest_ns"` // of the longest move
}

// forget drops what only a replay needs: the log has it.
func (r *Record) forget() { r.Actions, r.Decisions = nil, nil }

// check returns an error if the record does not match the game of its number.
func (s *schedule) check(r *Record) error {
	if r.Game < 0 || r.Game >= s.games() {
		return fmt.Errorf("its game is %d, want 0 to %d", r.Game, s.games()-1)
	}
	f := s.game(r.Game)
	if r.Seed != f.Seed || r.Repetition != f.Repetition || !slices.Equal(r.Agents, f.Agents) {
		return fmt.Errorf("game %d has seed %d and agents %q, want %d and %q", r.Game, r.Seed.Value, r.Agents,
			f.Seed.Value, f.Agents)
	}
	lists := []int{len(r.Result), len(r.Outcome), len(r.Moves), len(r.Ticks), len(r.Late), len(r.Failed),
		len(r.Clock.Think), len(r.Clock.Longest)}
	for _, optional := range []int{len(r.Errors), len(r.Answers), len(r.Gone)} {
		if optional > 0 {
			lists = append(lists, optional)
		}
	}
	for _, list := range r.Counts {
		lists = append(lists, len(list))
	}
	for _, seats := range lists {
		if seats != s.spec.Seats {
			return fmt.Errorf("it has a list with %d seats, want %d", seats, s.spec.Seats)
		}
	}
	if r.Actions != nil {
		return r.CheckLogged(s.spec)
	}
	return nil
}

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
