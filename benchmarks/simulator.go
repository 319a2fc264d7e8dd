package benchmarks

import (
	"pommego/env"
)

// simulator is a game's rules alone, over states of type S.
type simulator[S any] struct {
	game  env.Game
	deal  func(s *S, seed env.Seed)
	step  func(s *S, actions []uint8)
	over  func(s *S) bool
	state func(m env.Match) *S // of a match of the game
}

// random is the rules alone: random moves, a fresh board for each game.
func (sim *simulator[S]) random(o Options) work {
	states := make([]S, o.Games)
	seeds := make([]env.Seed, o.Games)
	for i := range states {
		seeds[i].Value = o.Seed + uint64(i)
		sim.deal(&states[i], seeds[i])
	}
	width := sim.width()
	pool := newWorkerPool(o.Workers, func(w int) int {
		from, to := share(o.Games, o.Workers, w)
		rng := env.Seed{Value: o.Seed, Episode: seeds[from].Episode}.RNG(env.StreamPolicy + uint64(w))
		actions := make([]uint8, width)
		for i := from; i < to; i++ {
			s := &states[i]
			for range turns {
				if sim.over(s) {
					seeds[i].Episode++
					sim.deal(s, seeds[i])
				}
				randomMoves(&rng, actions)
				sim.step(s, actions)
			}
		}
		return turns * (to - from)
	})
	return work{pool.run, pool.stop}
}

// width is how many actions all seats together send.
func (sim *simulator[S]) width() int {
	spec := sim.game.Spec()
	return spec.Seats * len(spec.Actions)
}

// recording is one game of careful players: its start and all moves.
type recording[S any] struct {
	start S
	moves []uint8
}

// record plays games of simple agents, which are long and careful, and keeps
// their moves.
func (sim *simulator[S]) record(seed uint64, n int) ([]recording[S], error) {
	list := make([]recording[S], n)
	m := sim.game.New(1)[0]
	spec := sim.game.Spec()
	agents := make([]env.Agent, spec.Seats)
	parts := len(spec.Actions)
	for i := range list {
		s := env.Seed{Value: seed, Episode: uint64(i)}
		m.Reset(s)
		list[i].start = *sim.state(m)
		for seat := range agents {
			var err error
			if agents[seat], err = sim.game.NewAgent("simple"); err != nil {
				return nil, err
			}
			agents[seat].Reset(s.RNG(env.StreamAgents + uint64(seat)))
		}
		for actions := make([]uint8, sim.width()); !m.Status().Over; m.Step(actions) {
			for seat, a := range agents {
				if m.Status().In.Has(seat) {
					a.Act(m, seat, actions[seat*parts:][:parts])
				}
			}
			list[i].moves = append(list[i].moves, actions...)
		}
	}
	return list, nil
}

// recordings is how many games are recorded.
const recordings = 24

// cautious is stepping alone: games of careful players, recorded once, are
// played again and again.
func (sim *simulator[S]) cautious(o Options) (work, error) {
	games, err := sim.record(o.Seed, recordings)
	if err != nil {
		return work{}, err
	}
	width := sim.width()
	pool := newWorkerPool(o.Workers, func(w int) int {
		steps := 0
		from, to := share(len(games), o.Workers, w)
		for i := from; i < to; i++ {
			s := games[i].start
			for moves := games[i].moves; len(moves) > 0; moves = moves[width:] {
				sim.step(&s, moves[:width])
			}
			steps += len(games[i].moves) / width
		}
		return steps
	})
	return work{pool.run, pool.stop}, nil
}
