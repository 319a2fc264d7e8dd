package vec

import "pommego/env"

// LiveGame is what there is to see of a game between steps.
type LiveGame struct {
	Game     env.Game // with the rules of the match
	Match    env.Match
	Tracker  env.Tracker // nil if nothing is counted
	Actions  []uint8     // of its last step; empty if none was made since it began or was loaded
	Seed     env.Seed
	Learners []uint8     // the seats of the game's rows
	Names    []string    // by seat: of agents, "" of learners
	Agents   []env.Agent // by seat: nil where the caller plays
}

// LiveGame shows a game, to look at until the next step.
func (p *Pool) LiveGame(game int) LiveGame {
	p.rest()
	return p.liveGame(game)
}

func (p *Pool) liveGame(game int) LiveGame {
	g := &p.games[game]
	names, agents := make([]string, p.spec.Seats), make([]env.Agent, p.spec.Seats)
	for k, seat := range g.others {
		names[seat], agents[seat] = g.lineup.names[k], g.lineup.agents[k]
	}
	return LiveGame{p.cfg.Variants.Games[g.variant], g.match, g.tracker, g.actions, g.seed, g.rows, names, agents}
}

// Watcher is called with what happens in one game, by the goroutine that steps it.
type Watcher interface {
	// Begun says that an episode has begun, or that the game was loaded. The live game
	// stays current until the next call of Begun.
	Begun(LiveGame)

	// Stepped says that a step was made, with these actions by seat.
	Stepped(actions []uint8)
}

// Watch tells a watcher from now on what happens in a game; nil ends that. The tracker of
// a watched game keeps its events, whatever the configuration.
func (p *Pool) Watch(game int, w Watcher) {
	p.rest()
	g := &p.games[game]
	was := g.tracker
	g.tracker, g.watcher = nil, w
	if w != nil || p.counts > 0 {
		g.tracker = p.cfg.Game.NewTrackers(1, w != nil)[0]
		g.tracker.Begin(g.match)
	}
	if was != nil && g.tracker != nil {
		if err := g.tracker.Restore(g.match, was.Append(nil)); err != nil {
			panic("vec: a tracker does not take its own state back: " + err.Error())
		}
	}
	p.tell(game)
}

// tell tells the watcher of a game, if it has one, that another episode has begun.
func (p *Pool) tell(game int) {
	if w := p.games[game].watcher; w != nil {
		w.Begun(p.liveGame(game))
	}
}
