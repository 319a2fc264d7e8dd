package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/dialogue"
	"pommego/arena/match"
	"pommego/env"
)

// work plays missing games until there are none left or the context ends.
func (r *run) work(ctx context.Context, results chan<- finished) {
	players := match.Players{Game: r.t.game}
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
		if err != nil {
			err = fmt.Errorf("game %d (seed %d, %q): %w", f.index, f.seed.Value, r.t.schedule.names(&f), err)
		}
		results <- finished{record, err}
	}
	if err := players.Close(); err != nil && ctx.Err() == nil {
		results <- finished{err: err}
	}
}

// collect keeps what the workers finish: in the log first, several games at a
// time if they come fast. After an error it tells the workers to stop and waits
// for them.
func (r *run) collect(results <-chan finished, cancel func()) error {
	var failed error
	for first := range results {
		batch, err := drain(first, results)
		if failed != nil {
			continue
		}
		if r.log != nil && len(batch) > 0 {
			err = errors.Join(keep(r.log, batch), err)
		}
		for _, record := range batch {
			r.records[record.Game] = record
			r.done++
		}
		ended := r.test.take(r.records)
		r.progress()
		if failed = err; failed != nil || ended {
			cancel()
		}
	}
	return failed
}

// drain takes what has come meanwhile.
func drain(f finished, results <-chan finished) (batch []Record, err error) {
	for {
		if f.err != nil {
			return batch, f.err
		}
		batch = append(batch, f.record)
		select {
		case next, open := <-results:
			if !open {
				return batch, nil
			}
			f = next
		default:
			return batch, nil
		}
	}
}

func (r *run) play(ctx context.Context, players *match.Players, f *fixture) (Record, error) {
	names := r.t.schedule.names(f)
	seats, err := players.Seat(names)
	if err != nil {
		return Record{}, err
	}
	killed, talks := kills{seats: len(names)}, match.Dialogues{Log: r.o.Dialogues}
	rules := r.t.config.rules()
	rules.Repetition, rules.Wait = f.again, r.o.Wait
	result, err := match.Play(ctx, r.t.game, seats, f.seed, *rules, func(at match.Moment) error {
		killed.watch(at)
		return talks.Watch(at)
	})
	if err != nil {
		return Record{}, err
	}
	record := newRecord(f, names, result)
	record.Counts, record.Kills = result.Counts, killed.by
	return record, nil
}

// kills finds out who killed whom in the last game of a match.
type kills struct {
	seats int
	by    [][]int // see Record.Kills
}

func (k *kills) watch(at match.Moment) {
	if at.Actions == nil {
		k.by = nil
	}
	for _, e := range at.Events {
		if e.Kind != env.Died || e.By == 0 || e.Seat == env.NoSeat {
			continue
		}
		if k.by == nil {
			k.by = make([][]int, k.seats)
			for seat := range k.by {
				k.by[seat] = make([]int, k.seats)
			}
		}
		for _, killer := range e.By.List() {
			k.by[killer][e.Seat]++
		}
	}
}

// newRecord keeps of a result what the statistics need.
func newRecord(f *fixture, names []string, result *match.Result) Record {
	r := Record{Game: f.index, Seed: f.seed.Value, Repetition: f.again, Agents: names, Result: result.Results,
		Outcome: result.Outcome, Steps: result.Steps}
	var errs []string
	var notices []int
	var answers []dialogue.Usage
	failed, unheard := false, false
	for _, s := range result.Seats {
		r.Moves = append(r.Moves, s.Moves)
		r.Ticks = append(r.Ticks, s.Ticks)
		r.Late = append(r.Late, s.Late)
		r.Failed = append(r.Failed, s.Failed)
		r.Clock.Think = append(r.Clock.Think, s.Think)
		r.Clock.Longest = append(r.Clock.Longest, s.Longest)
		answers = append(answers, s.Answers)
		errs = append(errs, s.LastError)
		failed = failed || s.LastError != ""
		notices = append(notices, s.FailedNotices)
		unheard = unheard || s.FailedNotices > 0
	}
	if failed {
		r.Errors = errs
	}
	if unheard {
		r.FailedNotices = notices
	}
	if slices.ContainsFunc(answers, func(a dialogue.Usage) bool { return a != dialogue.Usage{} }) {
		r.Answers = answers
	}
	return r
}
