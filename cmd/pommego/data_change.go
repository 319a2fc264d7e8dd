package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/internal/enum"
)

// shapeFlags are the flags of commands that put a data set together.
type shapeFlags struct {
	out, layout string
	shape       dataset.Shape
}

func (f *shapeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "the folder for the new data set")
	cmd.Flags().StringVar(&f.layout, "layout", "",
		"its layout: "+strings.Join(enum.NamesOf(dataset.Games), ", ")+" (default: as it was)")
	cmd.Flags().StringVar(&f.shape.Observation, "observation", "", "with layout steps, the encoding")
	cmd.Flags().StringVar(&f.shape.Mask, "mask", "", "with layout steps, the moves that count: legal or safe")
	cmd.Flags().IntVar(&f.shape.FileGames, "games-per-file", 0,
		"games in a file (default 10000 with layout games, else 100)")
}

// check reads the flags; was is the layout of what there is.
func (f *shapeFlags) check(was dataset.Layout) error {
	if f.out == "" {
		return usagef("no folder is named, want --out DIR")
	}
	f.shape.Layout = was
	if f.layout != "" {
		if err := f.shape.Layout.UnmarshalText([]byte(f.layout)); err != nil {
			return usagef("--layout: %w", err)
		}
	}
	return nil
}

func finished(out io.Writer, folder string, m *dataset.Manifest) error {
	_, err := fmt.Fprintf(out, "%s: %d games, %d steps, %d rows in %d files, %s\n", folder, m.Games, m.Steps, m.Rows,
		len(m.Files), inBytes(m.Bytes))
	return err
}

func newDataMerge() *cobra.Command {
	var f shapeFlags
	var keep dataset.Filter
	cmd := &cobra.Command{
		Use:     "merge DIR... --out DIR",
		Aliases: []string{"filter"},
		Short:   "Put data sets together, choose from their games, change their layout",
		Long: `Put the games of data sets together in a new one, all of them or those that are chosen.
The layout can be changed on the way: from games to steps, with any observation, and back.
Games get new numbers; the manifest says where they are from.`,
		Example: `  pommego data merge a b --out both
  pommego data filter a --out a-won --result Win --winner simple --max-steps 400
  pommego data merge a --out a-steps --layout steps --observation raw`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := keep.Validate(); err != nil {
				return usageError{err}
			}
			return some("data set", "DIR...")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return mergeData(cmd.OutOrStdout(), args, &f, &keep) },
	}
	f.add(cmd)
	cmd.Flags().StringVar(&keep.Result, "result", "", "only games with this result: Win, Tie, Loss, Incomplete")
	cmd.Flags().IntVar(&keep.MinSteps, "min-steps", 0, "only games of at least this many steps")
	cmd.Flags().IntVar(&keep.MaxSteps, "max-steps", 0, "only games of at most this many steps, 0: any")
	cmd.Flags().StringVar(&keep.Agent, "agent", "", "only games in which this agent plays")
	cmd.Flags().StringVar(&keep.Winner, "winner", "", "only games that this agent won, in some seat")
	cmd.Flags().IntVar(&keep.First, "first", 0, "only games from this number on")
	cmd.Flags().IntVar(&keep.Games, "games", 0, "only so many numbers, from --first on, 0: all")
	return cmd
}

func mergeData(out io.Writer, folders []string, f *shapeFlags, keep *dataset.Filter) error {
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
	if err := f.check(first.Layout); err != nil {
		return err
	}
	if f.shape.Layout == dataset.Steps {
		f.shape.Observation = cmp.Or(f.shape.Observation, first.Observation)
		f.shape.Mask = cmp.Or(f.shape.Mask, first.Mask)
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
	for _, name := range []string{keep.Agent, keep.Winner} {
		if name != "" && !slices.Contains(agents, name) {
			return usagef("no agent %q plays there, want one of %s", name, strings.Join(slices.Compact(agents), ", "))
		}
	}
	f.shape.Filter = keep.String()
	m, err := dataset.Merge(game, sets, f.shape, keep.Keep, f.out,
		dataset.Options{Version: version()})
	if errors.Is(err, dataset.ErrNotEmpty) {
		return usagef("%w; name another --out", err)
	}
	if err != nil {
		return err
	}
	return finished(out, f.out, m)
}
