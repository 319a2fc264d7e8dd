// Package catalog is the one table of all games: id to game.
//
// [Game] finds a game by its id, [Variant] one with other rules. Code that works with every
// game, such as that which checks recorded games, gets the list from [Families].
//
// The ids of Pommerman without a year or "Java" in them are the reference's own, with
// its rules.
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
	"pommego/env/record"
	"pommego/env/ruleset"
	"pommego/env/seat"
	"pommego/env/suitebot"
	suitebots "pommego/env/suitebot/bots"
	"pommego/internal/enum"
)

const fogView = 4 // rows and columns a fogged seat sees each way

var (
	ffa   = pommerman.Playground(pommerman.FFA)
	team  = pommerman.Playground(pommerman.Team)
	radio = pommerman.Playground(pommerman.TeamRadio)
	duel  = pommerman.Playground(pommerman.OneVsOne)
)

// families lists every game with its ids. Of some ids the reference also registers a
// "Fast" twin, which only differs in the speed of its drawing.
var families = []Family{
	family(pommerman.New, bots.Roster, pommerman.Recorded, []preset[pommerman.Rules]{
		{"PommeFFACompetition-v0", "free for all, everything is seen", ffa},
		{"PommeFFACompetitionFast-v0", "free for all, everything is seen", ffa},
		{"PommeFFAFast-v0", "free for all, everything is seen", ffa},
		{"PommeFFA-v1", "free for all on a board that collapses from step 500", ffa.Collapsing(500)},
		{"PommeTeam-v0", "two against two, everything is seen", team},
		{"PommeTeamFast-v0", "two against two, everything is seen", team},
		{"PommeTeamCompetition-v0", "two against two, each sees 9x9 cells around itself", team.Fogged(fogView)},
		{"PommeTeamCompetitionFast-v0", "two against two, each sees 9x9 cells around itself", team.Fogged(fogView)},
		{"PommeTeamCompetition-v1", "two against two in fog on a board that collapses from step 500",
			team.Fogged(fogView).Collapsing(500)},
		{"PommeRadio-v2", "two against two in fog, with two words a step to the teammate", radio.Fogged(fogView)},
		{"PommeRadioCompetition-v2", "two against two in fog, with two words a step to the teammate", radio.Fogged(fogView)},
		{"OneVsOne-v0", "one against one on a small board, everything is seen", duel},
		{"PommeFFA2018-v0", "free for all by the rules of 2018: 13x13, slow bombs, skulls",
			pommerman.Rules2018(pommerman.FFA)},
		{"PommeTeam2018-v0", "two against two by the rules of 2018: 13x13, slow bombs, skulls",
			pommerman.Rules2018(pommerman.Team)},
		{"PommeFFAJava-v0", "free for all by the rules of the Java version's code: a step of its own, few walls, long " +
			"flames, collapse", pommerman.Java(pommerman.FFA)},
		{"PommeTeamJava-v0",
			"two against two by the rules of the Java version's code: a step of its own, few walls, long flames, collapse",
			pommerman.Java(pommerman.Team)},
		{"PommeFFAJavaDocument-v0",
			"free for all by the Java version's document: chains a step later, long flames, collapse, fog",
			pommerman.JavaDocument(pommerman.FFA)},
		{"PommeTeamJavaDocument-v0",
			"two against two by the Java version's document: chains a step later, long flames, collapse, fog",
			pommerman.JavaDocument(pommerman.Team)},
	}),
	family(basewar.New, warbots.Roster, basewar.Recorded, []preset[basewar.Rules]{
		{"BaseWar-v0", "three against three bomb boxes, each other and the other side's base; one seat per bomber",
			basewar.Standard()},
		{"BaseWarSides-v0", "the same with two seats, each moving the three bombers of a side", basewar.StandardSides()},
	}),
	family(suitebot.New, suitebots.Roster, suitebot.Recorded, []preset[suitebot.Rules]{
		{"SuiteBot-v0", "four players mine a torus with bombs; 100 rounds, the most points win", suitebot.Standard()},
	}),
}

// Family is a game with all its ids.
type Family struct {
	IDs     []string
	Format  record.Format // the format of its recorded games
	entries []entry
}

// entry makes the game of an id.
type entry struct {
	// variant makes the game with changed rules: changes is a JSON object of rules' field
	// names and values. If they change nothing, it returns what shared does.
	variant func(changes json.RawMessage) (env.Game, error)
	// shared returns the game itself, which is made once.
	shared func() (env.Game, error)
}

// preset is an id and its rules.
type preset[R any] struct {
	id, description string
	rules           R
}

// family describes a game: how to make it from rules of type R, the bots that see a
// view V of it, and its presets.
func family[R comparable, V any, G env.Game](
	create func(id, description string, rules R, bots seat.Roster[V]) (G, error),
	bots seat.Roster[V], format record.Format, presets []preset[R],
) Family {
	f := Family{Format: format}
	for _, p := range presets {
		made := func(id, description string, rules R) (env.Game, error) {
			game, err := create(id, description, rules, bots)
			if err != nil {
				return nil, err // game may be a nil pointer, which must not become a non-nil env.Game
			}
			return game, nil
		}
		shared := sync.OnceValues(func() (env.Game, error) { return made(p.id, p.description, p.rules) })
		variant := func(changes json.RawMessage) (env.Game, error) {
			id, rules := "custom:"+p.id, p.rules
			if err := ruleset.Change(&rules, changes); err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			if rules == p.rules {
				return shared()
			}
			return made(id, p.description+", with changed rules", rules)
		}
		f.IDs, f.entries = append(f.IDs, p.id), append(f.entries, entry{variant, shared})
	}
	return f
}

// Families lists every game.
func Families() []Family { return slices.Clone(families) }

// IDs lists all ids in the table's order.
func IDs() []string {
	var ids []string
	for _, f := range families {
		ids = append(ids, f.IDs...)
	}
	return ids
}

// Formats lists the formats of recorded games of all families.
func Formats() []record.Format {
	var all []record.Format
	for _, f := range families {
		all = append(all, f.Format)
	}
	return append(all, pommerman.Original(Game))
}

func find(id string) (*entry, error) {
	id = env.ID(id)
	for _, f := range families {
		if at := slices.Index(f.IDs, id); at >= 0 {
			return &f.entries[at], nil
		}
	}
	return nil, fmt.Errorf("unknown environment %q%s, want one of %s", id, enum.Suggest(id, IDs()),
		strings.Join(IDs(), ", "))
}

// Game makes the game with the given id. Games are made once and shared.
func Game(id string) (env.Game, error) {
	e, err := find(id)
	if err != nil {
		return nil, err
	}
	return e.shared()
}

// Variant makes a variant of a game: the rules of id with some fields changed, given as
// a JSON object of the rules' field names. Its id is "custom:" and the id, or the id
// alone if the changes change nothing.
func Variant(id string, changes json.RawMessage) (env.Game, error) {
	e, err := find(id)
	if err != nil {
		return nil, err
	}
	game, err := e.variant(changes)
	if err != nil {
		return nil, fmt.Errorf("%w (pommego envs %s lists the fields)", err, env.ID(id))
	}
	return game, nil
}

// Played makes the game of a record that has all the rules: the id's own game, or a
// variant of it if the rules differ.
func Played(id string, rules json.RawMessage) (env.Game, error) {
	return Variant(strings.TrimPrefix(id, "custom:"), rules)
}
