package words_test

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/llm/words"
)

// claims are the sentences of which a reason consists.
var claims = map[string]*regexp.Regexp{
	"burns":  regexp.MustCompile(`^\((\d+),(\d+)\) burns in (\d+)$`),
	"goes":   regexp.MustCompile(`^I (stay|go \w+) (?:at|to) \((\d+),(\d+)\), which (stays cold|burns in (\d+))$`),
	"lays":   regexp.MustCompile(`^I lay a bomb at \((\d+),(\d+)\)$`),
	"bomb":   regexp.MustCompile(`^The bomb at \((\d+),(\d+)\) will reach ([A-H]) at \((\d+),(\d+)\) in (\d+)$`),
	"with":   regexp.MustCompile(`^With my bomb (wood|[A-H]) at \((\d+),(\d+)\) burns in (\d+)$`),
	"search": regexp.MustCompile(`^My search finds (\w+) best and (\w+) worst$`),
}

// told is what a seat is told of a position, as far as reasons speak of it.
type told struct {
	You, Others []struct {
		Name string
		At   env.Place
		Ammo int
	}
	Mates  []string
	Bombs  []struct{ At env.Place }
	Board  []string
	Danger []string
}

// burns is the first tick at which a cell burns by the danger grid, 0 for none.
func (v *told) burns(at env.Place) int {
	if v.Danger == nil || v.Danger[at[0]][at[1]] == '.' {
		return 0
	}
	t, _ := strconv.ParseInt(v.Danger[at[0]][at[1]:at[1]+1], 36, 64)
	return int(t)
}

// TestReason takes reasons apart: every cell and tick that one names is in the view's danger, every
// threat holds by the forecast, and in Pommerman without fog it comes true if all stand still.
func TestReason(t *testing.T) {
	for _, id := range []string{"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeFFAJava-v0", "BaseWar-v0",
		"SuiteBot-v0"} {
		count := map[string]int{}
		positions := 0
		for seed := range uint64(3) {
			g := play(t, id, "", seed+1, 150)
			for k := 0; k < len(g.steps)-1; k += 2 {
				for _, seat := range g.steps[k].Status.In {
					positions++
					r := &reasoned{T: t, game: g, step: k, seat: seat, count: count}
					for move := range uint8(6) {
						r.check(move)
					}
				}
			}
		}
		t.Logf("%s: %d positions, claims %v", id, positions, count)
		for claim := range claims {
			if count[claim] < 20 && !(claim == "with" && id == "SuiteBot-v0") {
				t.Errorf("%s: %d times %q, want more for a test", id, count[claim], claim)
			}
		}
		if positions < 300 {
			t.Errorf("%s: %d positions, want more for a test", id, positions)
		}
	}
}

// reasoned is a seat in a position that gives reasons.
type reasoned struct {
	*testing.T
	game       *game
	step, seat int
	count      map[string]int

	view   told
	fire   []uint64 // by what is there
	laid   []uint64 // with a bomb of the seat's
	claim  string
	parts  []string
	values []float64
}

// check takes the reason for a move apart.
func (r *reasoned) check(move uint8) {
	g, m := r.game, r.match()
	seen := g.steps[r.step].Seen(&g.head, r.seat)
	r.fire = g.fires[r.step][r.seat]
	text := g.View(&seen, r.seat, g.masks[r.step][r.seat], same(r.fire), words.Form{Detail: "json"}, new(words.Last))
	if err := json.Unmarshal([]byte(text), &r.view); err != nil {
		r.Fatal(err)
	}
	var f env.Forecast
	sight := m.(env.Foreseer).Foresight(r.seat)
	sight.Look(m)
	sight.Foresee(5, &f)
	r.laid = f.Burns
	r.values = slices.Repeat([]float64{math.NaN()}, g.spec.MaskSize())
	for i := range 4 {
		r.values[(i+r.step)%6] = float64(i * i)
	}
	for sentence := range strings.SplitSeq(g.Reason(m, &seen, r.seat, r.fire, move, r.values), ". ") {
		r.claim = strings.TrimSuffix(sentence, ".")
		kind := ""
		for name, form := range claims {
			if parts := form.FindStringSubmatch(r.claim); parts != nil {
				kind, r.parts = name, parts[1:]
			}
		}
		r.count[kind]++
		if sentence != "" && !r.holds(kind, move) {
			r.Fatalf("%s, step %d, seat %d, move %d: it is not true that %q\n%s", g.spec.ID, r.step, r.seat, move, r.claim, text)
		}
	}
}

