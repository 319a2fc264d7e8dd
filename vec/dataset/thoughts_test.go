package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// thoughtful is a game whose agent "simple" tells what it chose by.
type thoughtful struct{ env.Game }

func (g thoughtful) NewAgent(name string) (env.Agent, error) {
	agent, err := g.Game.NewAgent(name)
	if name != "simple" {
		return agent, err
	}
	return &thinker{Agent: agent}, err
}

// thinker makes up what it weighs from the step and its seat: nothing in every
// third step, and it never tries choice 4.
type thinker struct {
	env.Agent
	step, seat int
}

func (a *thinker) Act(m env.Match, seat int, action []uint8) {
	a.step, a.seat = m.Status().Steps, seat
	a.Agent.Act(m, seat, action)
}

func (a *thinker) Weighed(visits []int32, values []float64) bool {
	for i := range visits {
		if i != 4 {
			visits[i], values[i] = a.visits(i), a.value(i)
		}
	}
	return a.step%3 != 0
}

func (a *thinker) visits(choice int) int32 { return int32(1 + a.step*10 + a.seat + choice) }

func (a *thinker) value(choice int) float64 { return float64(a.step)/8 - float64(choice+a.seat) }

// TestThoughts stores what agents chose by, stops, goes on, and merges.
func TestThoughts(t *testing.T) {
	game := thoughtful{gameOf(t, ffa)}
	config := small()
	config.Layout, config.Observation = Steps, "raw"
	ctx, cancel := context.WithCancel(context.Background())
	o := testOptions(1)
	o.Progress = func(p Progress) {
		if p.Games == 5 {
			cancel() // what was thought in these has to be in the journal
		}
	}
	folder := filepath.Join(t.TempDir(), "set")
	if _, _, err := Generate(ctx, game, config, folder, o); err == nil {
		t.Fatal("it was to stop")
	}
	if _, _, err := Generate(context.Background(), game, config, folder, testOptions(1)); err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(t.TempDir(), "merged")
	if _, err := Merge(gameOf(t, ffa), sets(t, folder), Shape{Layout: Steps, Observation: "raw"}, nil, merged, testOptions(1)); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{folder, merged} {
		r, err := Verify(folder, VerifyOptions{Game: func(m *Manifest) (env.Game, error) { return catalog.Game(m.Env.ID) }})
		if err != nil || len(r.Problems) > 0 || r.Replayed != r.Steps {
			t.Fatalf("%v, %v", r, err)
		}
		told := 0
		for _, rows := range readRows(t, sets(t, folder)[0]) {
			for row := range rows.rows() {
				told += checkThought(t, rows, row)
			}
		}
		if told < 100 {
			t.Errorf("%d decisions with what they were chosen by, want more for a test", told)
		}
	}
}

// checkThought checks one row, and returns 1 if it tells what was chosen by.
func checkThought(t *testing.T, rows *gameRows, row int) int {
	t.Helper()
	a := thinker{step: rows.int("step", row), seat: rows.int("seat", row)}
	tells := rows.text("agent", row) == "simple" && rows.value("alive", row).Boolean() && a.step%3 != 0
	for choice, name := range []string{"stop", "up", "down", "left", "right", "bomb"} {
		visits, value := rows.value("visits_"+name, row), rows.value("value_"+name, row)
		want := fmt.Sprint(true, true)
		switch {
		case tells && choice == 4:
			want = fmt.Sprint(0, true)
		case tells:
			want = fmt.Sprint(a.visits(choice), a.value(choice))
		}
		var v, x any = visits.IsNull(), value.IsNull()
		if !visits.IsNull() {
			v = visits.Int32()
		}
		if !value.IsNull() {
			x = value.Double()
		}
		if got := fmt.Sprint(v, x); got != want {
			t.Fatalf("step %d, seat %d, %s: visits and value are %s, want %s", a.step, a.seat, name, got, want)
		}
	}
	return int(toByte(tells))
}

// TestNobodyThinks wants no columns for what nobody tells.
func TestNobodyThinks(t *testing.T) {
	config := tiny()
	config.Layout = Steps
	set := sets(t, generate(t, ffa, config, testOptions(1)))[0]
	for _, c := range set.Manifest.Columns {
		if c.Name == visitsName("stop") {
			t.Errorf("there is a column %q", c.Name)
		}
	}
}
