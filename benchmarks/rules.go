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
	families := catalog.Families()
	all := measurementsOf(mustMake(families[0].IDs[0]), mustMake("PommeTeamCompetition-v0"), true) // observed in fog
	for _, f := range families[1:] {
		game := mustMake(f.IDs[0])
		for _, b := range measurementsOf(game, game, false) {
			b.name = game.Spec().Game + ":" + b.name
			if b.limit != "" {
				b.limit = game.Spec().Game + ":" + b.limit
			}
			all = append(all, b)
		}
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
	var of []bench
	add := func(game env.Game, name, limit string, s setup) { of = append(of, bench{name, limit, game, s}) }
	add(rules, "rules/random", "", rulesRandom)
	add(rules, "rules/cautious", "", rulesCautious)
	add(rules, "rules/simple", "", rulesSimple)
	if first {
		add(observed, "encode/raw", "copy/raw", encode("raw"))
		add(observed, "encode/planes", "clear/planes", encode("planes"))
	}
	for _, name := range names {
		add(observed, "step/"+name, "copy/"+name, step(name, vec.Legal))
	}
	for _, name := range names {
		add(observed, "copy/"+name, "", move(name, copyBytes))
	}
	if first {
		add(observed, "clear/planes", "", move("planes", func(dst, _ []byte) { clear(dst) }))
	}
	if _, ok := observed.New(1)[0].(env.Careful); ok {
		add(observed, "step/near", "copy/near", step("near", vec.Legal))
		add(observed, "step/safe", "copy/near", step("near", vec.Safe))
		add(observed, "copy/near", "", move("near", copyBytes))
	}
	return of
}

// rulesRandom measures the rules alone: random moves, a fresh board for each game.
func rulesRandom(o Options) (work, error) {
	return o.inParallel(o.Games, rollout.Random(o.Game, o.Games, o.Seed)), nil
}

// rulesCautious measures stepping alone: it records long games of careful players once
// and plays them again and again.
func rulesCautious(o Options) (work, error) {
	const games = 24
	play, err := rollout.Replay(o.Game, games, o.Seed, "simple")
	if err != nil {
		return work{}, err
	}
	return o.inParallel(games, func(_, from, to int) int { return play(from, to) }), nil
}
