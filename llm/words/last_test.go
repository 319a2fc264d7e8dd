package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/words"
)

// TestTieOfOthers: in a free-for-all game those who are out before others tie have lost.
func TestTieOfOthers(t *testing.T) {
	for id, want := range map[string]string{"PommeFFACompetition-v0": "lost", "PommeTeam-v0": "tied"} {
		g := play(t, id, "", 1, 0)
		seen := g.steps[0].Seen(&g.head, 0)
		seen.Status = &scene.Status{Over: true, In: []int{1, 2}}
		for seat, want := range []string{want, "tied"} {
			text := g.View(&seen, seat, nil, same(make([]uint64, len(g.steps[0].Ground))), words.Form{}, new(words.Last))
			if !strings.Contains(text, "you have "+want) {
				t.Errorf("%s: seat %d reads\n%s\nwant %s", id, seat, text, want)
			}
		}
	}
}

// TestLast: a line on an answer that failed is not that of a stop, and one without an answer is empty.
func TestLast(t *testing.T) {
	for want, last := range map[string]words.Last{
		"":                             {Happened: []string{"C died"}},
		"Last answer: stop; ticks: 1.": {Reading: "legal", Read: "stop", Ticks: 1},
		`Last answer: read as "up" (its last line); ticks: 1; then a move led nowhere.`: {Reading: "repaired", Read: "up",
			Why: "its last line", Ticks: 1, Ended: "a move led nowhere"},
		"Last answer: refused, for it is empty; you stopped; ticks: 1. Since then: C died; wood burnt at (1,2) (1,3).": {
			Reading: "illegal", Why: "it is empty", Ticks: 1, Happened: []string{"C died", "wood burnt at (1,2) (1,3)"}},
		"Last answer: none came; you stopped; ticks without an answer: 2.": {Late: 2},
		"Last answer: up; ticks: 1; ticks without an answer: 3.":           {Reading: "legal", Read: "up", Ticks: 1, Late: 3},
	} {
		if got := last.String(); got != want {
			t.Errorf("%+v is %q, want %q", last, got, want)
		}
	}
}

// TestHappens: in games of every id each seat is told who died, and where it sees it who was hit, what was picked up
// and what burnt; and nothing else.
func TestHappens(t *testing.T) {
	counts := map[env.EventKind]int{}
	for _, id := range catalog.IDs() {
		for seed := range uint64(3) {
			g := play(t, id, "", seed, 250)
			for k := range g.steps {
				for seat := range g.spec.Seats {
					seen, last := g.steps[k].Seen(&g.head, seat), new(words.Last)
					g.Happens(&seen, seat, last)
					all, want := strings.Join(last.Happened, ";"), 0
					for _, e := range seen.Events {
						at := fmt.Sprintf("(%d,%d)", e.At[0], e.At[1])
						says := map[env.EventKind]string{env.NotLaid: "could lay no bomb", env.Kicked: "kicked a bomb " + e.What,
							env.PickedUp: "picked up", env.Destroyed: e.What + " burnt", env.Hurt: "took a hit", env.Died: "died",
							env.Collapsed: "ring " + e.What}[e.Kind]
						if says == "" {
							continue
						}
						counts[e.Kind]++
						told := slices.ContainsFunc(last.Happened, func(s string) bool {
							return strings.Contains(s, says) && (e.At == env.Nowhere || strings.Contains(s, at)) &&
								(e.Seat != seat || e.What == "base" || g.Alias(seat) != g.Alias(seat)[:1] || strings.HasPrefix(s, "you ")) &&
								(e.By == 0 || strings.Contains(s, " bomb"))
						})
						if want++; !told {
							t.Fatalf("%s, step %d, seat %d: of %+v it is told %q", id, k, seat, e, all)
						}
					}
					if got := len(last.Happened) + strings.Count(all, ") ("); got != want {
						t.Fatalf("%s, step %d, seat %d: %d events are told as %q", id, k, seat, want, all)
					}
				}
			}
		}
	}
	for _, kind := range []env.EventKind{env.NotLaid, env.PickedUp, env.Destroyed, env.Hurt, env.Died} {
		if counts[kind] < 20 {
			t.Errorf("%d events %v, want more for a test", counts[kind], kind)
		}
	}
}

// TestWhoseBomb: a death is told with its bombs as far as the seat knows whose they are.
func TestWhoseBomb(t *testing.T) {
	g := play(t, "SuiteBot-v0", "", 1, 0)
	seen, last := g.steps[0].Seen(&g.head, 1), new(words.Last)
	seen.Events = []env.Event{{Kind: env.Died, Seat: 0, By: 1<<1 | 1<<2, At: env.Place{3, 4}},
		{Kind: env.Died, Seat: 1, By: 1 << 1, At: env.Place{5, 0}}, {Kind: env.Died, Seat: 3, At: env.Nowhere},
		{Kind: env.Died, Seat: 2, What: "move", At: env.Place{1, 1}}}
	g.Happens(&seen, 1, last)
	want := []string{"A died by your bomb and C's bomb at (3,4)", "you died by your bomb at (5,0)", "D died",
		"C died in a collision at (1,1)"}
	if !slices.Equal(last.Happened, want) {
		t.Errorf("told is %q, want %q", last.Happened, want)
	}
}

