// Package rollout plays games by their rules alone: bare states, without
// matches, encodings or views. It is how the speed of rules is measured.
//
//	player := rollout.New(game, rules)
//	play := player.Random(1024, seed)
//	steps := play(0, 0, 1024)
//
// A game that offers it is a [Source]. Games may be used by several goroutines
// at once, each with games of its own.
package rollout

import "pommego/env"

// Rules is what a game's rules do with a state S.
type Rules[S any] interface {
	Deal(s *S, seed env.Seed)   // starts an episode
	Step(s *S, actions []uint8) // makes one move
	Over(s *S) bool
}

// Source is an env.Game that can be played by its rules alone.
type Source interface{ Rollouts() Games }

// Games plays many states of one game.
type Games interface {
	// Random deals n games and returns what makes Turns random moves in each of
	// those from from to to-1, dealing anew where one is over. It returns how many
	// moves that were. worker tells goroutines' RNGs apart.
	Random(n int, seed uint64) func(worker, from, to int) int

	// Replay plays n games of the given agent in all seats and returns what plays
	// those from from to to-1 again. It returns how many moves that were.
	Replay(n int, seed uint64, agent string) (func(from, to int) int, error)
}

// Turns is how many moves of each game one call makes.
const Turns = 16

// New makes the Games of a game.
func New[S any](game env.Game, rules Rules[S]) Games { return &player[S]{game, rules} }

type player[S any] struct {
	game  env.Game
	rules Rules[S]
}

func (p *player[S]) Random(n int, seed uint64) func(worker, from, to int) int {
	states, seeds := make([]S, n), make([]env.Seed, n)
	for i := range states {
		seeds[i].Value = seed + uint64(i)
		p.rules.Deal(&states[i], seeds[i])
	}
	moves := NewMoves(p.game.Spec(), 1)
	return func(worker, from, to int) int {
		rng := env.Seed{Value: seed, Episode: seeds[from].Episode}.RNG(env.StreamPolicy + uint64(worker))
		actions := make([]uint8, len(moves))
		for i := from; i < to; i++ {
			s := &states[i]
			for range Turns {
				if p.rules.Over(s) {
					seeds[i].Episode++
					p.rules.Deal(s, seeds[i])
				}
				moves.Draw(&rng, actions)
				p.rules.Step(s, actions)
			}
		}
		return Turns * (to - from)
	}
}

// recording is one game: its start and all moves.
type recording[S any] struct {
	start S
	moves []uint8
}

func (p *player[S]) Replay(n int, seed uint64, agent string) (func(from, to int) int, error) {
	games := make([]recording[S], n)
	for i := range games {
		s := env.Seed{Value: seed, Episode: uint64(i)}
		p.rules.Deal(&games[i].start, s)
		var err error
		games[i].moves, _, err = Record(p.game, s, func() (env.Agent, error) { return p.game.NewAgent(agent) })
		if err != nil {
			return nil, err
		}
	}
	width := p.game.Spec().Seats * len(p.game.Spec().Actions)
	return func(from, to int) int {
		steps := 0
		for i := from; i < to; i++ {
			s := games[i].start
			for moves := games[i].moves; len(moves) > 0; moves = moves[width:] {
				p.rules.Step(&s, moves[:width])
			}
			steps += len(games[i].moves) / width
		}
		return steps
	}, nil
}

// Record plays a game of an agent in all seats. It returns all its moves, 0 for seats that are out,
// and how many ticks the agents simulated.
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

// Moves draws random actions: it says of each how many choices there are.
type Moves []uint64

// NewMoves draws the actions of all seats of a number of games.
func NewMoves(spec *env.Spec, games int) Moves {
	var m Moves
	for range games * spec.Seats {
		for _, c := range spec.Actions {
			m = append(m, uint64(c.N))
		}
	}
	return m
}

// Draw draws len(m) actions, four from each number.
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
