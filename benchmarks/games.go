package benchmarks

import (
	"pommego/env"
	"pommego/env/catalog"
	"pommego/vec"
)

// What is measured in the same way for every game, through its contract.

// turns is how many moves of each game one run of a measurement makes.
const turns = 16

// randomMoves draws one of six moves for each of the actions: all games have six.
func randomMoves(rng *env.RNG, actions []uint8) {
	for len(actions) > 0 {
		some := actions[:min(len(actions), 4)]
		actions = actions[len(some):]
		x := rng.Uint64()
		for i := range some {
			some[i] = uint8(x & 0xffff * 6 >> 16)
			x >>= 16
		}
	}
}

// rulesSimple is whole games with simple agents in all seats, a fresh board
// each.
func rulesSimple(id string) func(Options) (work, error) {
	return func(o Options) (work, error) { return playSimple(id, o) }
}

func playSimple(id string, o Options) (work, error) {
	g, err := catalog.Game(id)
	if err != nil {
		return work{}, err
	}
	seats, width := g.Spec().Seats, len(g.Spec().Actions)
	matches := g.New(o.Games)
	seeds := make([]env.Seed, o.Games)
	agents := make([]env.Agent, o.Games*seats)
	begin := func(i int) {
		matches[i].Reset(seeds[i])
		for seat, a := range agents[i*seats : (i+1)*seats] {
			a.Reset(seeds[i].RNG(env.StreamAgents + uint64(seat)))
		}
	}
	for i := range agents {
		if agents[i], err = g.NewAgent("simple"); err != nil {
			return work{}, err
		}
	}
	for i := range matches {
		seeds[i].Value = o.Seed + uint64(i)
		begin(i)
	}
	pool := newWorkerPool(o.Workers, func(w int) int {
		from, to := share(o.Games, o.Workers, w)
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
	})
	return work{pool.run, pool.stop}, nil
}

// observationSize is the bytes of one encoding for all seats of one game.
func observationSize(spec *env.Spec, encoding string) int {
	size := 0
	for _, f := range spec.Encodings[spec.Encoding(encoding)].Fields {
		size += f.Size() * times(&f, spec.Seats)
	}
	return size
}

// times is how often a field is written for that many seats.
func times(f *env.Field, seats int) int {
	if f.Shared {
		return 1
	}
	return seats
}

// move is what the machine can do with as many bytes as an encoding has: op
// copies or clears them, game by game.
func move(id, encoding string, op func(dst, src []byte)) func(Options) (work, error) {
	return func(o Options) (work, error) {
		g, err := catalog.Game(id)
		if err != nil {
			return work{}, err
		}
		size := observationSize(g.Spec(), encoding)
		dst, src := make([]byte, o.Games*size), make([]byte, o.Games*size)
		for i := range src {
			src[i] = byte(i)
		}
		pool := newWorkerPool(o.Workers, func(w int) int {
			from, to := share(o.Games, o.Workers, w)
			for i := from; i < to; i++ {
				op(dst[i*size:(i+1)*size], src[i*size:(i+1)*size])
			}
			return to - from
		})
		return work{pool.run, pool.stop}, nil
	}
}

// copyBytes is the operation of move that copies.
func copyBytes(dst, src []byte) { copy(dst, src) }

// step is the whole batch as a learner gets it: random moves, all seats'
// observations, rewards, flags and masks.
func step(id, encoding string) func(Options) (work, error) {
	return func(o Options) (work, error) {
		g, err := catalog.Game(id)
		if err != nil {
			return work{}, err
		}
		pool, err := vec.New(vec.Config{Game: g, Games: o.Games, Workers: o.Workers, Observation: encoding, Autoreset: vec.SameStep})
		if err != nil {
			return work{}, err
		}
		batch := pool.NewBatch(nil)
		if err := pool.Reset(batch, vec.ResetOptions{Seed: &o.Seed}); err != nil {
			return work{}, err
		}
		rng := env.Seed{Value: o.Seed}.RNG(env.StreamPolicy)
		actions := make([]uint8, pool.Rows()*len(g.Spec().Actions))
		run := func() int {
			randomMoves(&rng, actions)
			if err := pool.Step(batch, actions); err != nil {
				panic(err) // the moves are in range and the rules do not fail
			}
			return o.Games
		}
		return work{run, pool.Close}, nil
	}
}
