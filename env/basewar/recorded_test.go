package basewar

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
)

var update = flag.Bool("update", false, "write the recorded games in testdata/traces anew")

// TestRecordedGames checks the recorded games: every scenario of TestDocument and
// TestReadings under its name (crafted), and random games of all variants. They
// are written anew with -update, which is right only when a rule has changed on
// purpose: then Version grows.
func TestRecordedGames(t *testing.T) {
	for _, tc := range []struct {
		file   string
		write  func(*testing.T) [][]byte
		games  int
		rounds int
	}{
		{"crafted", craftedRecords, 83, 140},
		{"variants", variantRecords, 48, 2950},
		{"version1", nil, 2, 140}, // by the rules of version 1, which they carry
	} {
		t.Run(tc.file, func(t *testing.T) {
			path := filepath.Join("testdata", "traces", tc.file+".jsonl.gz")
			if *update && tc.write != nil {
				writeRecords(t, path, tc.write(t))
			}
			report, err := trace.Formats{Recorded}.Verify(path, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Error(d)
			}
			if report.Games != tc.games || report.Steps != tc.rounds || report.Mismatches != 0 {
				t.Errorf("checked %d games and %d rounds with %d mismatches, want %d and %d with none", report.Games, report.Steps,
					report.Mismatches, tc.games, tc.rounds)
			}
		})
	}
}

func writeRecords(t *testing.T, path string, lines [][]byte) {
	t.Helper()
	_ = os.Remove(path) // trace.Write makes new files
	if err := trace.Write(path, lines...); err != nil {
		t.Fatal(err)
	}
}

// craftedRecords is a record of each scenario.
func craftedRecords(t *testing.T) [][]byte {
	var lines [][]byte
	for _, list := range [][]scenario{document, readings} {
		for i := range list {
			sc := &list[i]
			g, s := sc.begin(t)
			info := record.Info{EnvID: "BaseWar-v0", Variant: "crafted", Name: sc.name, Note: sc.reason, Setup: "crafted",
				Policies: slices.Repeat([]string{"scripted"}, NumBombers), ObsEvery: 1}
			m := &Match{State: s, game: g}
			rec, err := m.Record(info)
			if err != nil {
				t.Fatal(err)
			}
			for round := range sc.want {
				actions := sc.actions(round)
				m.Step(actions)
				if err := rec.Step(actions); err != nil {
					t.Fatalf("%s: %v", sc.name, err)
				}
				if g.rules.Over(&m.State) {
					break
				}
			}
			line, err := rec.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// variantRecords is random games of every variant, more of the contest's own.
func variantRecords(t *testing.T) [][]byte {
	var lines [][]byte
	all := variants()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		games := 2
		if name == "standard" || name == "sides" {
			games = 8
		}
		for episode := range uint64(games) {
			line, _ := recordGame(t, mustGame(t, all[name]), env.Seed{Value: 30, Episode: episode}, 20)
			lines = append(lines, line)
		}
	}
	return lines
}
