package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
)

// Every game and board recorded from the Java re-implementation comes out again.
func TestRecordedJava(t *testing.T) {
	for _, tc := range []struct {
		file                 string
		games, steps, boards int
	}{
		{"crafted", 53, 243, 0},
		{"ffa", 1, 108, 0},
		{"ffa-36", 1, 155, 0},
		{"ffa-collapse", 3, 452, 0},
		{"ffa-po", 2, 144, 0},
		{"micro", 90, 446, 0},
		{"mutated", 50, 304, 0},
		{"overlap", 100, 496, 0},
		{"radio", 2, 612, 0},
		{"rolling", 70, 303, 0},
		{"search", 1, 562, 0},
		{"search-po", 1, 21, 0},
		{"team", 1, 330, 0},
		{"team-collapse", 3, 448, 0},
		{"team-po", 2, 73, 0},
		{"boards", 0, 0, 80},
	} {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			report, err := formats.Verify("testdata/java/"+tc.file+".jsonl.gz", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Error(d)
			}
			if report.Mismatches != 0 || report.Games != tc.games || report.Steps != tc.steps || report.Decisions != tc.boards {
				t.Errorf("%d games, %d steps, %d boards and %d mismatches, want %d, %d, %d and 0",
					report.Games, report.Steps, report.Decisions, report.Mismatches, tc.games, tc.steps, tc.boards)
			}
		})
	}
}

// Each scene is one sentence of the rules page, played by the original.
func TestJavaScenes(t *testing.T) {
	for _, line := range tracetest.Lines(t, "testdata/java/crafted.jsonl.gz") {
		rec, err := recordingJava.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(rec.Info().Name, func(t *testing.T) {
			report, err := check(line)
			if err != nil || report.Mismatches > 0 {
				t.Errorf("%s: %v, %v", rec.Info().Note, err, report.Differences)
			}
		})
	}
}

// An altered value of any kind is found under its name.
func TestAlteredJavaRecordIsFound(t *testing.T) {
	enter, tie := tracetest.Lines(t, "testdata/java/crafted.jsonl.gz")[1], tracetest.Lines(t,
		"testdata/java/crafted.jsonl.gz")[44]
	radio, board := tracetest.Lines(t, "testdata/java/radio.jsonl.gz")[0], tracetest.Lines(t,
		"testdata/java/boards.jsonl.gz")[3]
	for _, tc := range []struct {
		field    string
		line     []byte
		old, new string
	}{
		{"results", tie, `"results":[2,2,1,1]`, `"results":[2,2,1,2]`},
		{"rewards", tie, `"rewards":[-1,-1,-1,-1]`, `"rewards":[-1,0,-1,-1]`},
		{"flames (order)", enter, `"flames":[[0,0,5],[0,1,5]]`, `"flames":[[0,1,5],[0,0,5]]`},
		{"flames", enter, `"flames":[[0,0,5],[0,1,5]]`, `"flames":[[0,0,5],[0,1,5],[0,1,5]]`},
		{"radio[0].word", radio, `"radio":[[7,8,0,5,1]`, `"radio":[[7,8,0,5,2]`},
		{"obs[0].alive", radio, `"alive":[10,11,12,13],"step_count":10`, `"alive":[10,11,12],"step_count":10`},
		{"obs[0].agents", radio, `"agents":[[1,1,1,2,0],[9,1,1,2,0]`, `"agents":[[1,1,1,2,0],[null,null,1,2,0]`},
		{"board[", board, `"board":"000`, `"board":"001`},
		{"rigid", board, `"rigid":20`, `"rigid":21`},
	} {
		altered := bytes.Replace(tc.line, []byte(tc.old), []byte(tc.new), 1)
		if bytes.Equal(altered, tc.line) {
			t.Errorf("%s: there is no %s to alter", tc.field, tc.old)
			continue
		}
		report, err := check(altered)
		if err != nil || report.Mismatches == 0 {
			t.Errorf("%s was altered: %v, %d mismatches", tc.field, err, report.Mismatches)
			continue
		}
		if got := report.Differences[0].Field; !strings.HasPrefix(got, tc.field) {
			t.Errorf("%s was altered, found %s", tc.field, got)
		}
	}
}

// Values are compared, not text: a record with spaces is the same record.
func TestSpacesInJavaRecords(t *testing.T) {
	for _, file := range []string{"radio", "ffa", "decisions", "heuristic"} {
		lines := tracetest.Lines(t, "testdata/java/"+file+".jsonl.gz")
		for i, line := range lines[:min(len(lines), 5)] {
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, line, " ", " "); err != nil {
				t.Fatal(err)
			}
			if report, err := check(spaced.Bytes()); err != nil || report.Mismatches > 0 {
				t.Errorf("%s, record %d: %d mismatches, such as %v, error %v", file, i+1, report.Mismatches, report.Differences,
					err)
			}
		}
	}
}
