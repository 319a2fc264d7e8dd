package benchmarks

import (
	"pommego/env"
	"pommego/env/rollout"
	"pommego/vec"
)

// This file measures what is measured in the same way for every game, through its contract.

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
