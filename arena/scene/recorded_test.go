package scene_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/catalog"
)

var formats = trace.Formats(catalog.Formats())

// golden finds a recorded game of an id.
func golden(t testing.TB, id string) []byte {
	t.Helper()
	paths, err := filepath.Glob("../../env/*/testdata/golden/" + id + ".jsonl.gz")
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: recorded games are %v, %v; want one", id, paths, err)
	}
	return tracetest.Lines(t, paths[0])[0]
}

func read(t testing.TB, line []byte) *scene.Timeline {
	t.Helper()
	replay, err := formats.Reopen(line)
	if err != nil {
		t.Fatal(err)
	}
	g, err := scene.Read(replay)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// whole undoes patches, by way of their JSON, as a reader does who knows the
// documentation alone.
func whole(t testing.TB, g *scene.Timeline) []scene.Step {
	t.Helper()
	text, err := json.Marshal(g.Steps)
	if err != nil {
		t.Fatal(err)
	}
	var patches []map[string]json.RawMessage
	if err := json.Unmarshal(text, &patches); err != nil {
		t.Fatal(err)
	}
	now, all := map[string]json.RawMessage{}, make([]scene.Step, len(patches))
	for i, patch := range patches {
		for _, key := range []string{"changed", "actions", "rewards", "events", "thoughts"} {
			delete(now, key)
		}
		for key, value := range patch {
			now[key] = value
		}
		full, err := json.Marshal(now)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(full, &all[i]); err != nil {
			t.Fatal(err)
		}
		for at, char := range all[i].Changed {
			all[i].Ground[at] = char[0]
		}
		now["ground"], _ = json.Marshal(all[i].Ground)
	}
	return all
}

// recorded is the parts of a step that records of the three games have.
type recorded struct {
	StepCount int `json:"step_count"`
	Board     string
	Fields    string
	Agents    [][]int
	Bombers   [][]int
	Bombs     [][]int
	Flames    [][]int
	Blast     [][]int
	Items     [][]int
	Actions   []int
	Rewards   []float64
	Result    string
	Winners   []int
}

// TestEveryIDIsAsRecorded compares the scenes of a recorded game of every id, step by
// step, with what its record says, redrawn from the scene.
func TestEveryIDIsAsRecorded(t *testing.T) {
	steps := 0
	for _, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			line := golden(t, id)
			var record struct {
				Format  string
				Initial recorded
				Steps   []recorded
			}
			if err := json.Unmarshal(line, &record); err != nil {
				t.Fatal(err)
			}
			g := read(t, line)
			all := whole(t, g)
			if len(all) != len(record.Steps)+1 || g.Env != id || g.Format != scene.Format {
				t.Fatalf("%d positions of %s in %s, want %d", len(all), g.Env, g.Format, len(record.Steps)+1)
			}
			redraw := map[string]func(*scene.Head, *scene.Step) recorded{
				"pommerman": redrawPommerman, "basewar": redrawBaseWar, "suitebot": redrawSuiteBot,
			}[g.Game]
			for i := range all {
				want := record.Initial
				if i > 0 {
					want = record.Steps[i-1]
				}
				got := redraw(&g.Head, &all[i])
				got.StepCount, got.Rewards = all[i].Step, all[i].Rewards
				if i > 0 {
					got.Result, got.Winners = all[i].Status.Result, all[i].Status.Winners
					want.Winners = append([]int{}, want.Winners...)
				}
				want.Actions, want.Flames = nil, youngest(want.Flames)
				if id == "BaseWarSides-v0" {
					for _, b := range want.Bombs {
						b[3] = one(b[3]&0b010101 != 0) + 2*one(b[3]&0b101010 != 0) // the seats of its bombers
					}
				}
				if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
					t.Fatalf("step %d is\n%s\nrecorded\n%s", i, a, b)
				}
			}
			steps += len(record.Steps)
		})
	}
	t.Logf("%d steps of %d ids", steps, len(catalog.IDs()))
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

