package benchmarks

import (
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/suitebot"
)

// torus is the id that stands for SuiteBot II.
const torus = "SuiteBot-v0"

var ofSuiteBot = []bench{
	{"suitebot:rules/random", "", func(o Options) (work, error) {
		sim, err := suiteBot()
		if err != nil {
			return work{}, err
		}
		return sim.random(o), nil
	}},
	{"suitebot:rules/cautious", "", func(o Options) (work, error) {
		sim, err := suiteBot()
		if err != nil {
			return work{}, err
		}
		return sim.cautious(o)
	}},
	{"suitebot:rules/simple", "", rulesSimple(torus)},
	{"suitebot:step/raw", "suitebot:copy/raw", step(torus, "raw")},
	{"suitebot:step/planes", "suitebot:copy/planes", step(torus, "planes")},
	{"suitebot:copy/raw", "", move(torus, "raw", copyBytes)},
	{"suitebot:copy/planes", "", move(torus, "planes", copyBytes)},
}

// suiteBot is SuiteBot II's rules.
func suiteBot() (*simulator[suitebot.State], error) {
	game, err := catalog.Game(torus)
	if err != nil {
		return nil, err
	}
	plan := game.(*suitebot.Game).Plan()
	return &simulator[suitebot.State]{
		game: game, deal: plan.Deal, step: plan.Step, over: plan.Over,
		state: func(m env.Match) *suitebot.State { return &m.(*suitebot.Match).State },
	}, nil
}
