//go:build unix

package suitebot_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/suitebot"
	"pommego/env/suitebot/bots"
)

// TestMain runs the tests, or, where a test has started this very program as an
// agent, plays.
func TestMain(m *testing.M) {
	if kind := os.Getenv("SUITEBOT_TEST_AGENT"); kind != "" {
		playAsProgram(kind)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// observation is what a program is told, as its description says.
type observation struct {
	Seat   int
	Round  int
	Agents []struct {
		X, Y, Score int
		Home        [2]int
	}
	Bombs  []struct{ X, Y, Rounds, Owner int }
	Fields []string
}

// decide plants where there is something to collect and no bomb, and walks on
// otherwise.
func decide(o *observation) string {
	me := o.Agents[o.Seat]
	for _, b := range o.Bombs {
		if b.X == me.X && b.Y == me.Y {
			return "RIGHT"
		}
	}
	if o.Fields[me.Y][me.X] == '.' {
		return "PLANT_BOMB"
	}
	return []string{"RIGHT", "DOWN"}[o.Round%2]
}

// playAsProgram answers questions on standard input. "mute" does so until it
// has been asked for three moves.
func playAsProgram(kind string) {
	asked := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var question struct {
			Type  string
			ID    uint64
			Rules suitebot.Rules
			Obs   observation
		}
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch question.Type {
		case "begin":
			if question.Rules.Validate() != nil {
				os.Exit(2)
			}
			fmt.Printf("{\"id\": %d}\n", question.ID)
		case "act":
			if asked++; kind == "mute" && asked > 3 {
				continue
			}
			fmt.Printf("{\"id\": %d, \"action\": %q}\n", question.ID, decide(&question.Obs))
		}
	}
}

// program names this test program as an agent.
func program(t *testing.T, kind string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("exec:SUITEBOT_TEST_AGENT='%s' exec '%s'", kind, self)
}

// playMatch plays a match of the standard, recorded, and returns the file.
func playMatch(t *testing.T, rules match.Rules, names ...string) (*match.Report, string) {
	t.Helper()
	game, err := suitebot.New("SuiteBot-v0", "the contest", suitebot.Standard(), bots.Roster)
	if err != nil {
		t.Fatal(err)
	}
	var players []match.Player
	for _, name := range names {
		p, err := match.NewPlayer(game, name)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		players = append(players, p)
	}
	file := filepath.Join(t.TempDir(), "match.jsonl.gz")
	out, err := trace.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := match.NewRecording(game, players, 10, out)
	if err != nil {
		t.Fatal(err)
	}
	result, err := match.Play(t.Context(), game, players, env.Seed{Value: 5}, rules, rec.Watch)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return result, file
}

// TestProgramsPlay lets programs play against each other and against built-in
// agents: they get the state each round and answer.
func TestProgramsPlay(t *testing.T) {
	patient := match.Rules{Limit: time.Minute, Wait: time.Minute}
	result, file := playMatch(t, patient, program(t, "plays"), program(t, "plays"), "random", program(t, "plays"))
	for seat, report := range result.Seats {
		if report.Moves != 100 || report.Late+report.Failed+report.Gone != 0 {
			t.Errorf("seat %d: %+v, want 100 moves and no trouble", seat, report)
		}
	}
	rec := readRecord(t, file)
	var view suitebot.View
	rec.Match.View(0, &view)
	plan, s := view.Game, &rec.Match.State
	for i := range rec.Len() {
		before := *s
		if err := rec.Step(); err != nil {
			t.Fatal(err)
		}
		for _, seat := range []int{0, 1, 3} {
			want := before.Agents[seat]
			switch decide(observe(plan, &before, seat)) {
			case "RIGHT":
				want = plan.Next(want, suitebot.Right)
			case "DOWN":
				want = plan.Next(want, suitebot.Down)
			}
			if died := s.Deaths[seat] > before.Deaths[seat]; !died && s.Agents[seat] != want {
				t.Fatalf("round %d: seat %d went from %d to %d, want %d as its program decides", i+1, seat, before.Agents[seat],
					s.Agents[seat], want)
			}
		}
	}
	if s.Scores[0] < 20 || s.Scores[1] < 20 || s.Scores[3] < 20 {
		t.Errorf("the programs have %v points, want some", s.Scores[:4])
	}
}

// observe is what a program should be told of a state, without any of the
// package's own JSON.
func observe(p *suitebot.Game, s *suitebot.State, seat int) *observation {
	o := &observation{Seat: seat, Round: int(s.StepCount)}
	for k := range p.Rules().Players {
		o.Agents = append(o.Agents, struct {
			X, Y, Score int
			Home        [2]int
		}{})
		o.Agents[k].X, o.Agents[k].Y = p.XY(s.Agents[k])
	}
	for b := range s.Bombs {
		x, y := p.XY(b.Cell)
		o.Bombs = append(o.Bombs, struct{ X, Y, Rounds, Owner int }{x, y, b.Rounds, b.Owner})
	}
	for y := range p.Rules().Height {
		row := slices.Repeat([]byte{'.'}, p.Rules().Width)
		for x := range row {
			if s.Spent.Has(p.At(x, y)) {
				row[x] = 'x'
			}
		}
		o.Fields = append(o.Fields, string(row))
	}
	return o
}

func readRecord(t *testing.T, file string) *suitebot.RecordedGame {
	t.Helper()
	r, err := trace.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	line, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if report, err := suitebot.Recorded.Check(line); err != nil || report.Mismatches != 0 || report.Steps != 100 {
		t.Fatalf("the recorded match checks as %+v, %v", report, err)
	}
	rec, err := suitebot.ParseRecord(line)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestMuteProgram plays by the contest's own clock against a program that stops
// answering: after a second it is not asked again and holds to the end.
func TestMuteProgram(t *testing.T) {
	result, file := playMatch(t, match.Rules{}, program(t, "mute"), "static", "static", "static")
	report := result.Seats[0]
	if report.Moves > 4 || report.Gone < 96 || report.Moves+report.Gone != 100 || report.Late < 1 {
		t.Errorf("%+v, want it to be given up at the fourth question", report)
	}
	rec := readRecord(t, file)
	s := &rec.Match.State
	var at suitebot.Cell
	for i := range rec.Len() {
		if err := rec.Step(); err != nil {
			t.Fatal(err)
		}
		if i == 20 {
			at = s.Agents[0]
		}
	}
	if s.Agents[0] != at {
		t.Errorf("given up, it went from %d to %d", at, s.Agents[0])
	}
}