// TestReachIsDanger: under fog and without it, what a bomb is said to reach is in the danger when it explodes.
func TestReachIsDanger(t *testing.T) {
	ways, edge := map[string][2]int{"up": {-1, 0}, "down": {1, 0}, "left": {0, -1}, "right": {0, 1}}, 0
	for _, game := range append(fogged, [2]string{"PommeFFACompetition-v0", ""}, [2]string{"SuiteBot-v0", ""}) {
		told := 0
		for seed := range uint64(3) {
			g := play(t, game[0], game[1], seed, 150)
			for k := range g.steps {
				for seat := range g.spec.Seats {
					seen, fire := g.steps[k].Seen(&g.head, seat), g.fires[k][seat]
					rolls := slices.ContainsFunc(g.steps[k].Bombs, func(b env.SceneBomb) bool { return b.Moving != "" })
					text := g.View(&seen, seat, nil, same(fire), words.Form{}, new(words.Last))
					_, bombs, _ := strings.Cut(text, "\nBombs: ")
					bombs, _, _ = strings.Cut(bombs, "\n")
					for _, bomb := range strings.Split(bombs, "; ") {
						var row, col, in int
						if n, _ := fmt.Sscanf(bomb, "(%d,%d) in %d", &row, &col, &in); n < 3 || rolls {
							continue
						}
						_, reach, _ := strings.Cut(bomb, "reach ")
						for words := strings.Fields(reach); len(words) > 1; words = words[2:] {
							n := 0
							fmt.Sscan(words[1], &n)
							for d := range n {
								r := (row + ways[words[0]][0]*(d+1) + g.head.Rows) % g.head.Rows
								c := (col + ways[words[0]][1]*(d+1) + g.head.Cols) % g.head.Cols
								own, cell := fire[row*g.head.Cols+col], fire[r*g.head.Cols+c]
								if own&cell == 0 {
									t.Fatalf("%s, step %d, seat %d: %s, and (%d,%d) does not burn with it\n%s", game[0], k, seat, bomb, r, c, text)
								}
								told++
								if seen.Ground[r*g.head.Cols+c] == env.GroundFog {
									edge++
								}
							}
						}
					}
				}
			}
		}
		if told < 100 {
			t.Errorf("%s: bombs reach %d cells, want more for a test", game[0], told)
		}
	}
	if edge < 20 {
		t.Errorf("%d cells are in the fog, want more for a test", edge)
	}
}

// TestBurnsAgain: cells that burn, are cold and burn once more are told with both ticks; those that just go on are not.
func TestBurnsAgain(t *testing.T) {
	g := play(t, "PommeFFACompetition-v0", "", 1, 0)
	seen, fire := g.steps[0].Seen(&g.head, 0), make([]uint64, len(g.steps[0].Ground))
	fire[12], fire[13], fire[14], fire[24] = 1<<1|1<<6|1<<7, 1<<1|1<<2, 1<<3|1<<6, 1<<2|1<<12
	text := g.View(&seen, 0, nil, same(fire), words.Form{Detail: "short"}, new(words.Last))
	if !strings.Contains(text, "\nBurns again: in 6 (1,1) (1,3); in 12 (2,2)\n") || !strings.Contains(text, " 1 .113") {
		t.Error(text)
	}
}

// TestForms: short views have a legend and the counts; those without hints neither danger nor legal moves; and prompts
// say what the views have.
func TestForms(t *testing.T) {
	g := play(t, "SuiteBot-v0", "", 3, 46)
	k := len(g.steps) - 1
	seen := g.steps[k].Seen(&g.head, 1)
	for _, tc := range []struct {
		form          words.Form
		with, without []string
	}{
		{words.Form{Detail: "short"}, []string{"\nLegend: . field with its points", "\npoints by seat: ", "\nDanger",
			"\nLegal: "}, []string{"Others: ", "Bombs: "}},
		{words.Form{Bare: true}, []string{"\nLegend: ", "\npoints by seat: ", "\nOthers: ", "\nBombs: "},
			[]string{"Danger", "Burns", "burns", "Legal", "Deadly"}},
		{words.Form{Bare: true, Detail: "json"}, []string{`"legend"`, `"points"`, `"others"`, `"bombs"`},
			[]string{"danger", "burns", "legal", "deadly"}},
		{words.Form{Moves: true, Frame: 3}, []string{"\nOthers: ", "\nLegal: "}, nil},
		{words.Form{}, []string{"\nLegend: ", "\npoints by seat: ", "\nOthers: ", "\nBombs: ", "\nDanger", "\nLegal: "}, nil},
	} {
		view := g.View(&seen, 1, g.masks[k][1], same(g.fires[k][1]), tc.form, new(words.Last))
		for _, part := range tc.with {
			if !strings.Contains(view, part) {
				t.Errorf("%+v: %q is not in\n%s", tc.form, part, view)
			}
		}
		for _, part := range tc.without {
			if strings.Contains(view, part) {
				t.Errorf("%+v: %q is in\n%s", tc.form, part, view)
			}
		}
		prompt := g.Prompt(tc.form)
		for part, has := range map[string]bool{"Danger": !tc.form.Bare, "Legal": !tc.form.Bare,
			"Others": tc.form.Detail != "short", "JSON": tc.form.Detail == "json", "nobody wins: tied, 0": true,
			"abcdefgh home": true, "\nhide for 8\n": !tc.form.Moves, "hunt": !tc.form.Moves,
			"comes near. An answer holds for 3 ticks at most. ": tc.form.Moves, "leave it.\nup\nOrders are ill": tc.form.Moves,
			"\n\n": false} {
			if strings.Contains(prompt, part) != has {
				t.Errorf("%+v: %q is in the prompt: %v\n%s", tc.form, part, !has, prompt)
			}
		}
	}
}

// TestPays: the prompt says what each end pays.
func TestPays(t *testing.T) {
	for id, want := range map[string]string{
		"PommeFFACompetition-v0": "the step limit, and others are left too: tied, -1;",
		"OneVsOne-v0":            "all that are left go out in one step: tied, 0;",
		"BaseWarSides-v0":        "nobody wins: tied, 0.",
	} {
		if got := play(t, id, "", 1, 0).Prompt(words.Form{}); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in\n%s", id, want, got)
		}
	}
}
