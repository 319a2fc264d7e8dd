package bots

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"testing"
)

const recorded = "../testdata/traces/simple_agent.jsonl.gz"

// decisions are the recorded decisions, a line each.
func decisions(t testing.TB) [][]byte {
	t.Helper()
	file, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for in := bufio.NewScanner(text); ; {
		if !in.Scan() {
			if in.Err() != nil {
				t.Fatal(in.Err())
			}
			return lines
		}
		lines = append(lines, bytes.Clone(in.Bytes()))
	}
}

func TestRecordedDecisions(t *testing.T) {
	lines := decisions(t)
	if len(lines) != 5000 {
		t.Errorf("%s holds %d decisions, want 5000", recorded, len(lines))
	}
	bad := 0
	for i, line := range lines {
		diffs, err := CheckDecision(line)
		if err != nil {
			t.Fatalf("decision %d: %v", i+1, err)
		}
		for _, d := range diffs {
			if bad++; bad <= 10 {
				t.Errorf("decision %d: %v", i+1, d)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d differences", bad)
	}
}
