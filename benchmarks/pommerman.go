package benchmarks

import (
	"slices"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/pommerman"
)

// The ids that stand for the game in the measurements.
const (
	freeForAll = "PommeFFACompetition-v0"
	foggedTeam = "PommeTeamCompetition-v0"
)

// all is every measurement of every game.
var all = slices.Concat(ofPommerman, ofBaseWar, ofSuiteBot)

var ofPommerman = []bench{
	{"rules/random", "", rulesRandom},
	{"rules/cautious", "", rulesCautious},
	{"rules/simple", "", rulesSimple(freeForAll)},
	{"encode/raw", "copy/raw", encode("raw")},
	{"encode/planes", "clear/planes", encode("planes")},
	{"step/raw", "copy/raw", step(foggedTeam, "raw")},
	{"step/planes", "copy/planes", step(foggedTeam, "planes")},
	{"copy/raw", "", move(foggedTeam, "raw", copyBytes)},
	{"copy/planes", "", move(foggedTeam, "planes", copyBytes)},
	{"clear/planes", "", move(foggedTeam, "planes", func(dst, _ []byte) { clear(dst) })},
}

func pommermanGame(id string) (*pommerman.Game, error) {
	g, err := catalog.Game(id)
	if err != nil {
		return nil, err
	}
	return g.(*pommerman.Game), nil
}

// rulesRandom is the rules alone: random moves, a fresh board for each game.
func rulesRandom(o Options) (work, error) {
	g, err := pommermanGame(freeForAll)
	if err != nil {
		return work{}, err
	}
	r := g.Rules()
	states := make([]pommerman.State, o.Games)
	seeds := make([]env.Seed, o.Games)
	for i := range states {
		seeds[i].Value = o.Seed + uint64(i)
		g.Deal(&states[i], seeds[i])
	}
	pool := newWorkerPool(o.Workers, func(w int) int {
		from, to := share(o.Games, o.Workers, w)
		rng := env.Seed{Value: o.Seed, Episode: seeds[from].Episode}.RNG(env.StreamPolicy + uint64(w))
		actions := make([]uint8, r.Seats())
		for i := from; i < to; i++ {
			s := &states[i]
			for range turns {
				if r.Over(s) {
					seeds[i].Episode++
					g.Deal(s, seeds[i])
				}
				randomMoves(&rng, actions)
				r.Step(s, actions)
			}
		}
		return turns * (to - from)
	})
	return work{pool.run, pool.stop}, nil
}

// rulesCautious is stepping alone: long games of careful players, recorded
// once, are played again and again.
func rulesCautious(o Options) (work, error) {
	g, err := pommermanGame(freeForAll)
	if err != nil {
		return work{}, err
	}
	state := func(m env.Match) *pommerman.State { return &m.(*pommerman.Match).State }
	sim := &simulator[pommerman.State]{game: g, state: state}
	games, err := sim.record(o.Seed, recordings)
	if err != nil {
		return work{}, err
	}
	r := g.Rules()
	pool := newWorkerPool(o.Workers, func(w int) int {
		steps := 0
		from, to := share(len(games), o.Workers, w)
		for _, game := range games[from:to] {
			s := game.start
			for at := 0; at < len(game.moves); at += 4 {
				r.Step(&s, game.moves[at:at+4])
			}
			steps += len(game.moves) / 4
		}
		return steps
	})
	return work{pool.run, pool.stop}, nil
}

// spread is matches of the fogged team game some way into their episodes.
func spread(o Options) ([]env.Match, error) {
	g, err := pommermanGame(foggedTeam)
	if err != nil {
		return nil, err
	}
	matches := g.New(o.Games)
	actions := make([]uint8, g.Spec().Seats)
	for i, m := range matches {
		seed := env.Seed{Value: o.Seed + uint64(i)}
		m.Reset(seed)
		rng := seed.RNG(env.StreamPolicy)
		for n := i % 32; n > 0 && !m.Status().Over; n-- {
			randomMoves(&rng, actions)
			m.Step(actions)
		}
	}
	return matches, nil
}

// encode is observing alone: all four seats of every game.
func encode(encoding string) func(Options) (work, error) {
	return func(o Options) (work, error) {
		matches, err := spread(o)
		if err != nil {
			return work{}, err
		}
		g, _ := pommermanGame(foggedTeam)
		spec := g.Spec()
		e := spec.Encoding(encoding)
		fields := spec.Encodings[e].Fields
		slabs := make([][]byte, len(fields))
		for f := range fields {
			slabs[f] = make([]byte, o.Games*spec.Seats*fields[f].Size())
		}
		seats := []uint8{0, 1, 2, 3}
		pool := newWorkerPool(o.Workers, func(w int) int {
			from, to := share(o.Games, o.Workers, w)
			dst := make([][]byte, len(fields))
			for i := from; i < to; i++ {
				for f := range fields {
					size := spec.Seats * fields[f].Size()
					dst[f] = slabs[f][i*size : (i+1)*size]
				}
				matches[i].Observe(e, seats, dst)
			}
			return to - from
		})
		return work{pool.run, pool.stop}, nil
	}
}
