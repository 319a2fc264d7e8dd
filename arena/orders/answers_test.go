package orders

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"pommego/arena/scene"
)

// TestAnswers reads the answers in testdata/answers.tsv, each a JSON string with what it means: moves, an order or
// refused, with the reason in brackets.
func TestAnswers(t *testing.T) {
	text, err := os.ReadFile("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	head := headOf(t, "PommeFFACompetition-v0")
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	for _, line := range lines {
		said, want, _ := strings.Cut(line, "\t")
		var answer string
		if err := json.Unmarshal([]byte(said), &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want, _, _ = strings.Cut(want, " (")
		o, reading := Parse(answer, head)
		if got := meaning(&o, reading, head); got != want {
			t.Errorf("%s means %q, want %q", said, got, want)
		}
	}
	if len(lines) < 48 {
		t.Errorf("there are %d answers, want 48 or more", len(lines))
	}
}

// meaning is what was read, as the table has it.
func meaning(o *Orders, reading Reading, head *scene.Head) string {
	switch {
	case reading == Illegal:
		return "refused"
	case o.Kind == Play:
		return "moves " + strings.ReplaceAll(o.Text(head), ", ", " ")
	case o.Kind == Go:
		return "order " + o.Text(head)
	case o.Ticks > 0:
		return "order " + o.Kind.String() + " for " + strconv.Itoa(o.Ticks)
	}
	return "order " + o.Kind.String()
}
