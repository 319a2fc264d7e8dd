package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/benchmarks"
)

func newBench() *cobra.Command {
	var o benchmarks.Options
	var seconds float64
	var asJSON bool
	var profile string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure steps per second, beside what the machine could do",
		Long: `Measure how many moves of whole games are made a second: by the rules alone, while
encoding, and in whole batches. Beside each figure stands its limit where it has one: copying
or clearing the same bytes in the same run. Figures are medians of several interleaved rounds.

Measurements: ` + strings.Join(benchmarks.Names(), ", ") + `.`,
		Example: `  pommego bench
  pommego bench --only step/ --games 4096 --workers 2
  pommego bench --json --seconds 1`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Games < 1 || o.Games > 1<<20:
				return usagef("--games is %d, want 1 to %d", o.Games, 1<<20)
			case o.Workers < 0 || o.Workers > o.Games:
				return usagef("--workers is %d, want 1 to the number of games, %d, or 0 for one a core", o.Workers, o.Games)
			case seconds <= 0:
				return usagef("--seconds is %g, want more than 0", seconds)
			case !begins(o.Only):
				return usagef("--only %q fits no measurement, there are: %s", o.Only, strings.Join(benchmarks.Names(), ", "))
			}
			return exactly(0, "none")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Time = time.Duration(seconds * float64(time.Second))
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			if onTerminal(os.Stderr) {
				o.Progress = func(round, rounds int, name string) {
					fmt.Fprintf(os.Stderr, "\r\x1b[Kround %d of %d: %s", round, rounds, name)
				}
			}
			var report *benchmarks.Report
			err := profiled(profile, func() (err error) {
				report, err = benchmarks.Run(ctx, o)
				return err
			})
			if o.Progress != nil {
				fmt.Fprint(os.Stderr, "\r\x1b[K")
			}
			switch {
			case errors.Is(err, context.Canceled):
				return errors.New("interrupted")
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), report)
			}
			return report.WriteTable(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Games, "games", 1024, "games stepped at once")
	f.IntVar(&o.Workers, "workers", 0, "threads that step them, 0: one a core")
	f.Float64Var(&seconds, "seconds", 2, "time for each measurement")
	f.StringVar(&o.Only, "only", "", "measure only what begins so")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the first game")
	f.StringVar(&profile, "cpuprofile", "", profileUsage)
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// begins reports whether a measurement's name begins so.
func begins(prefix string) bool {
	for _, name := range benchmarks.Names() {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
