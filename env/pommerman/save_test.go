package pommerman

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pommego/env"
)

// TestDifference names the first value in which two matches differ.
func TestDifference(t *testing.T) {
	g, err := New("test", "", Playground(FFA), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, alter := range map[string]func(m *Match){
		"":                              func(*Match) {},
		"step_count: 0 and 1":           func(m *Match) { m.StepCount++ },
		"agents[2].ammo: 1 and 2":       func(m *Match) { m.Agents[2].Ammo++ },
		"agents[1].can_kick: 0 and 1":   func(m *Match) { m.Agents[1].Kicks = true },
		"bombs: [] and [[1 2 9 2 3 0]]": func(m *Match) { m.addBomb(NewBomb(g.rules.cell(13), 9, 2, 3, 0)) },
		"ring_due: -1 and 0":            func(m *Match) { m.due = 1 },
		"training_agent: -1 and 3":      func(m *Match) { m.SetTrainingSeat(3) },
		"dice: 000000000000000b and 000000000000000c": func(m *Match) { m.RNG.State = 0xc },
	} {
		pair := g.New(2)
		a, b := pair[0].(*Match), pair[1].(*Match)
		a.Reset(env.Seed{Value: 5})
		a.RNG.State = 0xb
		a.RNG.State = 0xb
		b.State = a.State
		alter(b)
		if got := difference(a, b); got != want {
			t.Errorf("the difference is %q, want %q", got, want)
		}
	}
}

// difference is the first value in which two matches differ.
func difference(m, other *Match) (first string) {
	f := m.game.form
	f.Compare(f.Snapshot(&m.State), f.Snapshot(&other.State), func(path string, is, not any) {
		if first == "" {
			first = fmt.Sprintf("%s: %v and %v", path, is, not)
		}
	})
	return first
}

// TestSavedAtCollapse: at every recorded step at which a ring is due, the reference's fields of
// the JSON are the state that it records, with the ring fallen. A state of ours goes on before the
// ring, one of the reference alone after it, and both take the recorded course from there.
func TestSavedAtCollapse(t *testing.T) {
	rings := map[int8]int{}
	for _, file := range []string{"ffa-collapse", "team-collapse"} {
		for _, line := range recordLines(t, file) {
			g, err := Recording.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			var rec struct {
				Steps []struct {
					Snapshot
					Actions []uint8
				}
			}
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			var restored []*Match
			for i, step := range rec.Steps {
				if err := g.Step(); err != nil {
					t.Fatal(err)
				}
				for _, m := range restored {
					if m.Step(step.Actions); Recording.Shown(m).State != Recording.Shown(g.Match).State {
						t.Fatalf("%s, step %d: restored and continued it differs in %s", file, i+1, difference(g.Match, m))
					}
				}
				if g.Match.due == 0 {
					continue
				}
				rings[g.Match.due]++
				restored = []*Match{restoredFrom(t, g.Match, asNow), restoredFrom(t, g.Match, asBefore),
					restoredFrom(t, g.Match, asTheirs)}
				Recording.Shape(g.Match).Compare(&step.Snapshot, Recording.Show(restored[2]), func(path string, want, got any) {
					if path != "ring_due" && path != "training_agent" && path != "dice" { // which records do not show
						t.Errorf("%s, step %d: %s is %v, want %v", file, i+1, path, got, want)
					}
				})
			}
		}
	}
	for ring := range int8(4) {
		if rings[ring+1] < 5 {
			t.Errorf("ring %d fell %d times, want more", ring, rings[ring+1])
		}
	}
}

// The forms of a state at a step of the collapse: ours, that of earlier versions, and the
// reference's.
const (
	asNow = iota
	asBefore
	asTheirs
)

// restoredFrom is a match that was saved as JSON and restored.
func restoredFrom(t *testing.T, m *Match, form int) *Match {
	t.Helper()
	text, err := m.AppendJSON(nil)
	var object, own map[string]json.RawMessage
	if err = cmp.Or(err, json.Unmarshal(text, &object)); err == nil {
		err = json.Unmarshal(object["pommego"], &own)
	}
	if err != nil {
		t.Fatal(err)
	}
	switch form {
	case asBefore:
		text = own["before_ring"]
	case asTheirs:
		delete(object, "pommego")
		text, _ = json.Marshal(object)
	}
	again := &Match{game: m.game}
	if err := again.RestoreJSON(text); err != nil {
		t.Fatalf("form %d: %v", form, err)
	}
	if form != asTheirs && again.State != m.State {
		t.Fatalf("form %d differs in %s", form, difference(m, again))
	}
	again.RNG, again.training = m.RNG, m.training
	return again
}

// TestChangedAtCollapse: in a state that somebody has changed, the reference's fields count.
func TestChangedAtCollapse(t *testing.T) {
	g, err := New("test", "", Playground(FFA).Collapsing(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := g.New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 1})
	for range 3 {
		m.Step(make([]uint8, 4))
	}
	text, err := m.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := g.rules.Settled(m.State)
	want.Agents[0].Ammo = 3
	changed := strings.Replace(string(text), `"ammo\":1`, `"ammo\":3`, 1)
	if err := m.RestoreJSON([]byte(changed)); err != nil || m.State != want {
		t.Errorf("with other ammo it differs in %s, error %v", difference(&Match{want, g}, m), err)
	}
	damaged := strings.Replace(string(text), `"before_ring":{`, `"before_ring":{},"x":{`, 1)
	if err := m.RestoreJSON([]byte(damaged)); err == nil || !strings.Contains(err.Error(), `"board_size" is missing`) {
		t.Errorf("without fields from before the ring: %v, want an error that names one", err)
	}
	for _, key := range []string{"format", "rules", "dice", "ring_due", "training_agent"} {
		lacking := strings.ReplaceAll(string(text), `"`+key+`":`, `"x":`)
		err := m.RestoreJSON([]byte(lacking))
		if err == nil || !strings.Contains(err.Error(), `"pommego": `+key+" is missing") {
			t.Errorf("without %s: %v, want an error that names it", key, err)
		}
	}
}

// TestSavedWithOtherCollapses: a file of the reference is not continued with rings that fall at other steps.
func TestSavedWithOtherCollapses(t *testing.T) {
	g, err := New("test", "", Playground(FFA).Collapsing(500), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := g.New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 1})
	text, err := m.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	theirs := strings.Replace(string(text), `"pommego":`, `"other":`, 1)
	if err := m.RestoreJSON([]byte(theirs)); err != nil {
		t.Errorf("with collapses of its rules it is refused: %v", err)
	}
	err = m.RestoreJSON([]byte(strings.Replace(theirs, "[500,", "[100,", 1)))
	if err == nil || !strings.Contains(err.Error(), `"collapses" is [100 575 650 725], but by the rules' first_collapse`) {
		t.Errorf("with other collapses: %v", err)
	}
}

