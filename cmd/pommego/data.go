package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/env"
)

func newData() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Check and change data sets that generate has made",
		Example: `  pommego data verify --json ffa
  pommego data merge --help`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newDataVerify(), newDataMerge(), newDataPack(), newDataStates())
	return cmd
}

func playedIn(m *dataset.Manifest) (env.Game, error) { return variantOf(m.Env.ID, m.Env.Rules) }

// openSet opens a data set whose games can be played again.
func openSet(folder string) (*dataset.Set, env.Game, error) {
	set, err := dataset.Open(folder)
	if err != nil {
		return nil, nil, err
	}
	game, err := playedIn(set.Manifest)
	if err == nil {
		err = set.Agrees(game)
	}
	return set, game, err
}

func newDataVerify() *cobra.Command {
	var o struct{ replay, asJSON bool }
	cmd := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Check data sets: every byte, every row, and on request every game",
		Long: `Check data sets: every file but the card against the size and SHA-256 in the manifest, the manifest
against its own, the structure of the files, that no game and no row is missing or there
twice, and that no file is there that the manifest does not know.

With --replay, games are played again: those of layout games must end as recorded; of
layout steps every value must come out again, but for what agents report: searches and
extra columns.

Exits with 0 only if all is well.`,
		Example: `  pommego data verify ffa
  pommego data verify --replay --json ffa team`,
		Args: some("data set", "DIR..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyData(cmd.OutOrStdout(), args, o.replay, o.asJSON)
		},
	}
	cmd.Flags().BoolVar(&o.replay, "replay", false, "play the games again")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return cmd
}

func verifyData(out io.Writer, folders []string, replay, asJSON bool) error {
	ok, sets := true, []*dataset.Report{}
	for _, folder := range folders {
		tell, end := progress(func(r dataset.Report, _, _ time.Duration) string {
			return fmt.Sprintf("%s: %d files, %d games, %d problems", folder, r.Files, r.Games, len(r.Problems))
		})
		o := dataset.VerifyOptions{Progress: tell}
		if replay {
			o.Game = playedIn
		}
		r, err := dataset.Verify(folder, o)
		end()
		if err != nil {
			r = &dataset.Report{Folder: folder, Problems: []string{err.Error()}}
		}
		ok, sets = ok && len(r.Problems) == 0, append(sets, r)
		if !asJSON {
			printVerified(out, r, replay)
		}
	}
	if asJSON {
		if err := printJSON(out, map[string]any{"ok": ok, "sets": sets}); err != nil {
			return err
		}
	}
	if !ok {
		return errFound
	}
	return nil
}

func printVerified(out io.Writer, r *dataset.Report, replay bool) {
	fmt.Fprintf(out, "%s: %d files, %d games, %d steps, %d rows, ", r.Folder, r.Files, r.Games, r.Steps, r.Rows)
	if replay {
		fmt.Fprintf(out, "%d steps played again, ", r.Replayed)
	}
	fmt.Fprintf(out, "%d problems\n", len(r.Problems))
	for _, p := range r.Problems {
		fmt.Fprintf(out, "  %s\n", p)
	}
}

func finished(out io.Writer, folder string, m *dataset.Manifest) error {
	_, err := fmt.Fprintf(out, "%s: %d games, %d steps, %d rows in %d files, %.1f MB\n", folder, m.Games, m.Steps, m.Rows,
		len(m.Files), float64(m.Bytes)/1e6)
	return err
}

func newDataMerge() *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:     "merge DIR... --out DIR",
		Aliases: []string{"filter"},
		Short:   "Put data sets together, choose from their games, change their layout",
		Long: `Put the games of data sets together in a new one, all of them or those that are chosen.
The layout can be changed on the way: from games to steps, with any observation, and back.
Games get new numbers; the manifest says where they are from.`,
		Example: `  pommego data merge a b --out both
  pommego data merge a --out a-won --agent simple --result won --max-steps 400
  pommego data merge a --out a-steps --layout steps --observation raw`,
		Args: some("data set", "DIR..."),
		RunE: func(cmd *cobra.Command, args []string) error { return o.merge(cmd.OutOrStdout(), args) },
	}
	f, keep := cmd.Flags(), &o.keep
	f.StringVar(&o.out, "out", "", "the folder for the new data set")
	f.StringVar(&o.layout, "layout", "",
		"its layout: "+strings.Join(dataset.Games.Names(), ", ")+" (default: as it was)")
	f.StringVar(&o.config.Observation, "observation", "", "with layout steps, the encoding")
	f.StringVar(&o.config.Mask, "mask", "", "with layout steps, the moves that count: legal or safe")
	f.IntVar(&o.config.FileGames, "games-per-file", 0, "games in a file (default 10000 with layout games, else 100)")
	f.IntVar(&keep.MinSteps, "min-steps", 0, "only games of at least this many steps")
	f.IntVar(&keep.MaxSteps, "max-steps", 0, "only games of at most this many steps, 0: any")
	f.StringVar(&keep.Agent, "agent", "", "only games in which this agent plays")
	f.StringVar((*string)(&keep.Result), "result", "",
		"only games that so end in some seat, with --agent in one of the agent's: won, lost, tied or undecided")
	f.IntVar(&keep.First, "first", 0, "only games from this number on")
	f.IntVar(&keep.Games, "games", 0, "only so many numbers, from --first on, 0: all")
	return cmd
}

