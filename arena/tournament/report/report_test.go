package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pommego/arena/ledger"
	"pommego/arena/tournament"
	"pommego/env"
)

var update = flag.Bool("update", false, "write the golden files anew")

func ptr(x float64) *float64 { return &x }

// sample is a report written by hand: two agents with figures that are easy to
// find again, one of them with a name that wants quoting.
func sample() *tournament.Report {
	around := func(x, by float64) tournament.Estimate {
		return tournament.Estimate{Value: x, Low: x - by, High: x + by}
	}
	sides := []tournament.SideWins{{Seats: []int{0}, Games: 2, Wins: 2}, {Seats: []int{1}, Games: 2, Wins: 1}}
	strong := tournament.Standing{
		Agent: "mcts:ticks=20,c=25", Games: 4, Wins: 3, Losses: 1,
		Win: around(0.75, 0.125), Loss: around(0.25, 0.125), Rating: around(150.4, 100), Steps: around(321.5, 20),
		Moves: 1286, Ticks: 19.96, Sides: sides,
		Counts: []tournament.Count{{Name: "kills", Estimate: around(1.25, 0.5)},
			{Name: "team_kills", Estimate: around(0, 0)}},
	}
	weak := tournament.Standing{
		Agent: "exec:a|b", Games: 4, Losses: 3, Ties: 1,
		Loss: around(0.75, 0.125), Tie: around(0.25, 0.125), Rating: around(-150.4, 100), Steps: around(100, 0),
		Moves: 400, Late: 7, Failed: 2, Gone: 9, Sides: sides,
		Counts: []tournament.Count{{Name: "kills", Estimate: around(0.25, 0.25)},
			{Name: "team_kills", Estimate: around(0, 0)}},
	}
	third := weak
	third.Agent, third.Late, third.Failed, third.Gone = "static", 0, 0, 0
	return &tournament.Report{
		Results: &tournament.Results{
			Env: "PommeFFACompetition-v0", Version: 1, Seeds: 1, Played: 12, Balanced: true, Anchor: "simple",
			Prior: "one more game",
			Config: tournament.Config{
				Format: tournament.OneAgainstThree, Agents: []string{strong.Agent, weak.Agent, third.Agent},
				Against: "simple", Games: 4, Seed: 7,
			},
			Agents: []tournament.Standing{strong, weak, third},
			Pairs: []tournament.Pair{
				{Row: "mcts:ticks=20,c=25", Col: "exec:a|b", RowOnly: 97, ColOnly: 3, Both: 1, Neither: 2, Share: ptr(0.97),
					P: 1e-9},
				{Row: "mcts:ticks=20,c=25", Col: "static", RowOnly: 15, ColOnly: 5, Share: ptr(0.75), P: 0.041},
				{Row: "exec:a|b", Col: "static", Neither: 4, P: 1},
			},
		},
		Timing: &tournament.Timing{Agents: []tournament.AgentTime{
			{Agent: strong.Agent, Moves: 1286, Mean: 12345678, Longest: 98765432,
				Total: 15876543210, TicksPerSecond: 1234567.8},
			{Agent: weak.Agent, Moves: 400, Mean: 999, Longest: 1000, Total: 399600},
		}},
		Records: []tournament.Record{{
			Played: ledger.Played{Seed: env.Seed{Value: 7}, Agents: []string{"mcts:ticks=20,c=25", "exec:a|b"}, Steps: 300},
			Result: []env.SeatResult{env.Won, env.Lost}, Outcome: []float64{1, -1},
			Moves: []int{300, 20}, Ticks: []uint64{6000, 0}, Late: []int{0, 1}, Failed: []int{0, 0},
			Counts: env.Counts{"kills": {1, 0}, "team_kills": {0, 0}},
		}},
	}
}

// TestGolden compares all that is written as text, byte for byte.
func TestGolden(t *testing.T) {
	r := sample()
	folder := filepath.Join(t.TempDir(), "a", "b")
	if err := WriteFolder(folder, r); err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, name := range fileNames() {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = content
	}
	for name, content := range got {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content, want) {
			t.Errorf("%s differs; got\n%s\nwant\n%s", name, content, want)
		}
	}
}

// TestFolder: the folder holds the files listed and nothing else, readable by
// all, and a second report takes the place of the first.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	for range 2 {
		if err := WriteFolder(folder, sample()); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
			}
			names = append(names, e.Name())
		}
		want := fileNames()
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("the folder holds %q, want %q", names, want)
		}
	}
}

// fileNames are those of the files that WriteFolder writes.
func fileNames() []string {
	var all []string
	for _, f := range files {
		all = append(all, f.name)
	}
	return all
}

