package catalog_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// The lists of docs/games, which `pommego envs` prints too, are what games pay: games of each
// id are played to their end, by random moves and by none.
func TestEndings(t *testing.T) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		documented := documentedEndings(t, game.Spec())
		var want []string
		for _, e := range game.Endings() {
			want = append(want, fmt.Sprintf(listed, e.Ending, e.Result, e.Outcome))
		}
		if !slices.Equal(documented, want) {
			t.Errorf("%s: documented are\n%s\nwant\n%s", id, strings.Join(documented, "\n"), strings.Join(want, "\n"))
		}
		seen := map[string]bool{}
		for seed := range uint64(40) {
			for _, row := range endingsOf(t, game, env.Seed{Value: seed}, []string{"random", "static"}[seed/39]) {
				if seen[row] = true; !slices.Contains(documented, row) {
					t.Errorf("%s, seed %d: %s is not documented", id, seed, row)
				}
			}
		}
		if game.Spec().Game == "pommerman" && len(seen) < 3 {
			t.Errorf("%s: saw only %v", id, seen)
		}
	}
}

// TestTrainingEnding: the endings of rules with a training_agent are as those without, and its death.
func TestTrainingEnding(t *testing.T) {
	for seat := range 4 {
		for id, pays := range map[string]float64{"PommeFFACompetition-v0": 0, "PommeFFAJava-v0": -1} {
			plain, err := catalog.Game(id)
			if err != nil {
				t.Fatal(err)
			}
			game, err := catalog.Variant(id, fmt.Appendf(nil, `{"training_agent": %d}`, seat))
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Insert(plain.Endings(), 2,
				env.Ending{Ending: fmt.Sprintf(
					"another seat, number %d, is out by training_agent, and several are left", seat), Result: env.Tied, Outcome: pays})
			if got := game.Endings(); !slices.Equal(got, want) {
				t.Errorf("%s, seat %d: the endings are %v, want %v", id, seat, got, want)
			}
		}
	}
}

// listed is a line of a page.
const listed = "- %s: `result` %s, `outcome` %g"

// documentedEndings is the list of an id in the page of its game: that of the first id, but for lines that are
// others in this one.
func documentedEndings(t *testing.T, spec *env.Spec) (rows []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/games/" + spec.Game + ".md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "## What an ending pays\n")
	section, _, _ := strings.Cut(after, "\n## ")
	applies := true
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if ids, fact, other := strings.Cut(line, ":"); other && strings.HasPrefix(ids, "Otherwise in ") {
			applies, line = strings.Contains(ids, "`"+spec.ID+"`"), "-"+fact // one fact alone stands on the same line
		}
		ending, _, _ := strings.Cut(line, ": ")
		i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, ending+": ") })
		switch {
		case !strings.HasPrefix(line, "- ") || !applies:
		case i < 0:
			rows = append(rows, line)
		default:
			rows[i] = line
		}
	}
	return rows
}

// endingsOf plays a game and returns how it ended for each seat, as a line of the list.
func endingsOf(t *testing.T, game env.Game, seed env.Seed, name string) (rows []string) {
	t.Helper()
	spec, m := game.Spec(), game.New(1)[0]
	m.Reset(seed)
	agents, parts := make([]env.Agent, spec.Seats), len(spec.Actions)
	for seat := range agents {
		var err error
		if agents[seat], err = game.NewAgent(name); err != nil {
			t.Fatal(err)
		}
		agents[seat].Reset(seed.RNG(env.StreamAgents + uint64(seat)))
	}
	before, paid := m.Status(), make([]float64, spec.Seats)
	for actions := make([]uint8, spec.Seats*parts); !m.Status().Over; m.Step(actions) {
		before = m.Status()
		for seat, a := range agents {
			if before.In.Has(seat) {
				a.Act(m, seat, actions[seat*parts:][:parts])
			}
		}
	}
	status := m.Status()
	m.Outcome(paid)
	for seat, result := range status.SeatResults(spec.Teams, before.In) {
		rows = append(rows, fmt.Sprintf(listed, endingName(spec, status, result), result, paid[seat]))
	}
	return rows
}

func endingName(spec *env.Spec, status env.Status, result env.SeatResult) string {
	if spec.Game != "pommerman" {
		return map[env.SeatResult]string{
			env.Won: "it is among the winners", env.Lost: "others win", env.Tied: "nobody wins"}[result]
	}
	limit := status.Steps == spec.MaxSteps
	switch {
	case result == env.Won:
		return "the others are out"
	case result == env.Lost:
		return "it is out, and others are left"
	case limit && status.In == 0:
		return "the step limit, and all that are left go out in that step"
	case limit:
		return "the step limit, and others are left too"
	}
	return "all that are left go out in one step"
}
