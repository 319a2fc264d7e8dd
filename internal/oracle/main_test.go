package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env/record"
)

// check checks one record.
func check(line []byte) (record.Report, error) {
	f, err := formats.Of(line)
	if err != nil {
		return record.Report{}, err
	}
	return f.Check(line)
}

// TestValues: values of heuristics and boards count as decisions, apart from games. An altered one is found.
func TestValues(t *testing.T) {
	text := string(bytes.Join(tracetest.Lines(t, "testdata/java/heuristic.jsonl.gz")[:5], []byte("\n")))
	made := string(bytes.Join(tracetest.Lines(t, recordedDecisions)[:20], []byte("\n")))
	good, bad := filepath.Join(t.TempDir(), "good.jsonl"), filepath.Join(t.TempDir(), "bad.jsonl")
	wrong := filepath.Join(t.TempDir(), "wrong.jsonl")
	for path, text := range map[string]string{good: text,
		bad:   strings.Replace(text, `"win_score":0`, `"win_score":1`, 1),
		wrong: strings.Replace(made, `"prev_direction_after":0`, `"prev_direction_after":1`, 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		paths []string
		ok    bool
		want  []string
	}{
		{
			[]string{good, "testdata/java/decisions.jsonl.gz", "testdata/java/boards.jsonl.gz"}, true,
			[]string{"497 decisions, 0 mismatches\n0 games, 0 steps, 0 mismatches\n"},
		},
		{[]string{bad}, false, []string{bad + ": decision 1, win_score: expected ", "\n20 decisions, 1 mismatches\n"}},
		{
			[]string{wrong, "testdata/2018/crafted.jsonl.gz"}, false,
			[]string{
				wrong + ": 20 decisions, 1 mismatches\n", wrong + ": decision 1, prev_direction_after: expected 1",
				"\n20 decisions, 1 mismatches\n", " steps, 1 mismatches\n",
			},
		},
		{[]string{filepath.Join(t.TempDir(), "none")}, false, []string{"error: ", "1 of 1 files could not be checked"}},
	} {
		var out strings.Builder
		total, err := formats.VerifyAll(&out, tc.paths, 10)
		if err != nil || total.OK != tc.ok {
			t.Errorf("%v: %+v, %v; want ok %v", tc.paths, total, err, tc.ok)
		}
		for _, want := range tc.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: printed %q, want %q in it", tc.paths, out.String(), want)
			}
		}
	}
}
