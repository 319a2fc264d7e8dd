package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/dataset/card"
	"pommego/arena/dataset/joined"
	"pommego/env"
	"pommego/internal/disk"
	"pommego/internal/enum"
)

// shapeFlags are the flags of commands that put a data set together.
type shapeFlags struct {
	out, layout, arrays string
	shape               dataset.Shape
}

func (f *shapeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "the folder for the new data set")
	cmd.Flags().StringVar(&f.layout, "layout", "", "its layout: "+strings.Join(enum.NamesOf(dataset.Games), ", ")+" (default: as it was)")
	cmd.Flags().StringVar(&f.shape.Observation, "observation", "", "with layout steps, the encoding")
	cmd.Flags().StringVar(&f.arrays, "arrays", "", arraysUsage+" (default: as it was)")
	cmd.Flags().IntVar(&f.shape.FileGames, "games-per-file", 0, "games in a file (default 10000, or 100 with layout steps)")
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
	if f.arrays != "" {
		if err := f.shape.Arrays.UnmarshalText([]byte(f.arrays)); err != nil {
			return usagef("--arrays: %w", err)
		}
	}
	return nil
}

// finished prints what has been put together.
func finished(out io.Writer, folder string, m *dataset.Manifest) error {
	_, err := fmt.Fprintf(out, "%s: %d games, %d steps, %d rows in %d files, %s\n", folder, m.Games, m.Steps, m.Rows, len(m.Files), inBytes(m.Bytes))
	return err
}

// assembling are the options of putting data sets together.
func assembling() dataset.Options { return dataset.Options{Version: version(), Card: card.Files} }

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
  pommego data filter a --out won --result Win --winner simple --max-steps 400
  pommego data merge a --out a-steps --layout steps --observation raw
  pommego data merge a-steps --out a-lists --arrays lists`,
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
	return cmd
}

func mergeData(out io.Writer, folders []string, f *shapeFlags, keep *dataset.Filter) error {
	var sets []*dataset.Set
	for _, folder := range folders {
		set, err := dataset.Open(folder)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	first := sets[0].Manifest
	if f.layout == "" || f.layout == dataset.Steps.String() {
		f.shape.Arrays = first.Arrays
	}
	if err := f.check(first.Layout); err != nil {
		return err
	}
	if f.shape.Layout == dataset.Steps && f.shape.Observation == "" {
		f.shape.Observation = first.Observation
	}
	game, err := playedIn(first)
	if err != nil {
		return err
	}
	f.shape.Filter = keep.String()
	m, err := dataset.Merge(game, sets, f.shape, keep.Keep, f.out, assembling())
	if errors.Is(err, dataset.ErrNotEmpty) {
		return usagef("%w; name another --out", err)
	}
	if err != nil {
		return err
	}
	return finished(out, f.out, m)
}

func newDataExport() *cobra.Command {
	var o struct {
		out  string
		game int
	}
	cmd := &cobra.Command{
		Use:   "export DIR --out FOLDER",
		Short: "Write games as the original Pommerman's JSON records",
		Long: `Write the games of a data set as the original Pommerman records them, a file a game: the
states of all steps as its join_json_state puts them together.`,
		Example: `  pommego data export ffa --out records
  pommego data export ffa --out records --game 17`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return usagef("no folder is named, want --out FOLDER")
			}
			return exactly(1, "DIR")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exportData(cmd.OutOrStdout(), args[0], o.out, o.game)
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "the folder for the records")
	cmd.Flags().IntVar(&o.game, "game", -1, "only the game of this number, from 0")
	return cmd
}

func exportData(out io.Writer, folder, to string, only int) error {
	set, game, err := openSet(folder)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	line := newProgress()
	defer line.erase()
	written := 0
	write := func(e *dataset.Episode) error {
		text, err := joined.Format(game, e, set.Names(e))
		if err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
		written++
		line.show("%d of %d games", written, set.Manifest.Games)
		return disk.WriteFile(disk.OS, filepath.Join(to, fmt.Sprintf("%06d.json", e.Game)), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if only >= 0 {
		e, err := set.Episode(only)
		if err != nil {
			return err
		}
		if err := write(e); err != nil {
			return err
		}
	} else if err := set.Episodes(write); err != nil {
		return err
	}
	line.erase()
	_, err = fmt.Fprintf(out, "%s: %d records\n", to, written)
	return err
}

func newDataImport() *cobra.Command {
	var f shapeFlags
	var chosen chosenGame
	cmd := &cobra.Command{
		Use:   "import FILE|FOLDER... --out DIR",
		Short: "Read games from the original Pommerman's JSON records",
		Long: `Read games that the original Pommerman has recorded, files as its join_json_state writes
them, and make a data set of them. Of a folder, all .json files in it and below are read.
Each game is played again and must come out as it is recorded. Such records name an
environment and no rules: --rules says them if they differ from its own.`,
		Example: `  pommego data import records --out ffa
  pommego data import 1/game_state.json 2/game_state.json --out ffa --layout steps
  pommego data import records --out short --rules '{"max_steps": 100}'`,
		Args: some("record", "FILE or FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(dataset.Games); err != nil {
				return err
			}
			return importData(cmd.OutOrStdout(), args, chosen, &f)
		},
	}
	f.add(cmd)
	chosen.add(cmd, "")
	cmd.Flag("env").Usage = "the environment's id (default: what the first record says)"
	return cmd
}

func importData(out io.Writer, args []string, chosen chosenGame, f *shapeFlags) error {
	paths, err := recordsIn(args)
	if err != nil {
		return err
	}
	agents, first, err := agentsIn(paths)
	if err != nil {
		return err
	}
	if chosen.id == "" {
		base, own := strings.CutPrefix(first, "custom:")
		if own && chosen.rules == "" {
			return usagef("the first record is of %q, and such records do not hold the rules: give them with --rules", first)
		}
		chosen.id = base
	}
	game, err := chosen.game()
	if err != nil {
		return err
	}
	f.shape.Agents = agents
	a, err := dataset.NewAssembly(game, f.shape, f.out, assembling())
	if errors.Is(err, dataset.ErrNotEmpty) {
		return usagef("%w; name another --out", err)
	}
	if err != nil {
		return err
	}
	defer a.Close()
	line := newProgress()
	defer line.erase()
	for i, path := range paths {
		line.show("%d of %d games", i, len(paths))
		if err := addRecord(a, game, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	line.erase()
	m, err := a.Finish([]dataset.Source{{What: "records of the original Pommerman", Games: len(paths), Kept: len(paths)}})
	if err != nil {
		return err
	}
	return finished(out, f.out, m)
}

// recordsIn lists the files that are named, and those in folders.
func recordsIn(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == arg || strings.HasSuffix(path, ".json")) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: there are no .json files", strings.Join(args, ", "))
	}
	return paths, nil
}

// agentsIn lists all agents of some records, and the first record's id.
func agentsIn(paths []string) (agents []string, id string, err error) {
	for i, path := range paths {
		g, err := readRecord(path)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
		if i == 0 {
			id = g.Config
		}
		for _, name := range g.Agents {
			if !slices.Contains(agents, name) {
				agents = append(agents, name)
			}
		}
	}
	return agents, id, nil
}

func readRecord(path string) (*joined.Game, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return joined.Parse(text)
}

func addRecord(a *dataset.Assembly, game env.Game, path string) error {
	g, err := readRecord(path)
	if err != nil {
		return err
	}
	e, err := g.Episode(game)
	if err != nil {
		return err
	}
	return a.Add(e, g.Agents)
}
