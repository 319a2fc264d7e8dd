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
		o, reading, why := Parse(answer, head)
		if got := meaning(&o, reading, head); got != want || (why == "") != (reading == Legal) {
			t.Errorf("%s means %q (%s), want %q", said, got, why, want)
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

// TestAnswersSayWhy: what was repaired, and why an answer was refused.
func TestAnswersSayWhy(t *testing.T) {
	ffa, sides := headOf(t, "PommeFFACompetition-v0"), headOf(t, "BaseWarSides-v0")
	radio := headOf(t, "PommeRadioCompetition-v2")
	for _, tc := range []struct {
		text string
		head *scene.Head
		why  string
	}{
		{"up", ffa, ""}, {"The way down burns.\nup", ffa, ""}, {" hide for 8 ", ffa, ""},
		{"UP!", ffa, "written otherwise"}, {"So: up", ffa, "what follows its last colon"},
		{"We leave.\nUP", ffa, "its last line"}, {"up\nfor it is safe", ffa, "its first line"},
		{`I say {"move": "up"}`, ffa, "what stands in { }"}, {"I go up now", ffa, "the one move or order in it"},
		{"", ffa, "it is empty"}, {" \n", ffa, "it is empty"}, {"<think>up", ffa, "its thought is not closed"},
		{"up/down", ffa, "it leaves a choice: or"}, {"I won't bomb", ffa, "it denies, doubts or refuses: wont"},
		{"go 30,4", ffa, "its cell is not on the board"}, {"hide, hunt", ffa, "it has more than one order"},
		{"up, hide", ffa, "it has more than one order"}, {strings.Repeat("up ", 21), ffa, "it has 21 moves, want 20 at most"},
		{strings.Repeat("up\n", 21), ffa, "it has 21 moves, want 20 at most"},
		{"1. up" + strings.Repeat("\n- up", 20), ffa, "it has 21 moves, want 20 at most"},
		{strings.Repeat("stop ", 21) + "; say 2 3", radio, "it has 21 moves, want 20 at most"},
		{"up; say 9 1", radio, "its message has 9, want numbers of 0 to 8"},
		{"we go up and they go down", ffa, "its moves stand among other words"},
		{"jump", ffa, "no move and no order is in it"},
		{"hide", sides, "a seat with several figures takes moves, not orders"},
	} {
		if _, _, why := Parse(tc.text, tc.head); why != tc.why {
			t.Errorf("%q: %q, want %q", tc.text, why, tc.why)
		}
	}
}
