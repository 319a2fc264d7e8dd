package vec

import "pommego/env"

// Glance is what there is to see of a game between steps.
type Glance struct {
	Match    env.Match
	Tracker  env.Tracker // nil if nothing is counted
	Seed     env.Seed
	Learners []uint8  // the seats of the game's rows
	Names    []string // by seat: of agents, "" of learners
}

// Glance shows a game, to look at until the next step.
func (p *Pool) Glance(game int) Glance {
	p.rest()
	g := &p.games[game]
	names := make([]string, p.spec.Seats)
	for k, seat := range g.others {
		names[seat] = g.lineup.names[k]
	}
	return Glance{g.match, g.tracker, g.seed, g.rows, names}
}
