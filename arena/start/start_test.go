package start_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/match"
	"pommego/arena/start"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/record"
	"pommego/vec"
)

var formats = trace.Formats(catalog.Formats())

// games is one of each kind, and with rules of its own.
var games = []struct{ id, rules string }{
	{"PommeFFACompetition-v0", ""}, {"PommeTeamCompetition-v1", `{"first_collapse": 4, "max_steps": 200}`},
	{"PommeRadio-v2", ""},
	{"PommeFFA2018-v0", ""}, {"PommeFFAJava-v0", ""}, {"BaseWar-v0", ""},
	{"BaseWarSides-v0", `{"board_size": 9, "num_stones": 8, "num_boxes": 20}`},
	{"SuiteBot-v0", ""}, {"SuiteBot-v0", `{"players": 3, "view_radius": 2}`},
}

func made(t *testing.T, id, rules string) env.Game {
	t.Helper()
	game, err := catalog.Game(id)
	if rules != "" {
		game, err = catalog.Variant(id, json.RawMessage(rules))
	}
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// under way is a match some steps after its start.
func underWay(t *testing.T, game env.Game, steps int) env.Match {
	t.Helper()
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 3})
	agent, err := game.NewAgent("simple")
	if err != nil {
		t.Fatal(err)
	}
	agent.Reset(env.Seed{Value: 3}.RNG(env.StreamAgents))
	width := len(game.Spec().Actions)
	for range steps {
		actions := make([]byte, game.Spec().Seats*width)
		for seat := range game.Spec().Seats {
			if m.Status().In.Has(seat) {
				agent.Act(m, seat, actions[seat*width:][:width])
			}
		}
		m.Step(actions)
	}
	return m
}

