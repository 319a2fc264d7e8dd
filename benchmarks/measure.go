package benchmarks

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"pommego/env"
)

// Options says what to measure and for how long.
type Options struct {
	Games   int           // games stepped at once
	Workers int           // goroutines that step them; 0: one for each core, and in batches as many as the pool chooses
	Time    time.Duration // for each measurement, all rounds together
	Only    string        // measure only what has a name that begins with it
	Seed    uint64
	Game    env.Game // the one to measure; nil: each of the catalog
	// Progress, if not nil, is called before each round with the name of what is measured.
	Progress func(round, rounds int, name string)
}

func (o Options) workers() int { return cmp.Or(o.Workers, runtime.GOMAXPROCS(0)) }

// Report is what a run found. Its JSON form is the one scripts rely on.
type Report struct {
	Games   int           `json:"games"`
	Workers int           `json:"workers"`
	Env     string        `json:"env,omitempty"` // the id of Options.Game; the next field has its rules
	Rules   any           `json:"rules,omitempty"`
	Results []Measurement `json:"results"`
}

// Measurement is one measurement, in steps of games a second.
type Measurement struct {
	Name   string  `json:"name"`
	Median float64 `json:"env_steps_per_second"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// Limit is what the machine reached in the same run where the same bytes
	// were only copied or cleared; 0 where there is no such limit.
	Limit         float64 `json:"limit,omitempty"`
	AllocsPerStep float64 `json:"allocs_per_step"`
	// Rounds is the rate of each round, in their order.
	Rounds []float64 `json:"rounds"`
}

// rounds is how many samples each measurement gets.
const rounds = 7

type bench struct {
	name  string
	limit string // the name of the measurement that gives its limit
	game  env.Game
	setup setup
}

// setup prepares a measurement of Options.Game.
type setup func(Options) (work, error)

// work is a measurement that is ready to run.
type work struct {
	run  func() int // returns the number of moves made
	stop func()
}

// inParallel lets each worker do its share of n things. It returns the sum of what job returns.
func (o Options) inParallel(n int, job func(worker, from, to int) int) work {
	run := func() int {
		var workers sync.WaitGroup
		var moves atomic.Int64
		for w, all := 0, o.workers(); w < all; w++ {
			workers.Go(func() { moves.Add(int64(job(w, n*w/all, n*(w+1)/all))) })
		}
		workers.Wait()
		return int(moves.Load())
	}
	return work{run, func() {}}
}

// Names lists all measurements of Game, or of the catalog's games, whatever Only is.
// The measurements of one game have the names of those of the catalog's first game.
func (o *Options) Names() []string {
	var names []string
	for _, b := range o.measurements() {
		names = append(names, b.name)
	}
	return names
}

func (o *Options) measurements() []bench {
	if o.Game != nil {
		return measurementsOf(o.Game, o.Game, true)
	}
	return measurements()
}

// Run measures. It stops early, with ctx's error, when ctx ends.
func Run(ctx context.Context, o Options) (*Report, error) {
	chosen := o.chosen()
	samples := make(map[string][]float64)
	allocs := make(map[string]float64)
	each := o.Time / rounds
	for round := range rounds {
		for _, b := range chosen {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if o.Progress != nil {
				o.Progress(round+1, rounds, b.name)
			}
			rate, alloc, err := sample(b, o, each)
			if err != nil {
				return nil, err
			}
			samples[b.name] = append(samples[b.name], rate)
			allocs[b.name] = alloc
		}
	}
	report := &Report{Games: o.Games, Workers: o.workers()}
	if o.Game != nil {
		report.Env, report.Rules = o.Game.Spec().ID, o.Game.Spec().Rules
	}
	for _, b := range chosen {
		s := samples[b.name]
		r := Measurement{
			Name: b.name, Median: median(s), Min: slices.Min(s), Max: slices.Max(s),
			AllocsPerStep: allocs[b.name], Rounds: s,
		}
		if limit := samples[b.limit]; len(limit) > 0 {
			r.Limit = median(limit)
		}
		report.Results = append(report.Results, r)
	}
	return report, nil
}

// median returns the middle one of an odd number of samples.
func median(samples []float64) float64 {
	return slices.Sorted(slices.Values(samples))[len(samples)/2]
}

// chosen returns the measurements asked for, and those that give their limits.
func (o *Options) chosen() []bench {
	all, wanted := o.measurements(), map[string]bool{}
	for _, b := range all {
		if strings.HasPrefix(b.name, o.Only) {
			wanted[b.name] = true
			wanted[b.limit] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(b bench) bool { return !wanted[b.name] })
}

// sample measures once: warms up, then works for the given time.
func sample(b bench, o Options, d time.Duration) (rate, allocs float64, err error) {
	o.Game = b.game
	w, err := b.setup(o)
	if err != nil {
		return 0, 0, err
	}
	defer w.stop()
	w.run()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps, start := 0, time.Now()
	for time.Since(start) < d {
		steps += w.run()
	}
	seconds := time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	return float64(steps) / seconds, float64(after.Mallocs-before.Mallocs) / float64(max(steps, 1)), nil
}

// WriteTable writes the report for people to read.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%d games, %d workers, steps of games a second (median of %d rounds)\n\n", r.Games, r.Workers,
		rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "measurement\tmedian\tlowest\thighest\tlimit\tof limit\tallocs/step\t")
	for _, b := range r.Results {
		limit, ratio := "-", "-"
		if b.Limit > 0 {
			limit, ratio = millions(b.Limit), fmt.Sprintf("%.0f %%", 100*b.Median/b.Limit)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t\n", b.Name, millions(b.Median), millions(b.Min), millions(b.Max),
			limit, ratio, b.AllocsPerStep)
	}
	return t.Flush()
}

func millions(x float64) string { return fmt.Sprintf("%.3f M", x/1e6) }
