// Package rollout plays matches alone, without encodings, views or batches. The
// benchmarks use it to measure the speed of the rules.
//
//	play := rollout.Random(game, 1024, seed)
//	moves := play(0, 0, 1024)
package rollout

import (
	"reflect"

	"pommego/env"
)

// Turns is how many moves one call makes in each game.
const Turns = 16

// quick is a match whose Over is quicker than its Status.
type quick interface {
	env.Match
	Over() bool
}

type slow struct{ env.Match }

func (s slow) Over() bool { return s.Status().Over }

// Random deals n games. It returns a function that makes Turns random moves in each of
// the games from to to-1, deals a new game where one is over, and returns the number of
// moves made. worker selects the RNG, one for each goroutine.
func Random(game env.Game, n int, seed uint64) func(worker, from, to int) int {
	matches, seeds := make([]quick, n), make([]env.Seed, n)
	for i, m := range game.New(n) {
		seeds[i].Value = seed + uint64(i)
		m.Reset(seeds[i])
		var ok bool
		if matches[i], ok = m.(quick); !ok {
			matches[i] = slow{m}
		}
	}
	moves := NewMoves(game.Spec(), 1)
	return func(worker, from, to int) int {
		played := uint64(matches[from].Status().Steps) // so that a call does not repeat the moves of the one before
		rng := env.Seed{Value: seed + played, Episode: seeds[from].Episode}.RNG(env.StreamPolicy + uint64(worker))
		actions := make([]uint8, len(moves))
		for i := from; i < to; i++ {
			m := matches[i]
			for range Turns {
				if m.Over() {
					seeds[i].Episode++
					m.Reset(seeds[i])
				}
				moves.Draw(&rng, actions)
				m.Step(actions)
			}
		}
		return Turns * (to - from)
	}
}

// Replay plays n games with the given agent in all seats. It returns a function that plays the games
// from to to-1 again and returns the number of moves made. Assignment must copy the game's matches.
func Replay(game env.Game, n int, seed uint64, agent string) (func(from, to int) int, error) {
	starts, matches, moves := game.New(n), game.New(n), make([][]uint8, n)
	for i := range moves {
		s := env.Seed{Value: seed, Episode: uint64(i)}
		starts[i].Reset(s)
		var err error
		if moves[i], _, err = Record(game, s, func() (env.Agent, error) { return game.NewAgent(agent) }); err != nil {
			return nil, err
		}
	}
	width := game.Spec().Seats * len(game.Spec().Actions)
	return func(from, to int) int {
		steps := 0
		for i := from; i < to; i++ {
			m := matches[i]
			reflect.ValueOf(m).Elem().Set(reflect.ValueOf(starts[i]).Elem())
			for left := moves[i]; len(left) > 0; left = left[width:] {
				m.Step(left[:width])
			}
			steps += len(moves[i]) / width
		}
		return steps
	}, nil
}

// Record plays a game with an agent in all seats. It returns all moves, 0 for seats
// that are out, and how many ticks the agents simulated.
func Record(game env.Game, seed env.Seed, newAgent func() (env.Agent, error)) (moves []uint8, ticks uint64, err error) {
	spec := game.Spec()
	m, parts := game.New(1)[0], len(spec.Actions)
	m.Reset(seed)
	agents := make([]env.Agent, spec.Seats)
	for seat := range agents {
		if agents[seat], err = newAgent(); err != nil {
			return nil, 0, err
		}
		agents[seat].Reset(seed.RNG(env.StreamAgents + uint64(seat)))
	}
	for actions := make([]uint8, spec.Seats*parts); !m.Status().Over; m.Step(actions) {
		clear(actions)
		for seat, a := range agents {
			if m.Status().In.Has(seat) {
				a.Act(m, seat, actions[seat*parts:][:parts])
				ticks += a.Searched()
			}
		}
		moves = append(moves, actions...)
	}
	return moves, ticks, nil
}

// Moves holds, for each action of one step of some games, the number of its choices. Draw draws the actions.
type Moves []uint64

// NewMoves lists the numbers of choices for all seats of a number of games. It draws nothing.
func NewMoves(spec *env.Spec, games int) Moves {
	var m Moves
	for range games * spec.Seats {
		for _, c := range spec.Actions {
			m = append(m, uint64(c.N))
		}
	}
	return m
}

// Draw writes len(m) random actions. It gets four of them from each random number.
func (m Moves) Draw(rng *env.RNG, actions []uint8) {
	for ; len(m) >= 4; m, actions = m[4:], actions[4:] {
		x, n, a := rng.Uint64(), (*[4]uint64)(m), (*[4]uint8)(actions)
		a[0] = uint8(x & 0xffff * n[0] >> 16)
		a[1] = uint8(x >> 16 & 0xffff * n[1] >> 16)
		a[2] = uint8(x >> 32 & 0xffff * n[2] >> 16)
		a[3] = uint8(x >> 48 * n[3] >> 16)
	}
	if len(m) == 0 {
		return
	}
	x := rng.Uint64()
	for i, n := range m {
		actions[i] = uint8(x & 0xffff * n >> 16)
		x >>= 16
	}
}
