package joined_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/dataset"
	"pommego/arena/dataset/joined"
	"pommego/env"
	"pommego/env/catalog"
)

// played makes a few games of an id.
func played(t *testing.T, id string, games int) (env.Game, *dataset.Set) {
	t.Helper()
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "set")
	config := dataset.Config{Agents: []string{"simple", "random", "heuristic"}, Seating: dataset.Drawn, Games: games, Seed: 3}
	if _, _, err := dataset.Generate(context.Background(), game, config, folder, dataset.Options{}); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return game, set
}

// each calls f with every game in the original's form.
func each(t *testing.T, game env.Game, set *dataset.Set, f func(e *dataset.Episode, names []string, text []byte)) {
	t.Helper()
	err := set.Episodes(func(e *dataset.Episode) error {
		text, err := joined.Format(game, e, set.Names(e))
		if err == nil {
			f(e, set.Names(e), text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestThereAndBack writes games and reads them again, with their states in any
// order. Boards collapse in some.
func TestThereAndBack(t *testing.T) {
	for _, id := range []string{"PommeFFACompetition-v0", "PommeFFA-v1", "PommeTeamCompetition-v1", "PommeRadioCompetition-v2", "OneVsOne-v0"} {
		game, set := played(t, id, 3)
		each(t, game, set, func(e *dataset.Episode, names []string, text []byte) {
			var shuffled joined.Game
			if err := json.Unmarshal(text, &shuffled); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, uint64(e.Game)))
			rng.Shuffle(len(shuffled.State), func(i, j int) {
				shuffled.State[i], shuffled.State[j] = shuffled.State[j], shuffled.State[i]
			})
			text, err := json.Marshal(&shuffled)
			if err != nil {
				t.Fatal(err)
			}
			g, err := joined.Parse(text)
			if err != nil {
				t.Fatalf("%s, game %d: %v", id, e.Game, err)
			}
			back, err := g.Episode(game)
			if err != nil {
				t.Fatalf("%s, game %d: %v", id, e.Game, err)
			}
			got := fmt.Sprint(back.Steps, back.Result, back.Winners, back.Outcome, back.Lived, back.Truncated, back.Actions, g.Agents, g.Config)
			want := fmt.Sprint(e.Steps, e.Result, e.Winners, e.Outcome, e.Lived, e.Truncated, e.Actions, names, id)
			if got != want {
				t.Errorf("%s, game %d: came back as\n%s\nwant\n%s", id, e.Game, got, want)
			}
			a, err := dataset.Begin(game, back)
			if err != nil {
				t.Fatal(err)
			}
			b, err := dataset.Begin(game, e)
			if err != nil {
				t.Fatal(err)
			}
			if string(a.Append(nil)) != string(b.Append(nil)) {
				t.Errorf("%s, game %d: it begins otherwise", id, e.Game)
			}
		})
	}
}

// original is a short game as the original writes it: its values are texts,
// its keys sorted, and it knows nothing of ours.
const original = `{
    "agents": ["test::agents.SimpleAgent", "random::null"],
    "config": "OneVsOne-v0",
    "finished_at": "2018-07-01T12:00:00.000000",
    "result": {"id": 3, "name": "Incomplete"},
    "state": [
        {
            "agents": "[{\"agent_id\": 0, \"is_alive\": true, \"position\": [1, 2], \"ammo\": 1, \"blast_strength\": 2, \"can_kick\": false}, {\"agent_id\": 1, \"is_alive\": true, \"position\": [6, 6], \"ammo\": 0, \"blast_strength\": 2, \"can_kick\": false}]",
            "board": "[[0,0,0,0,0,0,0,0],[0,0,10,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,1,0,0,0,0],[0,0,0,0,2,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,11,0],[0,0,0,0,0,0,0,0]]",
            "board_size": "8",
            "bombs": "[{\"position\": [6, 6], \"bomber_id\": 1, \"life\": 9, \"blast_strength\": 2, \"moving_direction\": null}]",
            "flames": "[]",
            "intended_actions": "[4, 5]",
            "items": "[[[4, 4], 7]]",
            "step_count": "1"
        },
        {
            "agents": "[{\"agent_id\": 0, \"is_alive\": true, \"position\": [1, 1], \"ammo\": 1, \"blast_strength\": 2, \"can_kick\": false}, {\"agent_id\": 1, \"is_alive\": true, \"position\": [6, 6], \"ammo\": 1, \"blast_strength\": 2, \"can_kick\": false}]",
            "board": "[[0,0,0,0,0,0,0,0],[0,10,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,1,0,0,0,0],[0,0,0,0,2,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,11,0],[0,0,0,0,0,0,0,0]]",
            "board_size": "8",
            "bombs": "[]",
            "flames": "[]",
            "intended_actions": "[]",
            "items": "[[[4, 4], 7]]",
            "step_count": "0"
        }
    ]
}`

func TestOriginal(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	g, err := joined.Parse([]byte(original))
	if err != nil {
		t.Fatal(err)
	}
	e, err := g.Episode(game)
	if err != nil {
		t.Fatal(err)
	}
	if e.Steps != 1 || string(e.Actions) != "\x04\x05" || !e.Truncated || e.Dealt {
		t.Errorf("episode %v, want one step of right and bomb, cut off, from no seed", e)
	}
}

func TestRefused(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, from, to string
		want             error
		says             string
	}{
		{"no JSON", `{`, ``, joined.ErrFile, ""},
		{"no states", `"state"`, `"states"`, joined.ErrFile, "no states"},
		{"a state twice", `"step_count": "1"`, `"step_count": "0"`, joined.ErrFile, "step_count 0"},
		{"a state is missing", `"step_count": "1"`, `"step_count": "2"`, joined.ErrFile, "step_count 1 is missing"},
		{"a state without actions", `"intended_actions": "[4, 5]"`, `"intended": 0`, joined.ErrFile, "intended_actions"},
		{"too few actions", `[4, 5]`, `[4]`, joined.ErrFile, "want 2"},
		{"an action that does not exist", `[4, 5]`, `[4, 6]`, joined.ErrFile, "want 0 to 5"},
		{"another action", `[4, 5]`, `[4, 0]`, joined.ErrDiffers, "agents"},
		{"another board", `[0,0,0,1,0,0,0,0]`, `[0,0,0,2,0,0,0,0]`, joined.ErrDiffers, "board"},
		{"another end", `"Incomplete"`, `"Tie"`, joined.ErrDiffers, "Tie"},
		{"a third agent", `"random::null"`, `"random::null", "random::null"`, joined.ErrFile, "3 agents"},
	} {
		text := strings.Replace(original, c.from, c.to, 1)
		if text == original {
			t.Fatalf("%s: nothing is changed", c.reason)
		}
		g, err := joined.Parse([]byte(text))
		if err == nil {
			_, err = g.Episode(game)
		}
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: error %v, want %v that says %q", c.reason, err, c.want, c.says)
		}
	}
}
