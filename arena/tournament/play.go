package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pommego/arena/match"
	"pommego/llm/dialogue"
)

// work plays missing games until there are none left or the context ends.
func (r *run) work(ctx context.Context) (err error) {
	players := match.Players{Game: r.t.game}
	defer func() { err = errors.Join(err, players.Close()) }()
	for ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.todo) {
			break
		}
		f := r.t.schedule.game(r.todo[i])
		record, err := r.play(ctx, &players, &f)
		if ctx.Err() != nil { // what was interrupted is no result
			break
		}
		if errors.Is(err, match.ErrVoid) {
			if err = r.leaveOut(err); err == nil {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("game %d (seed %d, %q): %w", f.index, f.seed.Value, r.t.schedule.names(&f), err)
		}
		if err := r.add(record); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut leaves out a game that cannot be scored. It returns an error if there are too many: more than two, and
// than a tenth; or one in a sequential test, which takes games in their order.
func (r *run) leaveOut(why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.void++
	r.voided = why
	if played := r.done - r.resumed + r.void; r.test != nil || r.void > 2 && 10*r.void > played {
		return fmt.Errorf("%d of %d games: %w", r.void, played, why)
	}
	return nil
}

// syncEvery is how much time's work a power cut may cost. A kill costs none.
const syncEvery = time.Second

// errDecided says that the sequential test needs no more games.
var errDecided = errors.New("the test is decided")

// add keeps a finished game: in the log first.
func (r *run) add(record Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil {
		if err := r.log.Add(&record); err != nil {
			return err
		}
		if time.Since(r.synced) > syncEvery {
			r.synced = time.Now()
			if err := r.log.Sync(); err != nil {
				return err
			}
		}
	}
	r.records[record.Game] = record
	r.done++
	decided := r.test.take(r.records)
	r.progress()
	if decided {
		return errDecided
	}
	return nil
}

func (r *run) play(ctx context.Context, players *match.Players, f *fixture) (Record, error) {
	names := r.t.schedule.names(f)
	seats, err := players.Seat(names)
	if err != nil {
		return Record{}, err
	}
	talks := match.Dialogues{Log: r.o.Dialogues}
	rules := r.t.config.rules()
	rules.Repetition, rules.Wait = f.again, r.o.Wait
	report, err := match.Play(ctx, r.t.game, seats, f.seed, *rules, talks.Watch)
	if err != nil {
		return Record{}, err
	}
	if report.Void != "" {
		return Record{}, errors.Join(fmt.Errorf("%w: %s", match.ErrVoid, report.Void), talks.End())
	}
	return newRecord(f, names, report), nil
}

// newRecord keeps of a report what the statistics need.
func newRecord(f *fixture, names []string, report *match.Report) Record {
	r := Record{Game: f.index, Seed: f.seed.Value, Repetition: f.again, Agents: names, Result: report.Results,
		Outcome: report.Outcome, Steps: report.End.Steps, Counts: report.Counts}
	var errs []string
	var answers []dialogue.Usage
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
	if slices.ContainsFunc(answers, func(a dialogue.Usage) bool { return a != dialogue.Usage{} }) {
		r.Answers = answers
	}
	return r
}
