package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"pommego/arena/trace"
	"pommego/env/catalog"
	"pommego/env/record"
)

// formats are the forms of recorded games that can be checked and shown.
var formats = trace.Formats(catalog.Formats())

// recordedName is what files of recorded games in folders are named like.
var recordedName = regexp.MustCompile(`\.jsonl(\.gz)?$`)

func newVerify() *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use:   "verify FILE|FOLDER...",
		Short: "Replay recorded games and compare everything recorded",
		Long: `Replay recorded games, from their start and their actions alone, and compare
everything else they hold: states, rewards, results, observations. Files are JSON
Lines, plain or .gz; the format is recognised. Of a folder, all files named
*.jsonl and *.jsonl.gz are checked, those in its folders too. Recorded decisions (of the
SimpleAgent and of the Java version's players), values of heuristics and dealt
boards are made again too. Prints a line a file, the first differences, and then
how many games, steps (or decisions, values, boards) and mismatches there were. A
damaged file is an error.

Exits with 0 only if something was compared and nothing differed.`,
		Example: `  pommego verify games.jsonl.gz
  pommego verify --json recorded
  pommego verify --show 100 --workers 1 games.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usagef("no file is named, want FILE|FOLDER...")
			case v.show < 0:
				return usagef("--show is %d, want 0 or more", v.show)
			case v.workers < 0:
				return usagef("--workers is %d, want 0 (all cores) or more", v.workers)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args) },
	}
	cmd.Flags().IntVar(&v.show, "show", 10, "how many mismatches to list")
	cmd.Flags().IntVar(&v.workers, "workers", 0, "how many games to check at a time, 0: as many as there are cores")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print one JSON object")
	return cmd
}

// verification is one run of the command: its flags, and what it found.
type verification struct {
	show, workers int
	asJSON        bool
	listed        int // differences
	total         verifyTotal
}

// verifyTotal is what --json prints.
type verifyTotal struct {
	OK bool `json:"ok"`
	record.Counts
	Errors int          `json:"errors"`
	Files  []verifyFile `json:"files"`

	wrong map[string]int // mismatches, by what the files hold
}

type verifyFile struct {
	trace.FileReport
	Error string `json:"error,omitempty"`
}

func (v *verification) run(out io.Writer, paths []string) error {
	files, err := recordedGames(paths)
	if err != nil {
		return err
	}
	line := newProgress()
	for _, path := range files {
		keep := v.show - v.listed
		if keep == 0 {
			keep = -1 // none; 0 would be the default
		}
		report, err := formats.Verify(path, trace.Options{
			Workers: v.workers, Keep: keep,
			Progress: func(f trace.FileReport) { line.show("%s: %s", path, f.Checked()) },
		})
		line.erase()
		v.listed += len(report.Differences)
		v.total.add(report, err)
		if !v.asJSON {
			v.total.Files[len(v.total.Files)-1].report(out)
		}
	}
	t := &v.total
	t.OK = t.Mismatches == 0 && t.Errors == 0 && t.Steps+t.Decisions+t.Boards+t.Values > 0
	if v.asJSON {
		if err := printJSON(out, t); err != nil {
			return err
		}
	} else {
		t.report(out)
	}
	if !t.OK {
		return errFound
	}
	return nil
}

// recordedGames is the files named, and in place of folders the files in them.
func recordedGames(paths []string) (files []string, err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path) // what is wrong with it is found on reading
			continue
		}
		before := len(files)
		err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && recordedName.MatchString(d.Name()) {
				files = append(files, at)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: there is no file named *.jsonl or *.jsonl.gz in this folder", path)
		}
	}
	return files, nil
}

func (t *verifyTotal) add(report trace.FileReport, err error) {
	f := verifyFile{FileReport: report}
	if err != nil {
		f.Error = err.Error()
		t.Errors++
	}
	t.Counts.Add(report.Counts)
	if t.wrong == nil {
		t.wrong = map[string]int{}
	}
	t.wrong[report.Kind()] += report.Mismatches
	t.Files = append(t.Files, f)
}

// onEach is what there is one of on a line of a file, where that is no game.
var onEach = map[string]string{"decisions": "decision", "boards": "board", "values": "values"}

// report writes the file's line and, below it, its differences.
func (f *verifyFile) report(out io.Writer) {
	if f.Error != "" {
		fmt.Fprintf(out, "error: %s (after %s, %d mismatches)\n", f.Error, f.Checked(), f.Mismatches)
	} else {
		fmt.Fprintf(out, "%s: %s, %d mismatches\n", f.File, f.Checked(), f.Mismatches)
	}
	what, ok := onEach[f.Kind()]
	for _, d := range f.Differences {
		if !ok {
			fmt.Fprintf(out, "  %s: %s\n", f.File, d)
		} else {
			fmt.Fprintf(out, "  %s: %s %d, %s: expected %s, got %s\n", f.File, what, d.Game, d.Field, d.Expected, d.Got)
		}
	}
}

// report writes the last lines: boards and values have one of their own, and
// decisions if there were games too. The last counts all mismatches.
func (t *verifyTotal) report(out io.Writer) {
	if t.Errors > 0 {
		fmt.Fprintf(out, "%d of %d files could not be checked\n", t.Errors, len(t.Files))
	}
	if t.Boards > 0 {
		fmt.Fprintf(out, "%d boards, %d mismatches\n", t.Boards, t.wrong["boards"])
	}
	if t.Values > 0 {
		fmt.Fprintf(out, "%d values, %d mismatches\n", t.Values, t.wrong["values"])
	}
	switch {
	case t.Decisions == 0:
		fmt.Fprintf(out, "%d games, %d steps, %d mismatches\n", t.Games, t.Steps, t.Mismatches)
	case t.Games == 0:
		fmt.Fprintf(out, "%d games, %d decisions, %d mismatches\n", t.Games, t.Decisions, t.Mismatches)
	default:
		fmt.Fprintf(out, "%d decisions, %d mismatches\n", t.Decisions, t.wrong["decisions"])
		fmt.Fprintf(out, "%d games, %d steps, %d mismatches\n", t.Games, t.Steps, t.Mismatches)
	}
}
