package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/env"
)

func newData() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Check, show and change data sets that generate has made",
		Example: `  pommego data verify ffa
  pommego data show --json ffa
  pommego data merge --help`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q, want one of %s", args[0], strings.Join(commandNames(cmd), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, make := range dataCommands {
		cmd.AddCommand(make())
	}
	return cmd
}

var dataCommands = []func() *cobra.Command{newDataVerify, newDataShow, newDataMerge, newDataPack, newDataStates}

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
layout steps every value must come out again.

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
	var all struct {
		OK   bool              `json:"ok"`
		Sets []*dataset.Report `json:"sets"`
	}
	all.OK = true
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
		all.OK = all.OK && len(r.Problems) == 0
		all.Sets = append(all.Sets, r)
		if !asJSON {
			printVerified(out, r, replay)
		}
	}
	if asJSON {
		if err := printJSON(out, all); err != nil {
			return err
		}
	}
	if !all.OK {
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

func newDataShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "Say what a data set holds",
		Example: `  pommego data show ffa
  pommego data show --json ffa`,
		Args: exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := dataset.ReadManifest(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), m)
			}
			return showData(cmd.OutOrStdout(), args[0], m)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the manifest")
	return cmd
}

// showData prints what a data set holds, its columns last.
func showData(out io.Writer, folder string, m *dataset.Manifest) error {
	fmt.Fprintf(out, "%s: layout %s, %s, %d games, %d steps, %d rows in %d files, %s\n",
		folder, m.Layout, m.Env.ID, m.Games, m.Steps, m.Rows, len(m.Files), inBytes(m.Bytes))
	fmt.Fprintf(out, "%d games cut off\n", m.Statistics.Truncated)
	for _, a := range m.Statistics.Agents {
		fmt.Fprintf(out, "agent %s: %d seats, won %d, lost %d, tied %d\n", a.Agent, a.Games, a.Won, a.Lost, a.Tied)
	}
	for _, why := range m.Unrepeatable {
		fmt.Fprintf(out, "not repeatable: %s\n", why)
	}
	for _, c := range m.Columns {
		shape := ""
		if c.Shape != nil {
			shape = fmt.Sprintf(" of %s %v", c.DType, c.Shape)
		}
		fmt.Fprintf(out, "  %s (%s%s): %s\n", c.Name, c.Type, shape, c.Meaning)
	}
	return nil
}
