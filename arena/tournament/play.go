package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pommego/arena/dialogue"
	"pommego/arena/match"
	"pommego/env"
)

// work plays missing games until there are none left or the context ends.
func (r *run) work(ctx context.Context, results chan<- finished) {
	seated := players{t: r.t, wait: r.o.Wait, dialogues: r.o.Dialogues, made: map[string][]match.Player{}}
	for ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.todo) {
			break
		}
		f := r.t.schedule.game(r.todo[i])
		record, err := seated.play(ctx, &f)
		if ctx.Err() != nil { // what was interrupted is no result
			break
		}
		if err != nil {
			err = fmt.Errorf("game %d (seed %d, %q): %w", f.index, f.seed.Value, r.t.schedule.names(&f), err)
		}
		results <- finished{record, err}
	}
	if err := seated.Close(); err != nil && ctx.Err() == nil {
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

// players are one worker's. Each plays one game after the other.
type players struct {
	t         *Tournament
	wait      time.Duration
	dialogues *dialogue.Log
	made      map[string][]match.Player // by name, as many as were needed at a time
}

func (p *players) play(ctx context.Context, f *fixture) (Record, error) {
	names := p.t.schedule.names(f)
	seats, err := p.seat(names)
	if err != nil {
		return Record{}, err
	}
	killed, talks := kills{seats: len(names)}, match.Dialogues{Log: p.dialogues}
	rules := p.t.config.rules()
	rules.Repetition, rules.Wait = f.again, p.wait
	result, err := match.Play(ctx, p.t.game, seats, f.seed, *rules, func(at match.Moment) error {
		killed.watch(at)
		return talks.Watch(at)
	})
	if err != nil {
		return Record{}, err
	}
	r := newRecord(f, names, result)
	r.Counts, r.Kills = result.Counts, killed.by
	return r, nil
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

// seat gives each seat a player of its name.
func (p *players) seat(names []string) ([]match.Player, error) {
	seats := make([]match.Player, len(names))
	used := map[string]int{}
	for seat, name := range names {
		if used[name] == len(p.made[name]) {
			player, err := match.NewPlayer(p.t.game, name)
			if err != nil {
				return nil, err
			}
			p.made[name] = append(p.made[name], player)
		}
		seats[seat] = p.made[name][used[name]]
		used[name]++
	}
	return seats, nil
}

func (p *players) Close() error {
	var err error
	for _, all := range p.made {
		for _, player := range all {
			err = errors.Join(err, player.Close())
		}
	}
	return err
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
