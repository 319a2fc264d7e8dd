package vec

import (
	"cmp"
	"errors"
	"fmt"

	"pommego/env"
)

// SeatPlayers gives each row an agent with an empty memory, which plays it in Play. The
// agents of game i draw from the seed seed + i, whatever the number of workers. Their memory
// and RNGs go on through Reset and Load: for an empty memory call SeatPlayers again.
func (p *Pool) SeatPlayers(name string, seed uint64) error {
	if p.closed {
		return fmt.Errorf("SeatPlayers: %w", ErrClosed)
	}
	p.rest()
	if p.players == nil || name != p.playersName {
		players := make([][]env.Agent, len(p.games))
		for i := range players {
			for range p.seating.learners {
				a, err := p.newAgent(name)
				if o, ok := a.(env.Outside); ok {
					err = cmp.Or(err, o.Close(), fmt.Errorf("%s is outside this program, want an agent inside it", name))
				}
				if err != nil {
					return wrong("Player", ": %w", err)
				}
				players[i] = append(players[i], a)
			}
		}
		p.players, p.playersName = players, name
	}
	for i := range p.games {
		own := env.Seed{Value: seed + uint64(i)}
		for k, seat := range p.games[i].rows {
			p.players[i][k].Reset(own.RNG(env.StreamAgents + uint64(seat)))
		}
	}
	return nil
}

// Play makes several steps in every game, or as many as its episode has left. It writes the
// last position to b, with the rewards of all steps. The first step has the given actions,
// as in Step. The players in the rows' seats choose the actions of the other steps and, if
// actions is nil, of the first. A game that ended before the call stays as it is, with
// rewards and flags 0; with actions it is an error, as in Step. No episode begins.
func (p *Pool) Play(b *Batch, actions []uint8, steps int) error {
	if p.cfg.Autoreset != Disabled {
		return fmt.Errorf("Play: Autoreset is %v, want Disabled", p.cfg.Autoreset)
	}
	if steps < 1 {
		return fmt.Errorf("Play: steps is %d, want 1 or more", steps)
	}
	if p.players == nil && (actions == nil || steps > 1) {
		return errors.New("Play: nobody plays on; call SeatPlayers first")
	}
	var err error
	if actions != nil {
		err = p.checkStep(b, actions)
	} else {
		err = cmp.Or(p.checkBatch("Play", b), p.checkPhases("Play", true))
	}
	if err != nil {
		return err
	}
	p.job = job{do: (*worker).play, batch: b, actions: actions, steps: steps}
	return p.run()
}

// play does what Play asks of game i.
func (w *worker) play(i int) {
	p, b := w.p, w.p.job.batch
	if p.phases[i] == ended {
		w.show(i)
		return
	}
	for k := 0; k < p.job.steps && p.phases[i] == running; k++ {
		var actions []uint8
		if k == 0 && p.job.actions != nil {
			actions = w.given(i)
		} else {
			actions = w.chosen(i)
		}
		if p.stopped() || !w.move(i, actions) {
			return
		}
		if w.score(i) {
			p.phases[i], p.over[i] = ended, 1
		}
	}
	w.writeEpisode(i)
	w.write(i, i, &b.now)
}

// chosen returns the actions that the players of game i choose.
func (w *worker) chosen(i int) []uint8 {
	p, g := w.p, &w.p.games[i]
	components := len(p.spec.Actions)
	clear(w.choices)
	for k, seat := range g.rows {
		if g.status.In.Has(int(seat)) {
			p.players[i][k].Act(g.match, int(seat), w.choices[k*components:(k+1)*components])
		}
	}
	return w.choices
}
