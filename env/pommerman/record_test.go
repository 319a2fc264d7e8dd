package pommerman

import (
	"path/filepath"
	"testing"

	"pommego/env/trace"
)

var checkers = trace.Checkers{RecordFormat: trace.CheckFunc(CheckRecord)}

// recorded lists the files of recorded games of the reference, with how much
// each holds.
var recorded = []struct {
	file         string
	games, steps int
}{
	{"crafted", 120, 479},
	{"ffa", 72, 5962},
	{"ffa-collapse", 40, 1493},
	{"micro", 600, 2739},
	{"onevsone", 20, 1593},
	{"radio", 30, 2180},
	{"team", 45, 3239},
	{"team-collapse", 30, 748},
	{"team-nofog", 12, 1306},
}

func recordFile(name string) string {
	return filepath.Join("testdata", "traces", name+".jsonl.gz")
}

// Every recorded game replays without a difference.
func TestRecordedGames(t *testing.T) {
	for _, tc := range recorded {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			report, err := checkers.Verify(recordFile(tc.file), trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Error(d)
			}
			if report.Mismatches != 0 {
				t.Errorf("%d mismatches, want 0", report.Mismatches)
			}
			if report.Games != tc.games || report.Steps != tc.steps {
				t.Errorf("checked %d games and %d steps, want %d and %d", report.Games, report.Steps, tc.games, tc.steps)
			}
		})
	}
}
