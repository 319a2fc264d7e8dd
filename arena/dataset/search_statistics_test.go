package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/env"
	"pommego/env/catalog"
)

// searching is a game whose agent "simple" tells what it chose by.
type searching struct{ env.Game }

func (g searching) NewAgent(name string) (env.Agent, error) {
	agent, err := g.Game.NewAgent(name)
	if name != "simple" {
		return agent, err
	}
	return &thinker{Agent: agent}, err
}

// thinker makes up what it searched from the step and its seat: nothing in every
// third step, and it never tries choice 4.
type thinker struct {
	env.Agent
	step, seat int
}

func (a *thinker) Act(m env.Match, seat int, action []uint8) {
	a.step, a.seat = m.Status().Steps, seat
	a.Agent.Act(m, seat, action)
}

func (a *thinker) SearchStatistics(visits []int32, values []float64) bool {
	for i := range visits {
		if i != 4 {
			visits[i], values[i] = a.visits(i), a.value(i)
		}
	}
	return a.step%3 != 0
}

func (a *thinker) visits(choice int) int32 { return int32(1 + a.step*10 + a.seat + choice) }

func (a *thinker) value(choice int) float64 { return float64(a.step)/8 - float64(choice+a.seat) }

// TestSearchStatistics stores what agents chose by, stops, goes on, and merges.
func TestSearchStatistics(t *testing.T) {
	game := searching{gameOf(t, ffa)}
	config := small()
	config.Layout, config.Observation = Steps, "raw"
	ctx, cancel := context.WithCancel(context.Background())
	o := testOptions(1)
	o.Progress = func(p ledger.Progress) {
		if p.Done == 5 {
			cancel() // within the second file
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
	if _, err := Merge(gameOf(t, ffa), sets(t, folder), Config{Layout: Steps, Observation: "raw"}, Filter{}, merged,
		testOptions(1)); err != nil {
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
				told += checkStatistics(t, rows, row)
			}
		}
		if told < 100 {
			t.Errorf("%d decisions with what they were chosen by, want more for a test", told)
		}
	}
}

// checkStatistics checks one row, and returns 1 if it tells what was chosen by.
func checkStatistics(t *testing.T, rows *gameRows, row int) int {
	t.Helper()
	a := thinker{step: rows.int("step", row), seat: rows.int("seat", row)}
	tells := rows.text("agent", row) == "simple" && rows.value("alive", row).Boolean() && a.step%3 != 0
	visits, values := rows.value("visits", row), rows.value("values", row)
	if visits.IsNull() == tells || values.IsNull() == tells {
		t.Fatalf("step %d, seat %d: no visits is %v, no values is %v, want both %v", a.step, a.seat, visits.IsNull(),
			values.IsNull(), !tells)
	}
	if !tells {
		return 0
	}
	le := binary.LittleEndian
	for choice := range 6 {
		want := fmt.Sprint(a.visits(choice), a.value(choice))
		if choice == 4 {
			want = fmt.Sprint(0, math.NaN())
		}
		got := fmt.Sprint(int32(le.Uint32(visits.ByteArray()[4*choice:])),
			math.Float64frombits(le.Uint64(values.ByteArray()[8*choice:])))
		if got != want {
			t.Fatalf("step %d, seat %d, choice %d: visits and value are %s, want %s", a.step, a.seat, choice, got, want)
		}
	}
	return 1
}

// TestNobodyThinks wants no columns for what nobody tells.
func TestNobodyThinks(t *testing.T) {
	config := tiny()
	config.Layout = Steps
	set := sets(t, generate(t, ffa, config, testOptions(1)))[0]
	for _, c := range set.Manifest.Columns {
		if c.Name == ledger.Visits {
			t.Errorf("there is a column %q", c.Name)
		}
	}
}

// TestSearchersTell stores what the built-in agents that search choose by: for
// each component of the action that they tell of, it is the best they tried.
func TestSearchersTell(t *testing.T) {
	for _, c := range []struct {
		id, agents string
		silent     int // agents that never tell
	}{
		{ffa, "bfs mcts fmcs-exploit simple", 1},
		{team, "osla rhea fmcs-ucb1 fmcs-explore", 0},
		{radio, "fmcs-random heuristic osla osla", 1},
		{"BaseWar-v0", "flat mcts simple flat mcts random", 2},
		{"BaseWarSides-v0", "flat mcts", 0},
		{"SuiteBot-v0", "flat mcts simple static", 2},
	} {
		config := Config{Layout: Steps, Games: 2, MaxSteps: 60, Seed: 3}
		for _, name := range strings.Fields(c.agents) {
			if !strings.Contains("simple heuristic random static", name) {
				name += ":ticks=60"
			}
			config.Agents = append(config.Agents, name)
		}
		set := sets(t, generate(t, c.id, config, testOptions(2)))[0]
		told := map[string]int{}
		for _, rows := range readRows(t, set) {
			for row := range rows.rows() {
				if checkChoice(t, set.Manifest, rows, row) {
					told[rows.text("agent", row)]++
				}
			}
		}
		distinct := map[string]bool{}
		for _, name := range config.Agents {
			distinct[name] = true
		}
		if len(told) != len(distinct)-c.silent {
			t.Errorf("%s: these tell what they choose by: %v; want all but %d of %v", c.id, told, c.silent, config.Agents)
		}
	}
}

// checkChoice reports whether a row has what was chosen by, and checks it.
func checkChoice(t *testing.T, m *Manifest, rows *gameRows, row int) bool {
	t.Helper()
	visits, values := rows.value("visits", row), rows.value("values", row)
	if visits.IsNull() {
		return false
	}
	le, at, some := binary.LittleEndian, 0, false
	for i := range m.Env.Actions {
		c := &m.Env.Actions[i]
		chosen, top := int(rows.int(actionName(len(m.Env.Actions), *c), row)), math.Inf(-1)
		tried := func(choice int) bool { return le.Uint32(visits.ByteArray()[4*(at+choice):]) > 0 }
		worth := func(choice int) float64 {
			return math.Float64frombits(le.Uint64(values.ByteArray()[8*(at+choice):]))
		}
		searched := false
		for choice := range c.N {
			if tried(choice) == math.IsNaN(worth(choice)) {
				t.Fatalf("row %d: %s %d was tried is %v, but its value is %v", row, c.Name, choice, tried(choice), worth(choice))
			}
			if tried(choice) {
				searched, top = true, max(top, worth(choice))
			}
		}
		if searched && (!tried(chosen) || worth(chosen) != top) {
			t.Fatalf("row %d: %s is %d, of value %v, but the best is %v", row, c.Name, chosen, worth(chosen), top)
		}
		some, at = some || searched, at+c.N
	}
	if !some {
		t.Fatalf("row %d: it tells of a search in which nothing was tried", row)
	}
	return true
}
