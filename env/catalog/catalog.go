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
	"pommego/env/basewar"
	warbots "pommego/env/basewar/bots"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
	"pommego/env/suitebot"
	suitebots "pommego/env/suitebot/bots"
)

// entry is one row of the table.
type entry struct {
	id, description string
	rules           rules
}

// rules is a family's rules of any kind, from which it makes a game.
type rules interface {
	// game makes the game with some of the rules changed, by a JSON object of
	// their field names; nil changes nothing.
	game(id, description string, changes json.RawMessage) (env.Game, error)
}

type pomme pommerman.Rules

func (r pomme) game(id, description string, changes json.RawMessage) (env.Game, error) {
	if err := change(&r, changes); err != nil {
		return nil, err
	}
	return pommerman.New(id, description, pommerman.Rules(r), pommerman.Bots{Names: bots.Names(), New: bots.New})
}

type war basewar.Rules

func (r war) game(id, description string, changes json.RawMessage) (env.Game, error) {
	if err := change(&r, changes); err != nil {
		return nil, err
	}
	return basewar.New(id, description, basewar.Rules(r), basewar.Bots{Names: warbots.Names(), New: warbots.New})
}

type suite suitebot.Rules

func (r suite) game(id, description string, changes json.RawMessage) (env.Game, error) {
	if err := change(&r, changes); err != nil {
		return nil, err
	}
	return suitebot.New(id, description, suitebot.Rules(r), suitebot.Bots{Names: suitebots.Names(), New: suitebots.New})
}

// change changes fields of rules. An unknown one is an error.
func change(rules any, changes json.RawMessage) error {
	if changes == nil {
		return nil
	}
	in := json.NewDecoder(strings.NewReader(string(changes)))
	in.DisallowUnknownFields()
	return in.Decode(rules)
}

const fogView = 4 // rows and columns a fogged seat sees each way

var (
	ffa   = pommerman.Playground(pommerman.FFA)
	team  = pommerman.Playground(pommerman.Team)
	radio = pommerman.Playground(pommerman.TeamRadio)
	duel  = pommerman.Playground(pommerman.OneVsOne)
)

// The reference registers a "Fast" twin of some ids, which differs in the speed
// of its drawing alone.
var table = []entry{
	{"PommeFFACompetition-v0", "free for all, everything is seen", pomme(ffa)},
	{"PommeFFACompetitionFast-v0", "free for all, everything is seen", pomme(ffa)},
	{"PommeFFAFast-v0", "free for all, everything is seen", pomme(ffa)},
	{"PommeFFA-v1", "free for all on a board that collapses from step 500", pomme(ffa.Collapsing(500))},
	{"PommeTeam-v0", "two against two, everything is seen", pomme(team)},
	{"PommeTeamFast-v0", "two against two, everything is seen", pomme(team)},
	{"PommeTeamCompetition-v0", "two against two, each sees 9x9 cells around itself", pomme(team.Fogged(fogView))},
	{"PommeTeamCompetitionFast-v0", "two against two, each sees 9x9 cells around itself", pomme(team.Fogged(fogView))},
	{"PommeTeamCompetition-v1", "two against two in fog on a board that collapses from step 500", pomme(team.Fogged(fogView).Collapsing(500))},
	{"PommeRadio-v2", "two against two in fog, with two words a step to the teammate", pomme(radio.Fogged(fogView))},
	{"PommeRadioCompetition-v2", "two against two in fog, with two words a step to the teammate", pomme(radio.Fogged(fogView))},
	{"OneVsOne-v0", "one against one on a small board, everything is seen", pomme(duel)},
	{"PommeFFA2018-v0", "free for all by the rules of 2018: 13x13, slow bombs, skulls", pomme(pommerman.Rules2018(pommerman.FFA))},
	{"PommeTeam2018-v0", "two against two by the rules of 2018: 13x13, slow bombs, skulls", pomme(pommerman.Rules2018(pommerman.Team))},
	{"PommeFFAJava-v0", "free for all by the Java rules: chains a step later, long flames, collapse", pomme(pommerman.Java(pommerman.FFA))},
	{"PommeTeamJava-v0", "two against two by the Java rules: chains a step later, long flames, collapse", pomme(pommerman.Java(pommerman.Team))},
	{"BaseWar-v0", "three against three bomb boxes, each other and the other side's base; a seat a bomber", war(basewar.Standard())},
	{"BaseWarSides-v0", "the same with two seats, each moving the three bombers of a side", war(basewar.StandardSides())},
	{"SuiteBot-v0", "four players mine a torus with bombs; 100 rounds, the most points win", suite(suitebot.Standard())},
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
	game, err := table[at].rules.game("custom:"+id, table[at].description+", with changed rules", changes)
	if err != nil {
		return nil, fmt.Errorf("rules of %s: %w (want an object of rules' fields; see them with: pommego envs --json)", id, err)
	}
	return game, nil
}

func unknown(id string) error {
	return fmt.Errorf("unknown environment %q, want one of %s", id, strings.Join(IDs(), ", "))
}

var games = func() []func() (env.Game, error) {
	all := make([]func() (env.Game, error), len(table))
	for i, e := range table {
		all[i] = sync.OnceValues(func() (env.Game, error) {
			return e.rules.game(e.id, e.description, nil)
		})
	}
	return all
}()