// TestSavedElsewhere: in a state of the reference's form nothing of an agent, a bomb or a flame may be missing, and
// more may be there. Numbers are what observations can show. By Java's rules such a state does not say who has won.
func TestSavedElsewhere(t *testing.T) {
	m := mustGame(t, Java(FFA)).New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 1})
	m.Step([]uint8{uint8(LayBomb), 0, 0, 0})
	text, err := m.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ reason, from, to, want string }{
		{"unchanged", "", "", ""},
		{"more than is known", `\"ammo\":`, `\"name\":1,\"ammo\":`, ""},
		{"another name", `\"ammo\":`, `\"amo\":`, `"agents": ammo is missing`},
		{"no value", `\"can_kick\":false`, `\"can_kick\":null`, `"agents": can_kick is null`},
		{"a bomb of nobody", `\"bomber_id\":`, `\"bomber\":`, `"bombs": bomber_id is missing`},
		{"more than planes hold", `\"life\":9,\"blast_strength\":2`, `\"life\":9,\"blast_strength\":255`,
			"bombs[0].blast_strength is 255, want 1 to 254"},
		{"a bomb that planes do not hold", `\"life\":9`, `\"life\":255`, "bombs[0].life is 255, want 1 to 254"},
		{"a thing that is none", `"board":"[[0`, `"board":"[[99`, "the board shows 99 at row 0, column 0"},
	} {
		theirs := strings.Replace(string(text), `"pommego":`, `"other":`, 1)
		if !strings.Contains(theirs, tc.from) {
			t.Fatalf("%s: no %s in %s", tc.reason, tc.from, theirs)
		}
		err := m.RestoreJSON([]byte(strings.Replace(theirs, tc.from, tc.to, 1)))
		if got := fmt.Sprint(err); tc.want == "" && err != nil || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %q", tc.reason, got, tc.want)
		}
	}
	for seat := range m.Agents[1:] {
		m.Board[m.Agents[seat+1].Cell], m.Agents[seat+1].Alive = Passage, false
	}
	if text, err = m.AppendJSON(nil); err != nil || m.Over() {
		t.Fatalf("over %v, %v", m.Over(), err)
	}
	err = m.RestoreJSON([]byte(strings.Replace(string(text), `"pommego":`, `"other":`, 1)))
	if status := m.Status(); err != nil || !status.Over || status.Winners != 1 {
		t.Errorf("with one agent left there is %+v, %v; want that it has won", status, err)
	}
}

// TestNobodyLivesInWalls: by no rules is a state taken in which an agent stands where the board shows a wall.
func TestNobodyLivesInWalls(t *testing.T) {
	for name, rules := range variants() {
		m := mustGame(t, rules).New(1)[0].(*Match)
		m.Reset(env.Seed{Value: 1})
		for _, item := range []Item{Rigid, Wood} {
			m.Board[m.Agents[1].Cell] = item
			if m.Restore(m.Append(nil)) == nil {
				t.Errorf("%s: agent 1 stands on item %d", name, item)
			}
		}
	}
}

// TestSavedInFallenRing: by Java's rules an agent that is not drawn lives on where a ring falls (2.13). The
// game takes that state back, and no such state of a step in which that ring did not fall.
func TestSavedInFallenRing(t *testing.T) {
	rules := Java(FFA)
	rules.BoardSize = drawn
	sc := scenario{
		name: "undrawn", reason: "agent 1 burns, and with it agent 0's tile on its old cell",
		start: ".01*... ....... ..2.... ....3..", edit: func(_ *Rules, s *State) { s.StepCount = 500 },
		moves: [][4]Action{{Right, Right}},
		want:  []string{"####### #.....# #.2...# #...3.# #.....# #.....# #######"},
	}
	m := NewMatch(rules)
	m.State = sc.run(t, rules)
	text, err := m.AppendJSON(nil)
	if err := cmp.Or(err, m.Restore(m.Append(nil)), m.RestoreJSON(text)); err != nil || m.Living() != 0b1101 {
		t.Errorf("restored it has the agents %04b, error %v", m.Living(), err)
	}
	if m.StepCount++; m.Restore(m.Append(nil)) == nil {
		t.Error("agent 0 lives in the wall a step later")
	}
}
