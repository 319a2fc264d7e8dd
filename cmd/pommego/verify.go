package main

import (
	"io"

	"github.com/spf13/cobra"

	"pommego/arena/trace"
	"pommego/env/catalog"
	"pommego/llm/dialogue"
)

// formats are the formats of files that can be checked. Those of recorded games can be shown, too.
var formats = trace.Formats(append(catalog.Formats(), dialogue.Formats(catalog.Formats())...))

func newVerify() *cobra.Command {
	var show int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE|FOLDER...",
		Short: "Replay recorded games and compare everything recorded",
		Long: `Replay recorded games, from their start and their actions alone, and compare
everything else they hold: states, rewards, results, observations. Files are JSON
Lines, plain or .gz; the format is recognised. Of a folder, all files named *.jsonl and
*.jsonl.gz are checked, those in its folders too. Prints one line per file, the first
differences, and then how many games, steps and mismatches there were. A damaged file is
an error.

The original's own recordings are read, too: files named game_state.json, and folders of
states (000.json and so on).

Of dialogues (--record-dialogues) the games are replayed.

Exits with 0 only if something was compared and nothing differed.`,
		Example: `  pommego verify games.jsonl.gz
  pommego verify --json recorded
  pommego verify --show 100 games.jsonl`,
		Args: some("file", "FILE|FOLDER..."),
		RunE: func(cmd *cobra.Command, args []string) error { return verify(cmd.OutOrStdout(), args, show, asJSON) },
	}
	cmd.Flags().IntVar(&show, "show", 10, "how many mismatches to list")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func verify(out io.Writer, paths []string, show int, asJSON bool) error {
	if show < 0 {
		return usagef("--show is %d, want 0 or more", show)
	}
	lines := out
	if asJSON {
		lines = io.Discard
	}
	total, err := formats.VerifyAll(lines, paths, show)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(out, total)
	}
	if err == nil && !total.OK {
		err = errFound
	}
	return err
}
