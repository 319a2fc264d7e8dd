package pommerman

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/record"
	"pommego/env/saved"
)

var checkers = trace.Formats{Recorded}

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
			report, err := checkers.Verify(recordFile(tc.file), 10)
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
		shown, err := Recorded.Open(line)
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Steps []struct {
				Board  string
				Count  int `json:"step_count"`
				Done   int
				Result string
			}
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		made := 0
		if err := shown.Follow(func(at record.Moment) error {
			if at.Actions == nil {
				return nil
			}
			want := &rec.Steps[made]
			made++
			if st := at.Match.Status(); st.Steps != want.Count || st.Over != (want.Done == 1) ||
				st.Result.String() != want.Result {
				t.Fatalf("step %d: %+v, want as recorded: %+v", made, st, want)
			}
			// A ring that is due has fallen in the record.
			var s env.Scene
			Recording.Shown(at.Match.(*Match)).Describe(&s)
			if got, want := s.Ground[0] == env.GroundWall, want.Board[0] == '1'; got != want {
				t.Fatalf("step %d: the ground is %s, the recorded board begins with %s", made, s.Ground[:11],
					rec.Steps[made-1].Board[:11])
			}
			return nil
		}); err != nil || made != shown.Len() {
			t.Fatalf("%d of %d steps were shown (error %v)", made, shown.Len(), err)
		}
		if err := shown.(interface{ Step() error }).Step(); err == nil {
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
	rec, err := Recording.Parse(recordLines(t, "radio")[0])
	if err != nil {
		t.Fatal(err)
	}
	m := rec.Match
	r, raw := &m.game.rules, &m.game.Spec().Encodings[encodingRaw]
	data := observeRaw(m, 1)
	var view View
	m.View(1, &view)
	compare := func() record.Report {
		var c record.Comparison
		c.Compare("", &m.game.form.Shape, view.Observation(), unpackRaw(r, envtest.Unpack(raw, data)))
		return c.Report
	}
	if report := compare(); report.Mismatches != 0 {
		t.Fatalf("before anything is altered: %v", report.Differences)
	}
	check := func(b *byte, name string) {
		t.Helper()
		*b ^= 1
		report := compare()
		*b ^= 1
		if report.Mismatches != 1 || !strings.HasPrefix(report.Differences[0].Field, name) {
			t.Errorf("%s was altered, found %v", name, report.Differences)
		}
	}
	for i, m := range rawMaps {
		check(&data[0][i*121+60], m.Name+"[5,5]")
	}
	for i, s := range raw.Fields[1].Names {
		name := strings.TrimRight(s.Name, "0123456789")
		switch name {
		case "enemy":
			name = "enemies"
		case "row", "col":
			name = "position"
		}
		check(&data[1][2*i], name)
	}
}

// TestRawLosesNothing compares what the raw encoding shows with the view, in random games.
func TestRawLosesNothing(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := mustGame(t, rules)
			m, n := g.New(1)[0].(*Match), 0
			for move := range randomMoves(g, &m.State) {
				if n++; n%10 == 0 {
					compareRaw(t, m)
				}
				m.Step(move.actions)
			}
		})
	}
}

func compareRaw(t *testing.T, m *Match) {
	t.Helper()
	r, raw := &m.game.rules, &m.game.Spec().Encodings[encodingRaw]
	for seat := range r.Seats() {
		var v View
		m.View(seat, &v)
		got := unpackRaw(r, envtest.Unpack(raw, observeRaw(m, seat)))
		m.game.form.Shape.Compare(v.Observation(), got, func(path string, want, got any) {
			t.Fatalf("step %d, seat %d: %s is %v, want %v", m.StepCount, seat, path, got, want)
		})
	}
}

// observeRaw is the raw observation of a seat.
func observeRaw(m *Match, seat int) [][]byte {
	var data [][]byte
	for i := range m.game.Spec().Encodings[encodingRaw].Fields {
		data = append(data, make([]byte, m.game.Spec().Encodings[encodingRaw].Fields[i].Size()))
	}
	m.Observe(encodingRaw, []uint8{uint8(seat)}, data)
	return data
}

// unpackRaw is the observation dictionary that a raw observation shows.
func unpackRaw(r *Rules, raw map[string][]int) *Observation {
	numbered := func(name string) (list []int) {
		for raw[name+strconv.Itoa(len(list))] != nil {
			list = append(list, raw[name+strconv.Itoa(len(list))][0])
		}
		return list
	}
	number := func(name string) int { return raw[name][0] }
	o := &Observation{
		Position: []int{number("row"), number("col")}, Ammo: number("ammo"), BlastStrength: number("blast_strength"),
		CanKick: number("can_kick") != 0, Teammate: number("teammate"), Enemies: numbered("enemy"),
		Alive: []int{}, GameType: number("game_type"), GameEnv: r.GameEnv, StepCount: number("step_count"),
		Message: numbered("message"),
	}
	for seat, alive := range numbered("alive") {
		if alive != 0 {
			o.Alive = append(o.Alive, int(r.Agent0())+seat)
		}
	}
	for k, m := range [numMaps]*saved.Map{&o.Board, &o.BombBlast, &o.BombLife, &o.BombMoving, &o.FlameLife} {
		m.Draw(r.BoardSize*r.BoardSize, digits, func(i int) int { return raw[rawMaps[k].Name][i] })
	}
	return o
}
