package pommerman_test

import (
	"encoding/json"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/catalog"
)

// TestDictionary holds the dictionaries to what the reference's own encoder
// wrote, byte for byte: states of games of SimpleAgents in the reference as its
// get_json_info gives them, and of each the observations of all agents.
func TestDictionary(t *testing.T) {
	lines := tracetest.Lines(t, "testdata/dict.jsonl.gz")
	for _, line := range lines {
		checkDictionary(t, line)
	}
	if len(lines) != 20 {
		t.Errorf("read %d states, want 20", len(lines))
	}
}

func checkDictionary(t *testing.T, line []byte) {
	t.Helper()
	var want struct {
		ID          string          `json:"env_id"`
		State       json.RawMessage `json:"state"`
		GameType    string          `json:"game_type"`
		ActionSpace string          `json:"action_space"`
		Obs         []string        `json:"obs"`
	}
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatal(err)
	}
	game, err := catalog.Game(want.ID)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	if err := m.RestoreJSON(want.State); err != nil {
		t.Fatal(err)
	}
	dict := game
	if dict.GameType() != want.GameType || dict.ActionSpace() != want.ActionSpace {
		t.Errorf("%s: game type %s, action space %s; want %s, %s", want.ID, dict.GameType(), dict.ActionSpace(),
			want.GameType, want.ActionSpace)
	}
	if len(want.Obs) != game.Spec().Seats {
		t.Fatalf("%s: %d observations for %d seats", want.ID, len(want.Obs), game.Spec().Seats)
	}
	for seat, obs := range want.Obs {
		if got := string(dict.AppendObservation(nil, m, seat)); got != obs {
			t.Errorf("%s, seat %d, step %d:\n got %s\nwant %s", want.ID, seat, m.Status().Steps, got, obs)
		}
	}
}

// Rules of one's own add to the dictionary, and it stays JSON.
func TestDictionaryOfOwnRules(t *testing.T) {
	for _, tc := range []struct{ reason, id, rules, key, want string }{
		{"the Java rules list the bombs in view", "PommeFFAJava-v0", `{}`, "bombs", `[[1, 1, 2]]`},
		{"skulls move the agents' numbers up", "PommeFFA2018-v0", `{}`, "enemies", `[12, 13, 14]`},
		{"a name with quotes is written as JSON", "PommeFFA-v1", `{"game_env": "my \"game\""}`, "game_env", `"my \"game\""`},
		{"messages have as many words as the rules say", "PommeRadio-v2", `{"radio_num_words": 3}`, "message", `[0, 0, 0]`},
	} {
		game, err := catalog.Variant(tc.id, json.RawMessage(tc.rules))
		if err != nil {
			t.Fatal(err)
		}
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: 1})
		actions := make([]uint8, game.Spec().Seats*len(game.Spec().Actions))
		actions[0] = 5 // seat 0 lays a bomb
		m.Step(actions)
		var got map[string]json.RawMessage
		if err := json.Unmarshal(game.AppendObservation(nil, m, 0), &got); err != nil {
			t.Fatal(err)
		}
		if string(got[tc.key]) != tc.want {
			t.Errorf("%s: %s is %s, want %s", tc.reason, tc.key, got[tc.key], tc.want)
		}
	}
}
