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

// rulesSimple measures games of SimpleAgents in all seats.
func rulesSimple(o Options) (_ work, err error) {
	seats, width := o.Game.Spec().Seats, len(o.Game.Spec().Actions)
	matches := o.Game.New(o.Games)
	seeds := make([]env.Seed, o.Games)
	agents := make([]env.Agent, o.Games*seats)
	begin := func(i int) {
		matches[i].Reset(seeds[i])
		for seat, a := range agents[i*seats : (i+1)*seats] {
			a.Reset(seeds[i].RNG(env.StreamAgents + uint64(seat)))
		}
	}
	for i := range agents {
		if agents[i], err = o.Game.NewAgent("simple"); err != nil {
			return work{}, err
		}
	}
	for i := range matches {
		seeds[i].Value = o.Seed + uint64(i)
		begin(i)
	}
	play := func(_, from, to int) int {
		actions := make([]uint8, seats*width)
		for i := from; i < to; i++ {
			if matches[i].Status().Over {
				seeds[i].Episode++
				begin(i)
			}
			in := matches[i].Status().In
			for seat := range seats {
				if in.Has(seat) {
					agents[i*seats+seat].Act(matches[i], seat, actions[seat*width:][:width])
				}
			}
			matches[i].Step(actions)
		}
		return to - from
	}
	return o.inParallel(o.Games, play), nil
}

// move measures what the machine can do with as many bytes as an encoding has: op
// copies or clears them, game by game.
func move(encoding string, op func(dst, src []byte)) setup {
	return func(o Options) (work, error) {
		spec, size := o.Game.Spec(), 0 // in bytes, of all seats of one game
		for _, f := range spec.Encodings[spec.Encoding(encoding)].Fields {
			if f.Shared {
				size += f.Size()
			} else {
				size += f.Size() * spec.Seats
			}
		}
		dst, src := make([]byte, o.Games*size), make([]byte, o.Games*size)
		for i := range src {
			src[i] = byte(i)
		}
		play := func(_, from, to int) int {
			for i := from; i < to; i++ {
				op(dst[i*size:(i+1)*size], src[i*size:(i+1)*size])
			}
			return to - from
		}
		return o.inParallel(o.Games, play), nil
	}
}

func copyBytes(dst, src []byte) { copy(dst, src) }

// step measures a whole batch as a learner gets it: random moves, all seats'
// observations, rewards, flags and masks.
func step(encoding string, mask vec.Mask) setup {
	return func(o Options) (work, error) {
		pool, err := vec.New(vec.Config{Game: o.Game, Games: o.Games, Workers: o.Workers, Observation: encoding,
			Mask: mask, Autoreset: vec.SameStep})
		if err != nil {
			return work{}, err
		}
		batch := pool.NewBatch(nil)
		if err := pool.Reset(batch, vec.ResetOptions{Seed: &o.Seed}); err != nil {
			return work{}, err
		}
		rng := env.Seed{Value: o.Seed}.RNG(env.StreamPolicy)
		moves := rollout.NewMoves(o.Game.Spec(), o.Games)
		actions := make([]uint8, len(moves))
		run := func() int {
			moves.Draw(&rng, actions)
			if err := pool.Step(batch, actions); err != nil {
				panic(err) // the moves are in range and the rules do not fail
			}
			return o.Games
		}
		return work{run, pool.Close}, nil
	}
}

// spread makes matches of a game that are some way into their episodes.
func spread(o Options) []env.Match {
	matches := o.Game.New(o.Games)
	moves := rollout.NewMoves(o.Game.Spec(), 1)
	actions := make([]uint8, len(moves))
	for i, m := range matches {
		seed := env.Seed{Value: o.Seed + uint64(i)}
		m.Reset(seed)
		rng := seed.RNG(env.StreamPolicy)
		for n := i % 32; n > 0 && !m.Status().Over; n-- {
			moves.Draw(&rng, actions)
			m.Step(actions)
		}
	}
	return matches
}

// encode measures observing alone: all seats of every game.
func encode(encoding string) setup {
	return func(o Options) (work, error) {
		spec, matches := o.Game.Spec(), spread(o)
		e := spec.Encoding(encoding)
		fields := spec.Encodings[e].Fields
		slabs := make([][]byte, len(fields))
		for f := range fields {
			slabs[f] = make([]byte, o.Games*spec.Seats*fields[f].Size())
		}
		seats := make([]uint8, spec.Seats)
		for i := range seats {
			seats[i] = uint8(i)
		}
		observe := func(_, from, to int) int {
			dst := make([][]byte, len(fields))
			for i := from; i < to; i++ {
				for f := range fields {
					size := spec.Seats * fields[f].Size()
					dst[f] = slabs[f][i*size : (i+1)*size]
				}
				matches[i].Observe(e, seats, dst)
			}
			return to - from
		}
		return o.inParallel(o.Games, observe), nil
	}
}