// match is a match in the position.
func (r *reasoned) match() env.Match {
	m := r.game.of.New(1)[0]
	if err := m.Restore(r.game.states[r.step]); err != nil {
		r.Fatal(err)
	}
	return m
}

// number is a number of the claim.
func (r *reasoned) number(i int) int {
	n, err := strconv.Atoi(r.parts[i])
	if err != nil {
		r.Fatalf("%q: %v", r.claim, err)
	}
	return n
}

func (r *reasoned) place(i int) env.Place { return env.Place{r.number(i), r.number(i + 1)} }

// holds reports whether a claim is true.
func (r *reasoned) holds(kind string, move uint8) bool {
	own, head, names := r.view.You[0], &r.game.head, r.game.spec.Actions[0].Names
	cell := func(p env.Place) int { return p[0]*head.Cols + p[1] }
	enemy := func(name string, at env.Place) bool {
		return !slices.Contains(r.view.Mates, name) && slices.ContainsFunc(r.view.Others, func(o struct {
			Name string
			At   env.Place
			Ammo int
		}) bool {
			return o.Name == name && o.At == at
		})
	}
	switch kind {
	case "burns":
		rows, cols := head.Way(own.At, r.place(0))
		return rows*rows+cols*cols <= 1 && r.number(2) > 0 && r.view.burns(r.place(0)) == r.number(2)
	case "goes":
		to, on := head.Next(own.At, int(move))
		burns := 0
		if r.parts[3] != "stays cold" {
			burns = r.number(4)
		}
		barred := "#+o"
		if r.game.spec.Game == "suitebot" {
			barred = ""
		}
		way := strings.TrimPrefix(r.parts[0], "go ")
		return on && r.place(1) == to && r.view.burns(to) == burns && (way == names[move] || way == "stay" && move == 0) &&
			(move == 0 || !strings.ContainsAny(string(r.view.Board[to[0]][to[1]]), barred))
	case "lays":
		return move == 5 && r.place(0) == own.At && own.Ammo > 0
	case "bomb":
		bomb := slices.ContainsFunc(r.view.Bombs, func(b struct{ At env.Place }) bool { return b.At == r.place(0) })
		return bomb && enemy(r.parts[2], r.place(3)) && r.view.burns(r.place(0)) == r.number(5) &&
			r.fire[cell(r.place(3))]>>r.number(5)&1 == 1
	case "with":
		at, tick := r.place(1), r.number(3)
		there := enemy(r.parts[0], at) || r.parts[0] == "wood" && r.view.Board[at[0]][at[1]] == '+'
		return move == 5 && there && r.fire[cell(at)]>>tick&1 == 0 && r.laid[cell(at)]>>tick&1 == 1 &&
			(len(r.game.steps[r.step].Sight) > 0 || r.game.spec.Game != "pommerman" || r.comesTrue(cell(at), tick))
	case "search":
		best, worst := slices.Index(names, r.parts[0]), slices.Index(names, r.parts[1])
		for _, v := range r.values[:len(names)] {
			if v > r.values[best] || v < r.values[worst] {
				return false
			}
		}
		return true
	}
	return false
}

// comesTrue plays on, with everybody but the seat, which lays its bomb, standing still, and reports whether
// a cell burns after so many ticks.
func (r *reasoned) comesTrue(cell, ticks int) bool {
	spec, m := r.game.spec, r.match()
	tracker := r.game.of.NewTrackers(1, true)[0]
	tracker.Begin(m)
	for tick := range ticks {
		actions := make([]uint8, spec.Seats*len(spec.Actions))
		if tick == 0 {
			actions[r.seat*len(spec.Actions)] = 5
		}
		if m.Status().Over {
			return true // it can't be seen
		}
		tracker.Step(m, actions)
	}
	now := scene.Describe(spec, m, tracker, nil)
	return slices.ContainsFunc(now.Flames, func(f env.SceneFlame) bool { return f.At[0]*r.game.head.Cols+f.At[1] == cell })
}
