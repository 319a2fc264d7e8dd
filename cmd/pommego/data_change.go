package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
)

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
	if err := o.config.Check(game); err != nil {
		return usageError{err}
	}
	m, err := dataset.Merge(game, sets, o.config, o.keep, o.out, dataset.Options{Version: version()})
	if err != nil {
		return otherOut(err)
	}
	return finished(out, o.out, m)
}
