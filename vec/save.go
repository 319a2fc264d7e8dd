package vec

import (
	"errors"
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/gamestate"
)

// Save appends one complete game to dst: the match with its RNG, the agents'
// memory and RNG, seed and episode, the learners' seats, the statistics, and
// whether the episode has ended. What Save wrote can be loaded into any pool
// with the same rules, the same seats learning and the same OnDeath, whatever
// its observation, reward, autoreset and size.
func (p *Pool) Save(game int, dst []byte) ([]byte, error) {
	s, err := p.take(game)
	if err != nil {
		return dst, err
	}
	p.scratch = p.games[game].match.Append(p.scratch[:0])
	s.Match = p.scratch
	return p.form.Append(dst, s), nil
}

// take collects the saved values of a game except the match.
func (p *Pool) take(game int) (*gamestate.State, error) {
	if game < 0 || game >= len(p.games) {
		return nil, fmt.Errorf("vec: there is no game %d, want 0 to %d", game, len(p.games)-1)
	}
	p.rest()
	g := &p.games[game]
	switch p.phases[game] {
	case unset:
		return nil, fmt.Errorf("vec: saving game %d: %w", game, ErrNotReset)
	case broken:
		return nil, fmt.Errorf("vec: saving game %d: %w (%v)", game, ErrBroken, g.fault.Value)
	}
	s := &gamestate.State{
		Ended: p.phases[game] == ended, Train: p.train, Seed: g.seed,
		Rows: g.rows, Returns: g.returns, Names: g.lineup.names, Begun: g.begun,
	}
	if p.counts > 0 {
		s.Counted = g.tracker.Append(nil)
	}
	for _, a := range g.lineup.agents {
		s.Memories = append(s.Memories, memory(a))
	}
	return s, nil
}

// memory is what is saved of an agent; nothing where the caller plays.
func memory(a env.Agent) []byte {
	if a == nil {
		return nil
	}
	return a.Append(nil)
}

// Load replaces one game by what Save wrote. On an error, always a *StateError,
// nothing has changed. The agents of the state play to the end of its episode, the
// pool's own from the next on.
func (p *Pool) Load(game int, state []byte) error {
	s, err := p.decode(state)
	if err == nil {
		err = p.put(game, s)
	}
	if err != nil {
		return &StateError{game, err}
	}
	return nil
}

// savedGame is a decoded saved game.
type savedGame struct {
	*gamestate.State
	restore func(env.Match) error // restores its match
	bare    bool                  // it was a match alone; State is empty
}

// decode decodes what Save wrote.
func (p *Pool) decode(state []byte) (savedGame, error) {
	s, err := p.form.Decode(state)
	return savedGame{State: s, restore: func(m env.Match) error { return m.Restore(s.Match) }}, err
}

// put replaces game i by a saved game, with default values beside a bare match. Everything
// that can fail comes before the first change. The match, whose restore either succeeds
// or changes nothing, comes last, and is put back if it contradicts the rest.
func (p *Pool) put(i int, s savedGame) (err error) {
	if i < 0 || i >= len(p.games) {
		return fmt.Errorf("there is no such game, want 0 to %d", len(p.games)-1)
	}
	p.rest()
	if p.queue != nil && p.sent[i] {
		return ErrSent
	}
	if s.bare {
		if s.State, err = p.invent(i); err != nil {
			return err
		}
	}
	if err := p.fits(s.State); err != nil {
		return err
	}
	l, err := p.newLineup(s.Names)
	if err != nil {
		return err
	}
	l.number = p.lineUpSet.number(i, s.Seed, l.names)
	for k, a := range l.agents {
		if a == nil {
			continue
		}
		if err := a.Restore(s.Memories[k]); err != nil {
			return fmt.Errorf("agent %d, %q: %w", k, s.Names[k], err)
		}
	}
	g := &p.games[i]
	var before []byte
	if p.phases[i] == running || p.phases[i] == ended {
		before = g.match.Append(nil)
	}
	if err := s.restore(g.match); err != nil {
		return err
	}
	if s.bare && p.train {
		g.match.SetTrainingSeat(int(s.Rows[0]))
	}
	over := g.match.Status().Over
	s.Ended = s.Ended || s.bare && over
	if over && !s.Ended {
		p.putBack(i, before)
		return errors.New("the match in it is over, but the episode has not ended")
	}
	if g.tracker != nil {
		if err := g.tracker.Restore(g.match, s.Counted); err != nil {
			p.putBack(i, before)
			return err
		}
	}
	p.adopt(i, s.State, l)
	return nil
}

// putBack undoes the restore of a match. A game that had no state before needs a reset
// in any case.
func (p *Pool) putBack(i int, before []byte) {
	if before == nil {
		return
	}
	if err := p.games[i].match.Restore(before); err != nil {
		panic(fmt.Sprintf("vec: game %d does not take its own state back: %v", i, err))
	}
}

// fits returns an error if a saved game, apart from its match, does not fit the pool.
func (p *Pool) fits(s *gamestate.State) error {
	switch {
	case !p.seating.fits(s.Rows):
		return fmt.Errorf("its learners sit at %v, want %s", s.Rows, p.seating.want())
	case len(s.Names) != p.seating.agents:
		return fmt.Errorf("it has %d agents, want %d", len(s.Names), p.seating.agents)
	case s.Train != p.train:
		return fmt.Errorf("the learner's death ends its game: %v, want %v", s.Train, p.train)
	}
	for _, r := range s.Returns {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return fmt.Errorf("a return is %v", r)
		}
	}
	return nil
}

// want describes the learners' seats for an error.
func (s *seating) want() string {
	if s.drawn {
		return fmt.Sprintf("any one seat and %d policies", len(s.policies))
	}
	return fmt.Sprint(s.rows)
}

// adopt copies the loaded values into the game.
func (p *Pool) adopt(i int, s *gamestate.State, l lineup) {
	g := &p.games[i]
	g.seed, g.seeded, g.fault, g.begun = s.Seed, true, nil, s.Begun
	g.field(l)
	if p.seating.drawn {
		p.seating.around(int(s.Rows[0]), g.rows, g.others)
	} else {
		p.seating.deal(s.Seed, g.rows, g.others)
	}
	copy(g.returns, s.Returns)
	g.status = g.match.Status()
	p.phases[i] = running
	if s.Ended {
		p.phases[i] = ended
	}
	p.tell(i)
}
