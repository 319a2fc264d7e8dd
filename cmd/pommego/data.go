package main

import (
	"fmt"
	"io"
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