type mergeOptions struct {
	out, layout string
	config      dataset.Config
	keep        dataset.Filter
}

func (o *mergeOptions) merge(out io.Writer, folders []string) error {
	keep := &o.keep
	if err := keep.Validate(); err != nil {
		return usageError{err}
	}
	if o.out == "" {
		return errNoOut
	}
	var sets []*dataset.Set
	for _, folder := range folders {
		set, err := dataset.Open(folder)
		if err != nil {
			return err
		}
		set.Manifest.Files = slices.DeleteFunc(set.Manifest.Files, keep.Apart)
		sets = append(sets, set)
	}
	first := sets[0].Manifest
	o.config.Layout = first.Layout
	if o.layout != "" {
		if err := o.config.Layout.UnmarshalText([]byte(o.layout)); err != nil {
			return usagef("--layout: %w", err)
		}
	}
	if o.config.Layout == dataset.Steps {
		o.config.Observation = cmp.Or(o.config.Observation, first.Observation)
		o.config.Mask = cmp.Or(o.config.Mask, first.Mask)
	}
	game, err := playedIn(first)
	if err != nil {
		return err
	}
	var agents []string
	for _, set := range sets {
		agents = append(agents, set.Manifest.Agents...)
	}
	slices.Sort(agents)
	if keep.Agent != "" && !slices.Contains(agents, keep.Agent) {
		return usagef("--agent is %q, want one of %s", keep.Agent, strings.Join(slices.Compact(agents), ", "))
	}
	o.config.Games, o.config.Agents = 1, game.Spec().Agents[:1] // Merge sets them, too
	if _, err := o.config.Resolve(game); err != nil {
		return usageError{err}
	}
	m, err := dataset.Merge(game, sets, o.config, o.keep, o.out, dataset.Options{Version: version()})
	if err != nil {
		return otherOut(err)
	}
	return finished(out, o.out, m)
}

func newDataPack() *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "pack --out DIR",
		Short: "Store games that a client played: the other end of pommego.data.record",
		Long: `Make a data set of games that a client plays with its own agents, such as a network in
Python. pommego.data.record runs this command.

The command reads JSON objects from standard input. The first is the data set's configuration,
as a manifest has it in "generated". The command then prints {"ready": true} and reads the
games, in the order of their seeds: game i has the configuration's seed + i. A game has

  agents   for each seat the name of its agent
  actions  a byte for each step, seat of the client's, and component, in Base64
  extra    an object: for each extra array, its bytes for each step and seat, in Base64
  winners  a bit for each seat that won`,
		Example: `  pommego data pack --out league --env OneVsOne-v0 <games`,
		Args:    exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "the folder for the data set")
	o.chosenGame.add(cmd, defaultEnv)
	return cmd
}

type packOptions struct {
	chosenGame
	out string
}

func (o *packOptions) run(ctx context.Context, input io.Reader, out io.Writer) error {
	if o.out == "" {
		return errNoOut
	}
	game, err := o.game()
	if err != nil {
		return err
	}
	in := json.NewDecoder(input)
	in.DisallowUnknownFields()
	var config dataset.Config
	if err := in.Decode(&config); err != nil {
		return usagef("the configuration cannot be read: %w", err)
	}
	options := dataset.Options{Version: version(), Build: build()}
	ready := false
	m, err := dataset.Record(ctx, game, config, o.out, options, func() (*dataset.Recorded, error) {
		if !ready {
			ready = true
			if _, err := fmt.Fprintln(out, `{"ready": true}`); err != nil {
				return nil, err
			}
		}
		game := new(dataset.Recorded)
		return game, in.Decode(game)
	})
	switch {
	case err != nil && !ready && !errors.Is(err, dataset.ErrNotEmpty):
		return usageError{err}
	case err != nil:
		return otherOut(err)
	}
	return finished(out, o.out, m)
}
