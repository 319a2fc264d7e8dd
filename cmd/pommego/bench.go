package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/benchmarks"
	"pommego/env"
)

type benchOptions struct {
	chosenGame
	benchmarks.Options
	seconds   float64
	asJSON    bool
	signature string
}

func newBench() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure steps per second, beside what the machine could do",
		Long: `Measure how many steps games make a second: by the rules alone, while
encoding, and in whole batches. Beside each figure stands its limit where it has one: copying
or clearing the same bytes in the same run. Figures are medians of several interleaved rounds.
With --env only that environment is measured, by other rules if --rules says so.

With --signature nothing is measured: an agent plays three fixed games of ` + signatureEnv + `, or
of --env, against itself. Printed are a hash of its moves and how many ticks it simulated, which
stay the same as long as it plays the same.

Measurements: ` + strings.Join(new(benchmarks.Options).Names(), ", ") + `.`,
		Example: `  pommego bench
  pommego bench --only step/ --games 4096 --workers 2
  pommego bench --env SuiteBot-v0 --rules '{"width": 32, "height": 32}'
  pommego bench --json --seconds 1
  pommego bench --signature champion:level=2`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, other := range []string{"games", "seconds", "only", "seed"} {
				if o.signature != "" && cmd.Flags().Changed(other) {
					return usagef("--%s: leave it out, as --signature plays fixed games", other)
				}
			}
			if err := o.check(); err != nil {
				return err
			}
			if o.signature != "" {
				return o.sign(cmd.OutOrStdout())
			}
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.chosenGame.add(cmd, "")
	f.IntVar(&o.Games, "games", 1024, "games stepped at once")
	f.IntVar(&o.Workers, "workers", 0, "threads that step them, 0: one per core")
	f.Float64Var(&o.seconds, "seconds", 2, "time for each measurement")
	f.StringVar(&o.Only, "only", "", "measure only what begins so")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the first game")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	f.StringVar(&o.signature, "signature", "", "print the signature of how this built-in `AGENT` plays")
	return cmd
}

// signatureEnv is the environment for signatures of agents if --env is not given.
const signatureEnv = "PommeTeamCompetition-v0"

func (o *benchOptions) check() (err error) {
	switch {
	case o.signature != "":
		err = o.checkSignature()
	case o.id != "":
		o.Game, err = o.chosenGame.game()
	case o.rules != "":
		err = usagef("--rules needs --env: it changes the rules of one environment")
	}
	switch {
	case err != nil:
		return err
	case o.Games < 1 || o.Games > 1<<20:
		return usagef("--games is %d, want 1 to %d", o.Games, 1<<20)
	case o.Workers < 0 || o.Workers > o.Games:
		return usagef("--workers is %d, want 1 to the number of games, %d, or 0 for one per core", o.Workers, o.Games)
	case !(o.seconds > 0 && o.seconds <= 86400):
		return usagef("--seconds is %g, want more than 0 and at most 86400", o.seconds)
	case !slices.ContainsFunc(o.Names(), func(name string) bool { return strings.HasPrefix(name, o.Only) }):
		return usagef("--only %q fits no measurement, there are: %s", o.Only, strings.Join(o.Names(), ", "))
	}
	return nil
}

// checkSignature says what is wrong with the agent or its game, and sets the game.
func (o *benchOptions) checkSignature() (err error) {
	name, options, _ := strings.Cut(o.signature, ":")
	if strings.Contains(","+options, ",ms=") {
		return usagef("--signature %s: with a time limit it may play differently each time, limit ticks instead: %s",
			o.signature, name+":ticks=100")
	}
	o.id = cmp.Or(o.id, signatureEnv)
	if o.Game, err = o.chosenGame.game(); err == nil && o.rules == "" {
		o.Game, err = benchmarks.SignatureGame(o.id)
	}
	if err != nil {
		return err
	}
	if _, _, err = match.BuiltIn(o.Game, o.signature); err != nil {
		return usagef("--signature: %w", err)
	}
	return nil
}

func (o *benchOptions) sign(out io.Writer) error {
	made := func() (env.Agent, error) {
		agent, _, err := match.BuiltIn(o.Game, o.signature)
		return agent, err
	}
	s, err := benchmarks.Sign(o.Game, made, o.Workers)
	if err != nil {
		return err
	}
	return say(out, o.asJSON, s, fmt.Sprintf("%s, %d ticks", s.Hash, s.Ticks))
}

func (o *benchOptions) run(ctx context.Context, out io.Writer) error {
	o.Time = time.Duration(o.seconds * float64(time.Second))
	ctx, stop := interruptible(ctx)
	defer stop()
	tell, end := progress(func(text string, _, _ time.Duration) string { return text })
	o.Progress = func(round, rounds int, name string) { tell(fmt.Sprintf("round %d of %d: %s", round, rounds, name)) }
	report, err := benchmarks.Run(ctx, o.Options)
	end()
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case err != nil:
		return err
	case o.asJSON:
		return printJSON(out, report)
	}
	return report.WriteTable(out)
}
