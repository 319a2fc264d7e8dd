package vec

import "pommego/env"

// LiveGame is what can be seen of a game between steps.
type LiveGame struct {
	Game     env.Game // with the rules of the match
	Match    env.Match
	Tracker  env.Tracker // nil if nothing is counted
	Actions  []uint8     // the actions of its last step; empty if there was none since the game began or was loaded
	Seed     env.Seed
	Learners []uint8     // the seats of the game's rows
	Names    []string    // by seat: the agent's name, "" for learners
	Agents   []env.Agent // by seat: the agent, nil where the caller plays
}

// LiveGame returns a view of a game, valid until the next step.
func (p *Pool) LiveGame(game int) LiveGame {
	p.rest()
	return p.liveGame(game)
}

func (p *Pool) liveGame(game int) LiveGame {
	g := &p.games[game]
	names, agents := make([]string, p.spec.Seats), make([]env.Agent, p.spec.Seats)
	for k, name := range g.lineup.names { // none before the first episode and in a closed pool
		names[g.others[k]], agents[g.others[k]] = name, g.lineup.agents[k]
	}
	return LiveGame{p.cfg.Variants.Games[g.variant], g.match, g.tracker, g.actions, g.seed, g.rows, names, agents}
}

// Broken reports whether a game has panicked and was not reset since, so that there is nothing to see of it.
func (p *Pool) Broken(game int) bool {
	p.rest()
	return p.phases[game] == broken
}

// Watcher is called when something happens in a game, by the goroutine that steps it.
type Watcher interface {
	// Begun says that an episode has begun, or that the game was loaded. The LiveGame
	// stays up to date until the next call of Begun, except for its Actions: see Stepped.
	Begun(LiveGame)

	// Stepped says that a step was made, with these actions, by seat.
	Stepped(actions []uint8)
}

// Watch sets the watcher of a game, nil for none. The tracker of a watched game keeps
// its events, whatever the configuration.
func (p *Pool) Watch(game int, w Watcher) {
	p.rest()
	g := &p.games[game]
	was := g.tracker
	g.tracker, g.watcher = nil, w
	if w != nil || p.counts > 0 {
		g.tracker = p.cfg.Game.NewTrackers(1, w != nil)[0]
	}
	if ph := p.phases[game]; ph == unset || ph == broken {
		return // what begins next begins with the watcher and the tracker
	}
	if g.tracker != nil {
		g.tracker.Begin(g.match)
	}
	if was != nil && g.tracker != nil {
		if err := g.tracker.Restore(g.match, was.Append(nil)); err != nil {
			panic("vec: a tracker does not take its own state back: " + err.Error())
		}
	}
	p.tell(game)
}

// tell calls Begun of a game's watcher, if it has one.
func (p *Pool) tell(game int) {
	if w := p.games[game].watcher; w != nil {
		w.Begun(p.liveGame(game))
	}
}
