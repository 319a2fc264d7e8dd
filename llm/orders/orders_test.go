package orders

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env/catalog"
)

func headOf(t testing.TB, id string) *scene.Head { return variantOf(t, id, "{}") }

func variantOf(t testing.TB, id, rules string) *scene.Head {
	t.Helper()
	game, err := catalog.Variant(id, json.RawMessage(rules))
	if err != nil {
		t.Fatal(err)
	}
	head := scene.HeadOf(game.Spec(), game.New(1)[0])
	return &head
}

func TestParse(t *testing.T) {
	radio, suite := headOf(t, "PommeRadioCompetition-v2"), headOf(t, "SuiteBot-v0")
	three := variantOf(t, "PommeRadioCompetition-v2", `{"radio_num_words": 3}`)
	for _, tc := range []struct {
		text    string
		head    *scene.Head
		want    string
		reading Reading
	}{
		{"up", radio, "up", Legal},
		{" up\n", radio, "up", Legal},
		{"up, left, bomb", radio, "up, left, bomb", Legal},
		{"go 3,4", radio, "go 3,4", Legal},
		{"go 3,4 for 7; say 1 2", radio, "go 3,4 for 7; say 1 2", Legal},
		{"bomb for 9", radio, "bomb for 9", Legal},
		{"UP!", radio, "up", Repaired},
		{"[up]", radio, "up", Repaired},
		{"I think we should go up.", radio, "up", Repaired},
		{"```json\n{\"action\": \"go\", \"cell\": [3, 4], \"ticks\": 5}\n```", radio, "go 3,4 for 5", Repaired},
		{"The bomb is near, so I hide.\nAction: up", radio, "up", Repaired},
		{"We see a bomb to the left. {\"action\": \"right\"}", radio, "right", Repaired},
		{`{"say":[2,3],"action":"up"}`, radio, "up; say 2 3", Repaired},
		{"Answer:\n```json\n{\"action\":\"hide\",\"say\":2,\"ticks\":8}\n```", radio, "hide for 8; say 2", Repaired},
		{`{"say":"2 3","order":"hunt","ticks":20}`, radio, "hunt for 20; say 2 3", Repaired},
		{`{"action":"left"}`, radio, "left", Repaired},
		{"We hide.\nAnswer:\nhide for 8", radio, "hide for 8", Legal},
		{"up or left", radio, "stop", Illegal},
		{"don't bomb", radio, "stop", Illegal},
		{"", radio, "stop", Illegal},
		{"go 30,4", radio, "stop", Illegal},
		{"up; say the numbers 2 and 3, not 9", radio, "up; say 2 3", Repaired},
		{"up; say 1 2 3", three, "up; say 1 2 3", Legal},
		{"up; say 0 0 3 4", three, "up; say 0 0 3", Repaired},
		{"up; say 3 0", radio, "up; say 3", Legal},
		{"up; say 0 0", radio, "up", Legal},
		{"up; say 9 1", radio, "stop", Illegal},
		{"up; say 1 300", radio, "stop", Illegal},
		{`{"action": "up", "say": [-1, 2]}`, radio, "stop", Illegal},
		{"hide for 99999999", radio, "hide for 100", Repaired},
		{"hide for 1000", radio, "hide for 100", Repaired},
		{"go 99999999,3", radio, "stop", Illegal},
		{"up x99999999", radio, strings.TrimSuffix(strings.Repeat("up, ", MostWords), ", "), Repaired},
		{"up; say 0 5", radio, "up; say 0 5", Legal},
		{"say 0 0", radio, "stop", Illegal},
		{"say 2 3", radio, "stop; say 2 3", Repaired},
		{"say 2 3; up", radio, "up; say 2 3", Repaired},
		{"I say 2 3 and go up.", radio, "up; say 2 3", Repaired},
		{"say 2 3, not up", radio, "stop", Illegal},
		{"up; say 2 3 and bomb", radio, "up; say 2 3", Repaired},
		{"plant_bomb", suite, "plant_bomb", Legal},
		{"bomb", suite, "plant_bomb", Repaired},
		{"stop", suite, "hold", Repaired},
	} {
		o, reading, _ := Parse(tc.text, tc.head)
		if got := o.Text(tc.head); got != tc.want || reading != tc.reading {
			t.Errorf("%q is %q, %v; want %q, %v", tc.text, got, reading, tc.want, tc.reading)
		}
	}
}

// TestOrdersAreDocumented: the page has all orders and the limits.
func TestOrdersAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/language-models.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		fmt.Sprintf("%d at most, and for %d if", MostTicks, DefaultTicks), fmt.Sprintf("per tick, %d at most", MostWords),
	}
	for k := Go; k <= Wait; k++ {
		want = append(want, "| `"+k.String())
	}
	for _, line := range want {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/language-models.md lacks %q", line)
		}
	}
}
