package benchmarks

import (
	"slices"
	"sync"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/rollout"
	"pommego/vec"
)

// measurements lists the measurements of all games of the catalog. Those of the first
// game have names of their own; in the others the game's name comes first.
var measurements = sync.OnceValue(func() []bench {
	var all []bench
	for i, f := range catalog.Families() {
		rules := mustMake(f.IDs[0])
		observed := rules
		if i == 0 {
			observed = mustMake("PommeTeamCompetition-v0") // in fog
		}
		of := measurementsOf(rules, observed, i == 0)
		if i > 0 {
			for k := range of {
				of[k].name = rules.Spec().Game + ":" + of[k].name
				if of[k].limit != "" {
					of[k].limit = rules.Spec().Game + ":" + of[k].limit
				}
			}
		}
		all = append(all, of...)
	}
	return all
})

func mustMake(id string) env.Game {
	game, err := catalog.Game(id)
	if err != nil {
		panic(err) // the catalog makes its own games
	}
	return game
}

// measurementsOf lists the measurements of a game: its rules, its batches as a learner
// gets them, and what the machine could do with as many bytes. Encoding alone is
// measured in the first game only: steps show it well enough in the others.
func measurementsOf(rules, observed env.Game, first bool) []bench {
	var names []string
	for _, e := range slices.Backward(observed.Spec().Encodings) {
		if e.Name == "planes" || e.Name == "raw" { // the names of measurements are fixed
			names = append(names, e.Name)
		}
	}
	of := []bench{
		{"rules/random", "", rulesRandom(rules)},
		{"rules/cautious", "", rulesCautious(rules)},
		{"rules/simple", "", rulesSimple(rules)},
	}
	if first {
		of = append(of, bench{"encode/raw", "copy/raw", encode(observed, "raw")},
			bench{"encode/planes", "clear/planes", encode(observed, "planes")})
	}
	for _, name := range names {
		of = append(of, bench{"step/" + name, "copy/" + name, step(observed, name, vec.Legal)})
	}
	for _, name := range names {
		of = append(of, bench{"copy/" + name, "", move(observed, name, copyBytes)})
	}
	if first {
		of = append(of, bench{"clear/planes", "", move(observed, "planes", func(dst, _ []byte) { clear(dst) })})
	}
	if _, ok := observed.New(1)[0].(env.Careful); ok {
		of = append(of, bench{"step/near", "copy/near", step(observed, "near", vec.Legal)},
			bench{"step/safe", "copy/near", step(observed, "near", vec.Safe)},
			bench{"copy/near", "", move(observed, "near", copyBytes)})
	}
	return of
}

// rulesRandom measures the rules alone: random moves, a fresh board for each game.
func rulesRandom(game env.Game) func(Options) (work, error) {
	return func(o Options) (work, error) {
		return o.inParallel(o.Games, rollout.Random(game, o.Games, o.Seed)), nil
	}
}

// rulesCautious measures stepping alone: it records long games of careful players once
// and plays them again and again.
func rulesCautious(game env.Game) func(Options) (work, error) {
	return func(o Options) (work, error) {
		const games = 24
		play, err := rollout.Replay(game, games, o.Seed, "simple")
		if err != nil {
			return work{}, err
		}
		return o.inParallel(games, func(_, from, to int) int { return play(from, to) }), nil
	}
}