// file writes a saved game.
func file(t *testing.T, text []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "saved")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// forms is a game under way in every form in which it can be saved.
func forms(t *testing.T, game env.Game) map[string]string {
	t.Helper()
	m := underWay(t, game, 7)
	all := map[string]string{"bytes": file(t, m.Append(nil), nil)}
	text, err := m.AppendJSON(nil)
	all["JSON"] = file(t, text, err)

	r, err := m.(record.Recordable).Record(record.Info{EnvID: game.Spec().ID})
	if err != nil {
		t.Fatal(err)
	}
	text, err = r.Append(nil)
	all["record"] = file(t, append(text, '\n'), err)

	seats := []string{"learner"}
	for range game.Spec().Seats - 1 {
		seats = append(seats, "simple")
	}
	pool, err := vec.New(vec.Config{Game: game, Games: 1, Seats: seats})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Reset(pool.NewBatch(nil), vec.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	text, err = m.AppendJSON(nil)
	if err == nil {
		err = pool.Load(0, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err = pool.Save(0, nil)
	all["an environment's bytes"] = file(t, text, err)
	text, err = pool.SaveJSON(0)
	all["an environment's JSON"] = file(t, text, err)
	return all
}

// A saved game is the same in whatever form, and a match that begins from it is
// recorded and verifies.
func TestForms(t *testing.T) {
	for _, tc := range games {
		game := made(t, tc.id, tc.rules)
		want := underWay(t, game, 7)
		want.Reseed(env.Seed{})
		for form, path := range forms(t, game) {
			t.Run(tc.id+"/"+form, func(t *testing.T) {
				saved, err := start.Read(path, formats)
				if err != nil {
					t.Fatal(err)
				}
				state, err := saved.In(game)
				if err != nil {
					t.Fatal(err)
				}
				got := game.New(1)[0]
				if err := got.Restore(state); err != nil {
					t.Fatal(err)
				}
				got.Reseed(env.Seed{})
				is, _ := got.AppendJSON(nil)
				wanted, _ := want.AppendJSON(nil)
				// In a record a ring that was due has fallen.
				if !bytes.Equal(got.Append(nil), want.Append(nil)) && form != "record" {
					t.Errorf("it is %s, want %s", is, wanted)
				}
				if again, err := catalog.Played(saved.ID, saved.Rules); saved.ID != "" &&
					(err != nil || again.Spec().ID != game.Spec().ID) {
					t.Errorf("a record is of %q by %s: %v", saved.ID, saved.Rules, err)
				}
				playFrom(t, game, state)
			})
		}
	}
}

// playFrom plays a recorded match from a state.
func playFrom(t *testing.T, game env.Game, state []byte) {
	t.Helper()
	var players []match.Player
	for range game.Spec().Seats {
		p, err := match.NewPlayer(game, "random")
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, p)
	}
	path := filepath.Join(t.TempDir(), "game.jsonl")
	rec, err := match.NewRecording(game, players, 5)
	if err != nil {
		t.Fatal(err)
	}
	begun := -1
	_, err = match.Play(context.Background(), game, players, env.Seed{Value: 9}, match.Rules{From: state},
		func(at match.Moment) error {
			if begun < 0 {
				begun = at.Match.Status().Steps
			}
			return rec.Watch(at)
		})
	if err == nil {
		var line []byte
		if line, err = rec.Record(); err == nil {
			err = trace.Write(path, line)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if begun != 7 {
		t.Errorf("the match began at step %d, want 7", begun)
	}
	if report, err := formats.Verify(path, 10); err != nil || report.Mismatches > 0 || report.Games != 1 {
		t.Errorf("its record: %+v, error %v", report, err)
	}
}

func TestErrors(t *testing.T) {
	ffa, team, war := made(t, "PommeFFACompetition-v0", ""), made(t, "PommeTeam-v0", ""), made(t, "BaseWar-v0", "")
	json, err := underWay(t, ffa, 2).AppendJSON(nil)
	over := underWay(t, made(t, "SuiteBot-v0", `{"rounds": 5}`), 5).Append(nil)
	for _, tc := range []struct {
		reason string
		path   string
		game   env.Game
		want   string
	}{
		{"a record of another game", forms(t, ffa)["record"], war, "its game is pommerman, want basewar"},
		{"a record by other rules", forms(t, ffa)["record"], team,
			"it was recorded in PommeFFACompetition-v0, where game_type is 1, not 2; name neither environment nor rules"},
		{"a record by other rules, which are left out", forms(t, ffa)["record"], made(t, "PommeFFAJava-v0", ""),
			"where bomb_list is false, not true"},
		{"bytes by other rules", forms(t, ffa)["bytes"], team, "belongs to other rules than PommeTeam-v0"},
		{"an environment's by other rules", forms(t, ffa)["an environment's bytes"], team,
			`it was saved in a game of "PommeFFACompetition-v0"`},
		{"JSON by other rules", file(t, json, err), team, "state belongs to other rules than PommeTeam-v0"},
		{"JSON of another game", file(t, json, err), war, "format is missing"},
		{"the game is over", file(t, over, nil), made(t, "SuiteBot-v0", `{"rounds": 5}`), "the game is over"},
		{"no file", filepath.Join(t.TempDir(), "none"), ffa, "none"},
		{"no end", "/dev/zero", ffa, "longer than 67108864 bytes, and no recorded games"},
		{"nothing", file(t, nil, nil), ffa, "the file is empty"},
		{"damaged JSON", file(t, json[:100], err), ffa, "it is no JSON object"},
		{"damaged bytes", file(t, over[:30], nil), ffa, "it is not what Save wrote, or damaged"},
		{"an unknown format", file(t, []byte(`{"format": "chess/1"}`), nil), ffa, `"chess/1"`},
	} {
		saved, err := start.Read(tc.path, formats)
		if err == nil {
			_, err = saved.In(tc.game)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), filepath.Base(tc.path)) {
			t.Errorf("%s: error %v, want one that names the file and says %q", tc.reason, err, tc.want)
		}
	}
}

// FuzzRead: no file makes it panic, and what it reads can be played.
func FuzzRead(f *testing.F) {
	game, err := catalog.Game("SuiteBot-v0")
	if err != nil {
		f.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	text, _ := m.AppendJSON(nil)
	f.Add(text)
	f.Add(m.Append(nil))
	f.Add([]byte(fmt.Sprintf(`{"pommego": {"pool": 1}, %s`, text[1:])))
	f.Fuzz(func(t *testing.T, text []byte) {
		saved, err := start.Read(file(t, text, nil), formats)
		if err != nil {
			return
		}
		if state, err := saved.In(game); err == nil {
			m := game.New(1)[0]
			if err := m.Restore(state); err != nil {
				t.Fatal(err)
			}
			m.Step(make([]byte, game.Spec().Seats))
		}
	})
}