var itemDigits = map[string]int{"extra_bomb": 6, "incr_range": 7, "kick": 8, "skull": 9}

func redrawPommerman(h *scene.Head, s *scene.Step) (r recorded) {
	board := make([]int, h.Rows*h.Cols)
	put := func(at env.Place, digit int) { board[at[0]*h.Cols+at[1]] = digit }
	for i, g := range s.Ground {
		board[i] = strings.IndexByte(".#+", g)
	}
	skulls, lists := 0, recorded{Items: [][]int{}}
	if strings.Contains(h.Env, "2018") {
		skulls = 1
	}
	for _, item := range s.Items {
		if item.Hidden {
			lists.Items = append(lists.Items, []int{item.At[0], item.At[1], itemDigits[item.Kind]})
		} else {
			put(item.At, itemDigits[item.Kind])
		}
	}
	for _, b := range s.Bombs {
		put(b.At, 3)
		owner := b.Owners.First()
		lists.Bombs = append(lists.Bombs, []int{b.At[0], b.At[1], b.Life, b.Blast, owner, direction(b.Moving)})
	}
	for _, a := range s.Agents {
		if a.Alive {
			put(a.At, 10+skulls+a.Seat)
		}
		lists.Agents = append(lists.Agents, []int{a.At[0], a.At[1], one(a.Alive), a.Ammo, a.Blast, one(a.Kicks)})
	}
	for _, f := range s.Flames {
		put(f.At, 4)
		lists.Flames = append(lists.Flames, []int{f.At[0], f.At[1], f.Life - 1})
	}
	for _, d := range board {
		r.Board += digits[d : d+1]
	}
	r.Agents, r.Bombs, r.Flames, r.Items = lists.Agents, lists.Bombs, lists.Flames, lists.Items
	return r
}

// youngest is the flames as scenes have them: one a cell, the one that burns longest.
func youngest(flames [][]int) [][]int {
	slices.SortFunc(flames, slices.Compare)
	var list [][]int
	for _, f := range flames {
		if n := len(list) - 1; n >= 0 && list[n][0] == f[0] && list[n][1] == f[1] {
			list[n] = f
		} else {
			list = append(list, f)
		}
	}
	return list
}

func direction(name string) int {
	return max(0, slices.Index([]string{"stop", "up", "down", "left", "right"}, name))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func redrawBaseWar(h *scene.Head, s *scene.Step) (r recorded) {
	board := make([]int, len(s.Ground))
	for i, g := range s.Ground {
		board[i] = strings.IndexByte(".#+", g)
	}
	for side, b := range s.Bases {
		board[b.At[0]*h.Cols+b.At[1]] = 3 + side
	}
	for _, d := range board {
		r.Board += digits[d : d+1]
	}
	for _, a := range s.Agents {
		r.Bombers = append(r.Bombers, []int{a.At[0], a.At[1], a.Lives, a.Ammo})
	}
	for _, b := range s.Bombs {
		r.Bombs = append(r.Bombs, []int{b.At[0], b.At[1], b.Life, int(b.Owners)})
	}
	for _, f := range s.Flames {
		r.Blast = append(r.Blast, []int{f.At[0], f.At[1]})
	}
	return r
}

func redrawSuiteBot(h *scene.Head, s *scene.Step) (r recorded) {
	fields := []byte(strings.ReplaceAll(string(s.Ground), "-", "x"))
	for _, f := range s.Flames {
		fields[f.At[0]*h.Cols+f.At[1]] = '*'
	}
	r.Fields = string(fields)
	for seat, a := range s.Agents {
		r.Agents = append(r.Agents,
			[]int{a.At[1], a.At[0], int(s.Counts["points"][seat]), int(s.Counts["fields"][seat]), int(s.Counts["kills"][seat]),
				int(s.Counts["deaths"][seat])})
	}
	for _, b := range s.Bombs {
		r.Bombs = append(r.Bombs, []int{b.At[1], b.At[0], b.Life, b.Owners.First()})
	}
	return r
}
