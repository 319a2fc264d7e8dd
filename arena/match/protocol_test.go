package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// description is the text of the protocol's description.
func description(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExamplesOfTheDescription makes the moves before each example, asks seat 1
// what the example says it is asked, and reads the example's answer.
func TestExamplesOfTheDescription(t *testing.T) {
	for _, tc := range []struct {
		game, id, rules string
		seed            uint64
		moves           [][]uint8
		want            []uint8
	}{
		{"Pommerman", "OneVsOne-v0", `{"board_size": 7, "num_rigid": 6, "num_wood": 10, "num_items": 2}`, 3,
			[][]uint8{{5, 0}, {1, 1}, {0, 3}}, []uint8{3}},
		{"BaseWar", "BaseWarSides-v0", `{"board_size": 7, "num_stones": 6, "num_boxes": 8, "free_steps": 1}`, 1,
			[][]uint8{{0, 5, 0, 0, 0, 0}, {0, 1, 0, 0, 5, 0}}, []uint8{0, 1, 0}},
		{"SuiteBot II", "SuiteBot-v0", `{"players": 2, "width": 7, "height": 5}`, 1,
			[][]uint8{{5, 0}, {1, 1}, {2, 5}, {0, 3}, {0, 0}, {4, 4}}, []uint8{2}},
	} {
		t.Run(tc.game, func(t *testing.T) {
			game, err := catalog.Variant(tc.id, json.RawMessage(tc.rules))
			if err != nil {
				t.Fatal(err)
			}
			m := game.New(1)[0]
			m.Reset(env.Seed{Value: tc.seed})
			for _, actions := range tc.moves {
				m.Step(actions)
			}
			question, answer := example(t, tc.game)
			id := len(tc.moves) + 2 // the beginning is 1, the first move 2
			asked := fmt.Appendf(nil, `{"type": "act", "id": %d, "obs": %s}`, id, game.AppendObservation(nil, m, 1))
			if got, want := compact(t, asked), compact(t, question); got != want {
				t.Errorf("the description's question is\n%s\nwhere the program is asked\n%s", want, got)
			}
			var reply struct {
				ID     int
				Action json.RawMessage
			}
			action := make([]uint8, len(tc.want))
			if err := json.Unmarshal(answer, &reply); err != nil || reply.ID != id {
				t.Fatalf("the description's answer %s: %v, want one to question %d", answer, err, id)
			}
			if err := readAction(reply.Action, game.Spec().Actions, action); err != nil || !slices.Equal(action, tc.want) {
				t.Errorf("the description's answer %s is read as %v, %v; want %v", answer, action, err, tc.want)
			}
		})
	}
}

// example finds a game's example in the description: the first two blocks of
// JSON under its heading.
func example(t *testing.T, game string) (question, answer []byte) {
	t.Helper()
	_, rest, _ := strings.Cut(description(t), "\n### "+game+"\n")
	var blocks [2]string
	for i := range blocks {
		var found bool
		_, rest, _ = strings.Cut(rest, "```json\n")
		if blocks[i], rest, found = strings.Cut(rest, "\n```\n"); !found {
			t.Fatalf("the description has no example of %s", game)
		}
	}
	return []byte(blocks[0]), []byte(blocks[1])
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out.String()
}

// TestClocksOfTheDescription compares the description's table of clocks with
// the games' own.
func TestClocksOfTheDescription(t *testing.T) {
	text := description(t)
	for game, id := range map[string]string{"Pommerman": "OneVsOne-v0", "BaseWar": "BaseWar-v0",
		"SuiteBot II": "SuiteBot-v0"} {
		g, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		r := Rules{}.of(g)
		giveUp := "never"
		if r.giveUp != 0 {
			giveUp = fmt.Sprintf("%d ms", r.giveUp.Milliseconds())
		}
		if row := fmt.Sprintf("\n| %s | %d ms | %s |\n", game, r.Limit.Milliseconds(), giveUp); !strings.Contains(text, row) {
			t.Errorf("the description's table of clocks lacks the row %q", row)
		}
	}
}
