package catalog_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/learned"
	"pommego/env/saved"
)

// TestConformance holds every game of the catalog to the contract: of ids that have the same rules
// one, as nothing else tells their games apart. Of the agents that are networks each id has one, in
// turn: their code is the same, and most of the time would go into it.
func TestConformance(t *testing.T) {
	first := map[any]string{}
	for k, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			game, err := catalog.Game(id)
			if err != nil {
				t.Fatal(err)
			}
			if same := first[game.Spec().Rules]; same != "" {
				t.Skipf("its rules are those of %s", same)
			}
			first[game.Spec().Rules] = id
			envtest.Run(t, envtest.Quick(oneNetwork(game, k)))
		})
	}
}

// fewerAgents is a game whose spec leaves some agents out.
type fewerAgents struct {
	env.Game
	spec env.Spec
}

func (f *fewerAgents) Spec() *env.Spec { return &f.spec }

// oneNetwork leaves out all networks but the one with number k, counted round and round.
func oneNetwork(game env.Game, k int) env.Game {
	f := &fewerAgents{game, *game.Spec()}
	names := learned.Roster.Names()
	kept := names[k%len(names)]
	f.spec.Agents = slices.DeleteFunc(slices.Clone(f.spec.Agents), func(name string) bool {
		return name != kept && slices.Contains(names, name)
	})
	return f
}

// TestReferenceIDs pins what the reference registers for each id.
func TestReferenceIDs(t *testing.T) {
	for _, c := range []struct {
		id       string
		kind     pommerman.GameType
		view     int
		collapse int
		env      string
	}{
		{"PommeFFACompetition-v0", pommerman.FFA, 0, pommerman.NoCollapse, "v0"},
		{"PommeFFACompetitionFast-v0", pommerman.FFA, 0, pommerman.NoCollapse, "v0"},
		{"PommeFFAFast-v0", pommerman.FFA, 0, pommerman.NoCollapse, "v0"},
		{"PommeFFA-v1", pommerman.FFA, 0, 500, "v1"},
		{"PommeTeam-v0", pommerman.Team, 0, pommerman.NoCollapse, "v0"},
		{"PommeTeamFast-v0", pommerman.Team, 0, pommerman.NoCollapse, "v0"},
		{"PommeTeamCompetition-v0", pommerman.Team, 4, pommerman.NoCollapse, "v0"},
		{"PommeTeamCompetitionFast-v0", pommerman.Team, 4, pommerman.NoCollapse, "v0"},
		{"PommeTeamCompetition-v1", pommerman.Team, 4, 500, "v1"},
		{"PommeRadio-v2", pommerman.TeamRadio, 4, pommerman.NoCollapse, "v2"},
		{"PommeRadioCompetition-v2", pommerman.TeamRadio, 4, pommerman.NoCollapse, "v2"},
		{"OneVsOne-v0", pommerman.OneVsOne, 0, pommerman.NoCollapse, "v0"},
	} {
		game, err := catalog.Game(c.id)
		if err != nil {
			t.Error(err)
			continue
		}
		r := game.(*pommerman.Game).Rules()
		if r.GameType != c.kind || r.ViewSize != c.view || r.FirstCollapse != c.collapse ||
			r.GameEnv != "pommerman.envs."+c.env+":Pomme" {
			t.Errorf("%s is %v with view %d, collapse %d, %s; want %v, %d, %d, %s", c.id, r.GameType, r.ViewSize,
				r.FirstCollapse, r.GameEnv, c.kind, c.view, c.collapse, c.env)
		}
		blast := 10
		if c.view > 0 {
			blast = c.view
		}
		if r.MaxBlast != blast || r.MaxSteps != 800 {
			t.Errorf("%s caps blasts at %d and ends at step %d, want %d and 800", c.id, r.MaxBlast, r.MaxSteps, blast)
		}
	}
}

// TestVariant changes rules by their names.
func TestVariant(t *testing.T) {
	game, err := catalog.Variant("PommeFFACompetition-v0",
		[]byte(`{"board_size": 9, "num_rigid": 20, "num_wood": 20, "num_items": 10}`))
	if err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, envtest.Quick(oneNetwork(game, 0)))
	for _, same := range []string{`{}`, `{"max_steps": 800}`, string(saved.JSON(duel(t).Spec().Rules))} {
		if game, err := catalog.Variant("OneVsOne-v0", []byte(same)); game != duel(t) || err != nil {
			t.Errorf("rules changed by %s are another game (%v): their saved states would not be each other's", same, err)
		}
	}
	for _, c := range []struct{ id, changes, want string }{
		{"PommeFFACompetition-v0", `{"board_sise": 9}`, "board_sise"},
		{"PommeFFACompetition-v0", `{"board_size": 99}`, "want 7 to 14"},
		{"PommeFFACompetition-v0", `[]`, "want an object"},
		{"Nope-v0", `{}`, "unknown environment"},
	} {
		if _, err := catalog.Variant(c.id, []byte(c.changes)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: error %v, want one that says %q", c.id, c.changes, err, c.want)
		}
	}
}

func duel(t *testing.T) env.Game {
	t.Helper()
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// TestRulesHaveMeanings: each field of the rules of every id has a sentence, on a
// line of its own where it is printed.
func TestRulesHaveMeanings(t *testing.T) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		spec := game.Spec()
		rules := reflect.TypeOf(spec.Rules)
		if len(spec.RuleMeanings) != rules.NumField() {
			t.Errorf("%s: %d meanings for %d rules", id, len(spec.RuleMeanings), rules.NumField())
		}
		seen := map[string]bool{}
		for i, rule := range spec.RuleMeanings {
			if rule.Name == "" || seen[rule.Name] || len(rule.Meaning) < 10 || strings.ContainsAny(rule.Meaning, "\n\t") ||
				strings.HasSuffix(rule.Meaning, ".") {
				t.Errorf("%s: %s is called %q and means %q, want a name of its own and a sentence without a full stop", id,
					rules.Field(i).Name, rule.Name, rule.Meaning)
			}
			seen[rule.Name] = true
		}
	}
}

// TestUnknownID names what exists.
func TestUnknownID(t *testing.T) {
	if _, err := catalog.Game("Nope-v0"); err == nil || !strings.Contains(err.Error(), "OneVsOne-v0") {
		t.Errorf("error is %v, want one that lists the ids", err)
	}
}

// TestIDsOfGymnasium: what stands before ids in gymnasium's registry may stand here.
func TestIDsOfGymnasium(t *testing.T) {
	if game, err := catalog.Game("pommego/OneVsOne-v0"); err != nil || game != duel(t) {
		t.Errorf("with the registry's name there is another game: %v, %v", game, err)
	}
	if game, err := catalog.Variant("pommego/OneVsOne-v0", []byte(`{"max_steps": 5}`)); err != nil ||
		game.Spec().ID != "custom:OneVsOne-v0" {
		t.Errorf("with the registry's name and rules there is %v, %v, want custom:OneVsOne-v0", game, err)
	}
	if _, err := catalog.Game("gym/OneVsOne-v0"); err == nil {
		t.Error("there is a game of another registry")
	}
}
