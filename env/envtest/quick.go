package envtest

import "pommego/env"

// Quick returns a game whose searching agents use a few ticks per decision, which is
// enough for tests.
func Quick(game env.Game) env.Game { return quick{game} }

type quick struct{ env.Game }

func (q quick) NewAgent(name string) (env.Agent, error) {
	if a, err := q.Game.NewAgent(name + ":ticks=20"); err == nil {
		return a, nil
	}
	return q.Game.NewAgent(name)
}
