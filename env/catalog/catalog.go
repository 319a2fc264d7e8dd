// Package catalog is the one table of all games: id to game.
//
// The ids ending in -v0, -v1 and -v2 without a year or "Java" in them are the
// reference's own, with its rules.
package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

// entry is one row of the table.
type entry struct {
	id, description string
	rules           pommerman.Rules
}

const fogView = 4 // rows and columns a fogged seat sees each way

var (
	ffa   = pommerman.Playground(pommerman.FFA)
	team  = pommerman.Playground(pommerman.Team)
	radio = pommerman.Playground(pommerman.TeamRadio)
)

// The reference registers a "Fast" twin of some ids, which differs in the speed
// of its drawing alone.
var table = []entry{
	{"PommeFFACompetition-v0", "free for all, everything is seen", ffa},
	{"PommeFFACompetitionFast-v0", "free for all, everything is seen", ffa},
	{"PommeFFAFast-v0", "free for all, everything is seen", ffa},
	{"PommeFFA-v1", "free for all on a board that collapses from step 500", ffa.Collapsing(500)},
	{"PommeTeam-v0", "two against two, everything is seen", team},
	{"PommeTeamFast-v0", "two against two, everything is seen", team},
	{"PommeTeamCompetition-v0", "two against two, each sees 9x9 cells around itself", team.Fogged(fogView)},
	{"PommeTeamCompetitionFast-v0", "two against two, each sees 9x9 cells around itself", team.Fogged(fogView)},
	{"PommeTeamCompetition-v1", "two against two in fog on a board that collapses from step 500", team.Fogged(fogView).Collapsing(500)},
	{"PommeRadio-v2", "two against two in fog, with two words a step to the teammate", radio.Fogged(fogView)},
	{"PommeRadioCompetition-v2", "two against two in fog, with two words a step to the teammate", radio.Fogged(fogView)},
	{"OneVsOne-v0", "one against one on a small board, everything is seen", pommerman.Playground(pommerman.OneVsOne)},
	{"PommeFFA2018-v0", "free for all by the rules of 2018: 13x13, slow bombs, skulls", pommerman.Rules2018(pommerman.FFA)},
	{"PommeTeam2018-v0", "two against two by the rules of 2018: 13x13, slow bombs, skulls", pommerman.Rules2018(pommerman.Team)},
	{"PommeFFAJava-v0", "free for all by the Java rules: chains a step later, long flames, collapse", pommerman.Java(pommerman.FFA)},
	{"PommeTeamJava-v0", "two against two by the Java rules: chains a step later, long flames, collapse", pommerman.Java(pommerman.Team)},
}

// IDs lists all ids in the table's order.
func IDs() []string {
	ids := make([]string, len(table))
	for i, e := range table {
		ids[i] = e.id
	}
	return ids
}

// Game makes the game with the given id. Games are made once and shared.
func Game(id string) (env.Game, error) {
	at := slices.IndexFunc(table, func(e entry) bool { return e.id == id })
	if at < 0 {
		return nil, unknown(id)
	}
	return games[at]()
}

// Variant makes a game of one's own: the rules of id with some of their fields
// changed, given as a JSON object of the rules' field names. It is known as
// "custom:" and the id.
func Variant(id string, changes json.RawMessage) (env.Game, error) {
	at := slices.IndexFunc(table, func(e entry) bool { return e.id == id })
	if at < 0 {
		return nil, unknown(id)
	}
	rules := table[at].rules
	in := json.NewDecoder(strings.NewReader(string(changes)))
	in.DisallowUnknownFields()
	if err := in.Decode(&rules); err != nil {
		return nil, fmt.Errorf("rules of %s: %w (want an object of rules' fields; see them with: pommego envs --json)", id, err)
	}
	return pommerman.New("custom:"+id, table[at].description+", with changed rules", rules, builtIn)
}

func unknown(id string) error {
	return fmt.Errorf("unknown environment %q, want one of %s", id, strings.Join(IDs(), ", "))
}

var builtIn = pommerman.Bots{Names: bots.Names(), New: bots.New}

var games = func() []func() (env.Game, error) {
	all := make([]func() (env.Game, error), len(table))
	for i, e := range table {
		all[i] = sync.OnceValues(func() (env.Game, error) {
			return pommerman.New(e.id, e.description, e.rules, builtIn)
		})
	}
	return all
}()
