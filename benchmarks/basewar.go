package benchmarks

import (
	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/catalog"
)

// sixSeats is the id that stands for BaseWar.
const sixSeats = "BaseWar-v0"

var ofBaseWar = []bench{
	{"basewar:rules/random", "", func(o Options) (work, error) {
		sim, err := baseWar()
		if err != nil {
			return work{}, err
		}
		return sim.random(o), nil
	}},
	{"basewar:rules/cautious", "", func(o Options) (work, error) {
		sim, err := baseWar()
		if err != nil {
			return work{}, err
		}
		return sim.cautious(o)
	}},
	{"basewar:rules/simple", "", rulesSimple(sixSeats)},
	{"basewar:step/raw", "basewar:copy/raw", step(sixSeats, "raw")},
	{"basewar:step/planes", "basewar:copy/planes", step(sixSeats, "planes")},
	{"basewar:copy/raw", "", move(sixSeats, "raw", copyBytes)},
	{"basewar:copy/planes", "", move(sixSeats, "planes", copyBytes)},
}

// baseWar is BaseWar's rules.
func baseWar() (*simulator[basewar.State], error) {
	game, err := catalog.Game(sixSeats)
	if err != nil {
		return nil, err
	}
	g := game.(*basewar.Game)
	return &simulator[basewar.State]{
		game: g, deal: g.Deal, step: g.Step, over: g.Rules().Over,
		state: func(m env.Match) *basewar.State { return &m.(*basewar.Match).State },
	}, nil
}