// TestTimingKeptApart: the clock shows in no file but its own.
func TestTimingKeptApart(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	r := sample()
	if err := WriteFolder(a, r); err != nil {
		t.Fatal(err)
	}
	r.Timing.Agents[0].Mean *= 2
	r.Records[0].Clock.Think = []time.Duration{1, 2}
	if err := WriteFolder(b, r); err != nil {
		t.Fatal(err)
	}
	for _, name := range fileNames() {
		one, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if differ := !bytes.Equal(one, other); differ != strings.HasPrefix(name, "timing.") {
			t.Errorf("%s differs between two runs: %v", name, differ)
		}
	}
}

// TestParses reads the data files as others would.
func TestParses(t *testing.T) {
	r := sample()
	var out bytes.Buffer
	if err := JSON(&out, r.Results); err != nil {
		t.Fatal(err)
	}
	var back tournament.Results
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || *back.Pairs[0].Share != 0.97 ||
		back.Pairs[2].Share != nil || back.Agents[1].Late != 7 || back.Format != tournament.OneAgainstThree {
		t.Errorf("JSON read back: %+v, %v", back, err)
	}
}

// TestLineFeeds: a line feed in a name breaks no table and no sentence.
func TestLineFeeds(t *testing.T) {
	text := func(gap string) string {
		r, out := sample().Results, new(bytes.Buffer)
		for _, name := range []*string{&r.Against, &r.Anchor, &r.Agents[0].Agent, &r.Agents[1].Agent} {
			*name = "exec:a" + gap + "b"
		}
		r.SPRT, r.Test = new(tournament.SPRT), new(tournament.Test)
		if err := Text(out, r); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got, want := text("\n"), text(" "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// letters is a writer that refuses a part of a letter.
type letters struct{}

func (letters) Write(text []byte) (int, error) {
	if !utf8.Valid(text) {
		return 0, errors.New("it has a part of a letter")
	}
	return len(text), nil
}

// TestWholeLetters: no letter of a long report is split between two writes.
func TestWholeLetters(t *testing.T) {
	for _, first := range []string{"", "x"} {
		r := sample().Results
		r.Agents[0].Agent = first + strings.Repeat("\u00f6", 3000)
		if err := Text(letters{}, r); err != nil {
			t.Errorf("%q first: %v", first, err)
		}
	}
}

// TestOneAgent: a single agent has nobody to be compared with.
func TestOneAgent(t *testing.T) {
	r := sample().Results
	r.Agents, r.Pairs = r.Agents[:1], nil
	var out bytes.Buffer
	if err := Text(&out, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "Row against column") {
		t.Error("there is a table of pairs")
	}
}

func TestSummary(t *testing.T) {
	for _, test := range []struct {
		change func(r *tournament.Results)
		want   string
	}{
		{func(r *tournament.Results) {},
			"PommeFFACompetition-v0, one-against-three against simple: 4 games for each of 3 agents, seeds from 7."},
		{func(r *tournament.Results) { r.Format, r.Against = tournament.RoundRobin, "" },
			"PommeFFACompetition-v0, round-robin: 4 games at each of 3 tables, seeds from 7."},
		{func(r *tournament.Results) { r.Balanced = false },
			"PommeFFACompetition-v0, one-against-three against simple: 4 games for each of 3 agents, seeds from 7. " +
				"The number of games is no multiple of the number of sides, so seats are not quite balanced."},
	} {
		r := sample().Results
		test.change(r)
		if got := summary(r); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 12345: "12.3µs", 98765432: "98.8ms", 1234567890: "1.23s",
	} {
		if got := rounded(d); got != want {
			t.Errorf("rounded(%d) is %s, want %s", d, got, want)
		}
	}
}

// TestScreen: on a terminal no line of a table is wider than it, every figure is there, and the standings come last.
func TestScreen(t *testing.T) {
	r := sample()
	for _, columns := range []int{0, 60, 80, 110} {
		var out, whole bytes.Buffer
		if err := errors.Join(Screen(&out, r, columns), Text(&whole, r.Results)); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line) - 1; columns > 0 && strings.HasPrefix(line, "|") && n > columns {
				t.Errorf("in %d columns a line has %d: %s", columns, n, line)
			}
		}
		for _, cell := range strings.FieldsFunc(whole.String(), func(r rune) bool { return r == '|' || r == '\n' }) {
			if cell = strings.TrimSpace(cell); !strings.HasPrefix(cell, "-") && !strings.Contains(text, cell) {
				t.Errorf("%q is missing in %d columns", cell, columns)
			}
		}
		if at := strings.LastIndex(text, "## "); !strings.HasPrefix(text[at:], "## Standings") {
			t.Errorf("the last table is %.30s", text[at:])
		}
	}
}
