package pommerman

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/record"
)

// playRecorded plays a game of random moves and returns its record.
func playRecorded(t testing.TB, rules Rules, seed uint64, info record.Info) []byte {
	t.Helper()
	g, err := New("test", "", rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := g.New(1)[0].(*Match)
	m.Reset(env.Seed{Value: seed})
	rec, err := m.Record(info)
	if err != nil {
		t.Fatal(err)
	}
	rng := env.Seed{Value: seed}.RNG(env.StreamPolicy)
	actions := make([]uint8, rules.Seats()*(1+rules.RadioWords))
	for !m.Status().Over {
		for i := range actions {
			n := int(numActions)
			if i%(1+rules.RadioWords) != 0 {
				n = rules.RadioVocab + 1
			} else if rng.IntN(3) != 0 {
				n = int(LayBomb) // fewer bombs, longer games
			}
			actions[i] = uint8(rng.IntN(n))
		}
		m.Step(actions)
		if err := rec.Step(actions); err != nil {
			t.Fatal(err)
		}
	}
	line, err := rec.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// What the Recorder writes replays without a difference, by any rules; only
// rules that the reference's configuration cannot express are spelled out.
func TestRecorderRoundTrip(t *testing.T) {
	trained := Playground(FFA)
	trained.TrainingAgent = 2
	slow := Playground(FFA)
	slow.BombLife, slow.MaxSteps = 50, 80
	odd := Playground(Team).Fogged(3).Collapsing(10)
	odd.BoardSize, odd.NumRigid, odd.NumWood, odd.NumItems, odd.MaxSteps = 9, 16, 20, 8, 60
	for _, tc := range []struct {
		reason  string
		rules   Rules
		spelled bool
	}{
		{"FFA", Playground(FFA), false},
		{"team with fog", Playground(Team).Fogged(4), false},
		{"radio", Playground(TeamRadio).Fogged(4), false},
		{"one against one", Playground(OneVsOne), false},
		{"collapse", Playground(FFA).Collapsing(20), false},
		{"training agent", trained, false},
		{"bombs so slow that no letter shows their life", slow, true},
		{"another board, early collapse", odd, false},
		{"delayed chains and long flames", Java(FFA), true},
		{"skulls, slow bombs", Rules2018(Team), true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			for seed := range uint64(5) {
				line := playRecorded(t, tc.rules, seed, record.Info{EnvID: "Test-v0", Seed: seed, ObsEvery: int(seed)})
				report, err := Recorded.Check(line)
				if err != nil || report.Mismatches != 0 || report.Steps == 0 {
					t.Fatalf("seed %d: %d mismatches in %d steps, %v, first %v", seed, report.Mismatches, report.Steps, err,
						report.Differences)
				}
				rec, _ := Recording.Parse(line)
				if rec.Match.game.rules != tc.rules || rec.Info().EnvID != "Test-v0" || rec.Info().Seed != seed {
					t.Errorf("seed %d: read back as %+v with %+v", seed, rec.Match.game.rules, rec.Info())
				}
				if got := strings.Contains(string(line), `"rules":`); got != tc.spelled {
					t.Errorf("rules spelled out: %v, want %v", got, tc.spelled)
				}
			}
		})
	}
}

// The reference's games, recorded again from their replay, give the same
// records.
func TestRecorderWritesWhatTheReferenceWrote(t *testing.T) {
	for _, tc := range recorded {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			for i, line := range recordLines(t, tc.file)[:4] {
				want, got := decode(t, line), decode(t, recordAgain(t, line))
				for _, game := range []object{want, got} {
					normalise(game)
				}
				for k, step := range want["steps"].([]any) {
					if !reflect.DeepEqual(stepOf(got, k), step) {
						t.Fatalf("game %d, step %d: got\n%+v, want\n%+v", i+1, k+1, stepOf(got, k), step)
					}
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("game %d: got\n%.600s, want\n%.600s", i+1, recordAgain(t, line), line)
				}
			}
		})
	}
}

// normalise takes out of a record what may be written in several ways: a flag,
// an empty note, and of messages null and words past the last.
func normalise(game object) {
	config := game["config"].(object)
	if fog, isBool := config["partially_observable"].(bool); isBool {
		config["partially_observable"] = json.Number(fmt.Sprint(toByte(fog)))
	}
	if game["note"] == "" {
		delete(game, "note")
	}
	for _, step := range game["steps"].([]any) {
		delete(step.(object), "messages")
	}
}

// recordAgain replays a record and records the replay.
func recordAgain(t *testing.T, line []byte) []byte {
	t.Helper()
	rec, err := Recording.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	again, err := rec.Match.Record(rec.Info())
	if err != nil {
		t.Fatal(err)
	}
	game, words := decode(t, line), rec.Match.game.rules.RadioWords
	for i := range rec.Len() {
		actions := make([]uint8, rec.Match.game.Spec().Seats*(1+words))
		for seat, move := range list(stepOf(game, i), "actions") {
			n, _ := move.(json.Number).Int64()
			actions[seat*(1+words)] = uint8(n)
		}
		if err := rec.Step(); err != nil {
			t.Fatal(err)
		}
		if err := again.Step(actions); err != nil {
			t.Fatal(err)
		}
	}
	out, err := again.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Draws inside the rules come from the recorded RNG: with another a game with
// skulls takes another course.
func TestRecordedRNGMatter(t *testing.T) {
	differ := 0
	for seed := range uint64(40) {
		game := decode(t, playRecorded(t, Rules2018(FFA), seed, record.Info{}))
		game["dice"] = "0123456789abcdef"
		report, err := Recorded.Check(encode(t, game))
		if err != nil {
			t.Fatal(err)
		}
		if report.Mismatches > 0 {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no game of 40 changed with its RNG")
	}
}

// A game recorded from the middle begins after the ring that was due.
func TestRecordFromTheMiddle(t *testing.T) {
	rules := Playground(FFA).Collapsing(3)
	g, err := New("test", "", rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := g.New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 1})
	idle := make([]uint8, 4)
	for range 3 {
		m.Step(idle)
	}
	if m.due == 0 {
		t.Fatal("no ring is due after three steps")
	}
	rec, err := m.Record(record.Info{ObsEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		m.Step(idle)
		if err := rec.Step(idle); err != nil {
			t.Fatal(err)
		}
	}
	line, err := rec.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := Recorded.Check(line); err != nil || report.Mismatches != 0 || report.Steps != 3 {
		t.Errorf("got %+v, %v; want 3 steps without a difference", report, err)
	}
}

func TestRecorderRefuses(t *testing.T) {
	m := &Match{game: undealt(Playground(OneVsOne))}
	if _, err := m.Record(record.Info{ObsEvery: -1}); err == nil {
		t.Error("observations every -1 steps were accepted")
	}
	rec, err := m.Record(record.Info{})
	if err != nil {
		t.Fatal(err)
	}
	idle := make([]uint8, 2)
	if err := rec.Step(idle); err != nil { // nobody lives: the game is over
		t.Fatal(err)
	}
	if err := rec.Step(idle); err == nil {
		t.Error("a step after the end was recorded")
	}
}
