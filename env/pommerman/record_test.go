package pommerman

import (
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/trace"
	"pommego/env/record"
)

var checkers = trace.Formats(Formats)

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

// A replay that is shown takes the recorded course.
func TestOpenRecord(t *testing.T) {
	for _, line := range recordLines(t, "team-collapse")[:3] {
		shown, err := OpenRecord(line)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := ParseRecord(line)
		if err != nil {
			t.Fatal(err)
		}
		for i := range shown.Len() {
			if err := shown.Step(); err != nil {
				t.Fatal(err)
			}
			want := &rec.steps[i]
			if st := shown.Status(); st.Steps != *want.StepCount || st.Over != bool(*want.Done) || st.Result.String() != want.Result {
				t.Fatalf("step %d: %+v, want as recorded: %+v", i+1, st, want)
			}
			// The picture begins with a line of text; rows of two characters a
			// cell follow. Rigid walls fall before the picture is drawn.
			row := strings.Split(string(shown.AppendText(nil, false)), "\n")[1]
			if got, want := row[:2] == "##", want.Board[0] == '1'; got != want {
				t.Fatalf("step %d: the picture's first row is %q, the recorded board begins with %s", i+1, row, rec.steps[i].Board[:11])
			}
		}
		if err := shown.Step(); err == nil {
			t.Error("a step past the last was made")
		}
		if info := shown.Info(); info.Variant != "team-collapse" || len(info.Policies) != 4 || info.Seed == 0 {
			t.Errorf("info is %+v", info)
		}
	}
}

// The raw encoding is compared with the view value by value: an altered one of
// any kind is found under its name.
func TestAlteredRawEncodingIsFound(t *testing.T) {
	rec, err := ParseRecord(recordLines(t, "radio")[0])
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{rules: &rec.Rules, raw: newRawEncoder(&rec.Rules)}
	c.rules.See(&rec.Start, 1, &c.view)
	seen := c.view.seen()
	raw := c.raw.observe(&rec.Start, 1)
	if c.obs("", &seen, &raw); c.Report.Mismatches != 0 {
		t.Fatalf("before anything is altered: %v", c.Report.Differences)
	}
	check := func(b *byte, name string) {
		t.Helper()
		*b ^= 1
		c.Report = record.Report{}
		raw := c.raw.match.game.unpackRaw(c.raw.fields[0], c.raw.fields[1])
		c.obs("", &seen, &raw)
		*b ^= 1
		if c.Report.Mismatches != 1 || !strings.HasPrefix(c.Report.Differences[0].Field, name) {
			t.Errorf("%s was altered, found %v", name, c.Report.Differences)
		}
	}
	for i, m := range rawMaps {
		check(&c.raw.fields[0][i*121+60], m.Name+"[5,5]")
	}
	for i, s := range c.raw.match.game.Spec().Encodings[encodingRaw].Fields[1].Names {
		name := strings.TrimRight(s.Name, "0123456789")
		switch name {
		case "enemy":
			name = "enemies"
		case "row", "col":
			name = "position"
		}
		check(&c.raw.fields[1][2*i], name)
	}
}
