package suitebot

import (
	"fmt"
	"strings"
	"testing"
)

// A drawing is a plan with one word a field, made of what is there with pluses
// between:
//
//	.  points   _  spent   *  just blown up   A0  agent 0   H0  its home base
//	4a a bomb of agent 0 (b: agent 1) with 4 rounds left
//
// A field that holds something else shows its points only if they are gone.

// draw reads a drawing. Rules must have the drawing's size.
func draw(t testing.TB, p *Game, text string) (s State) {
	t.Helper()
	words := strings.Fields(text)
	if len(words) != p.cells {
		t.Fatalf("the drawing has %d fields, want %d:\n%s", len(words), p.cells, text)
	}
	for c, word := range words {
		for _, part := range strings.Split(word, "+") {
			s.drawPart(t, Cell(c), part)
		}
	}
	return s
}

func (s *State) drawPart(t testing.TB, c Cell, part string) {
	t.Helper()
	switch first := part[0]; {
	case part == ".":
	case part == "_":
		s.Spent.Add(c)
	case part == "*":
		s.Spent.Add(c)
		s.Blast.Add(c)
	case len(part) == 2 && first == 'A':
		s.Agents[part[1]-'0'] = c
	case len(part) == 2 && first == 'H':
		s.Homes[part[1]-'0'] = c
	case len(part) == 2 && first >= '1' && first <= '9':
		b := Bomb{c, int(first - '0'), int(part[1] - 'a')}
		if s.fuses[b.Rounds-1][b.Owner] != 0 {
			t.Fatalf("the drawing has two bombs %s, but nobody plants twice a round", part)
		}
		s.Place(b)
	default:
		t.Fatalf("the drawing holds %q, which means nothing", part)
	}
}

// drawing writes a state as a drawing.
func drawing(p *Game, s *State) string {
	var b strings.Builder
	for c := range p.cells {
		fmt.Fprintf(&b, "%-6s", s.drawnField(p, Cell(c)))
		if (c+1)%p.rules.Width == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (s *State) drawnField(p *Game, c Cell) string {
	var parts []string
	for seat := range p.rules.Players {
		if s.Agents[seat] == c {
			parts = append(parts, fmt.Sprintf("A%d", seat))
		}
	}
	for b := range s.Bombs {
		if b.Cell == c {
			parts = append(parts, fmt.Sprintf("%d%c", b.Rounds, 'a'+b.Owner))
		}
	}
	for seat := range p.rules.Players {
		if s.Homes[seat] == c {
			parts = append(parts, fmt.Sprintf("H%d", seat))
		}
	}
	switch {
	case s.Blast.Has(c):
		parts = append(parts, "*")
	case s.Spent.Has(c):
		parts = append(parts, "_")
	case len(parts) == 0:
		parts = append(parts, ".")
	}
	return strings.Join(parts, "+")
}

// scene is a drawing, what the players do, and the drawings that must follow.
type scene struct {
	reason string
	rules  func(*Rules) // changes the rules of scenes
	start  string
	acts   []string // a round each, a letter a player: ^ v < > - (hold) b (bomb)
	want   []string // after each round; "": not looked at
	points []int    // at the end
}

// sceneRules is a small plan, and bombs that reach one field each way.
func sceneRules() Rules {
	r := Standard()
	r.Width, r.Height, r.Players, r.BlastRadius = 7, 5, 2, 1
	return r
}

var actLetters = map[rune]Action{'-': Hold, '^': Up, 'v': Down, '<': Left, '>': Right, 'b': PlantBomb}

func actionsOf(text string) (actions []uint8) {
	for _, letter := range text {
		actions = append(actions, uint8(actLetters[letter]))
	}
	return actions
}

// begin is the scene's plan and how it starts.
func (sc *scene) begin(t *testing.T) (*Game, State) {
	t.Helper()
	r := sceneRules()
	if sc.rules != nil {
		sc.rules(&r)
	}
	p := mustGame(t, r)
	s := draw(t, p, sc.start)
	if err := p.form.Check(&s); err != nil {
		t.Fatalf("%s: the drawing is no state: %v", sc.reason, err)
	}
	return p, s
}

// play plays the scene with the slow twin beside it and returns how it ends.
func (sc *scene) play(t *testing.T) (*Game, State) {
	t.Helper()
	p, s := sc.begin(t)
	for i, acts := range sc.acts {
		compareStep(t, p, &s, actionsOf(acts))
		if i >= len(sc.want) || sc.want[i] == "" {
			continue
		}
		want := draw(t, p, sc.want[i])
		if got, want := drawing(p, &s), drawing(p, &want); got != want {
			t.Fatalf("%s: after round %d\n%s\nwant\n%s", sc.reason, i+1, got, want)
		}
	}
	for seat, want := range sc.points {
		if got := int(s.Scores[seat]); got != want {
			t.Errorf("%s: player %d has %d points, want %d", sc.reason, seat, got, want)
		}
	}
	return p, s
}
