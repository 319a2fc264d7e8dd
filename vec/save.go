package vec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/saved"
)

// Save appends one complete game to dst: the match with its RNG, the agents'
// memory and RNG, seed and episode, the learners' seats, the statistics, and
// whether the episode has ended. What Save wrote can be loaded into any pool
// of the same id and rules, with the same seats learning and the same OnDeath,
// whatever its observation, reward, autoreset and size. Agents of the game may
// play in it, and those of Config.Agent that the pool has had.
// An ended game does not hold its last step: see env.Status.SeatResult.
func (p *Pool) Save(game int, dst []byte) ([]byte, error) {
	s, err := p.take(game)
	if err != nil {
		return dst, err
	}
	p.scratch = p.games[game].match.Append(p.scratch[:0])
	s.Match = p.scratch
	return p.cfg.Variants.forms[p.games[game].variant].Append(dst, s), nil
}

// take collects the values to save of a game, except the match.
func (p *Pool) take(game int) (*gamestate.State, error) {
	if game < 0 || game >= len(p.games) {
		return nil, fmt.Errorf("there is no game %d, want 0 to %d", game, len(p.games)-1)
	}
	p.rest()
	g := &p.games[game]
	switch ph := p.phases[game]; {
	case p.closed:
		return nil, fmt.Errorf("Save: game %d: %w", game, ErrClosed)
	case ph == unset || ph == broken:
		return nil, p.refuse("Save", game)
	}
	s := &gamestate.State{
		Ended: p.phases[game] == ended, Train: p.train, Seed: g.seed,
		Rows: saved.Ints(g.rows), Returns: g.returns, Begun: g.begun,
	}
	if p.counts > 0 {
		s.Counted = g.tracker.Append(nil)
	}
	s.Agents = g.lineup.saved()
	return s, nil
}

// saved returns what is saved of the agents. Of those that the caller plays it has the name alone.
func (l *lineup) saved() (all []gamestate.Agent) {
	for k, name := range l.names {
		agent := gamestate.Agent{Name: name}
		if a := l.agents[k]; a != nil {
			agent.Memory = a.Append(nil)
		}
		all = append(all, agent)
	}
	return all
}

// SaveJSON is Save in a readable form: the match's own, as Match.AppendJSON
// writes it, with the pool's part added under "pommego", "pool".
func (p *Pool) SaveJSON(game int) (json.RawMessage, error) {
	s, err := p.take(game)
	if err != nil {
		return nil, err
	}
	text, err := p.games[game].match.AppendJSON(nil)
	if err == nil {
		text, err = p.cfg.Variants.forms[p.games[game].variant].EncodeJSON(text, s)
	}
	if err != nil {
		return nil, fmt.Errorf("saving game %d: %w", game, err)
	}
	return text, nil
}

// Load replaces one game by what Save or SaveJSON wrote. On an error, always a *StateError, nothing has changed. The
// agents of the state play to the end of its episode, the pool's own from the next one on. If JSON lacks the pool's
// part, as that of the original game does, Load takes only the match: the game keeps its seed and episode, its agents
// start with an empty memory and its returns at 0.
func (p *Pool) Load(game int, state []byte) error { return p.LoadAll([]int{game}, [][]byte{state}) }

// SetSeed sets the seed by which Load draws what a state without the pool's part lacks: seats, line-up and, if the
// match can be restored by it, variant.
func (p *Pool) SetSeed(game int, seed env.Seed) {
	p.rest()
	p.games[game].seed, p.games[game].seeded = seed, true
}

// LoadAll loads a state into each of some games, as Load does. It names no game twice. On an error it has changed none.
// A state that cannot be loaded is a *StateError.
func (p *Pool) LoadAll(games []int, states [][]byte) error {
	if len(states) != len(games) {
		return fmt.Errorf("LoadAll: %d states, want %d, one for each game", len(states), len(games))
	}
	p.rest()
	adopt := make([]func(), len(games))
	for i, game := range games {
		s, err := p.decode(states[i])
		if err == nil {
			adopt[i], err = p.prepare(game, s)
		}
		if err != nil {
			p.sweep() // closes agents that were made in vain
			return &StateError{game, err}
		}
	}
	for _, f := range adopt {
		f()
	}
	return nil
}

type savedGame struct {
	*gamestate.State                       // nil: the state holds a match alone
	variant          int                   // the variant whose rules it is played by; 0 for a match alone
	restore          func(env.Match) error // restores the match in it
}

// mostJSON is how long a state in JSON may be, which takes some thirty times as much memory while it is read. Those
// that SaveJSON writes have a few thousand bytes.
const mostJSON = 256 << 10

// decode decodes what Save or SaveJSON wrote, or a match alone in JSON.
func (p *Pool) decode(state []byte) (s savedGame, err error) {
	isJSON := bytes.HasPrefix(bytes.TrimSpace(state), []byte("{")) // bytes begin with the version of their form
	if isJSON && len(state) > mostJSON {
		return s, fmt.Errorf("it is JSON of %d bytes, want at most %d", len(state), mostJSON)
	}
	for k, form := range p.cfg.Variants.forms {
		if s.variant = k; isJSON {
			var match json.RawMessage
			match, s.State, err = form.DecodeJSON(state)
			s.restore = func(m env.Match) error { return m.RestoreJSON(match) }
		} else {
			s.State, err = form.Decode(state)
			s.restore = func(m env.Match) error { return m.Restore(s.Match) }
		}
		if !errors.Is(err, gamestate.ErrOther) {
			break
		}
	}
	return s, err
}

// prepare does all that can fail, and makes the match and the agents of a saved game, with default values if that is a
// bare match. The function that it returns lets them play in game i. Until that is called nothing has changed.
func (p *Pool) prepare(i int, s savedGame) (adopt func(), err error) {
	switch {
	case i < 0 || i >= len(p.games):
		return nil, fmt.Errorf("there is no such game, want 0 to %d", len(p.games)-1)
	case p.closed:
		return nil, ErrClosed
	case p.queue != nil && p.sent[i]:
		return nil, ErrSent
	}
	g := &p.games[i]
	bare := s.State == nil
	if bare {
		if s.State, err = p.invent(i); err != nil {
			return nil, err
		}
		v := &p.cfg.Variants
		if s.variant = v.pick(i, env.Seed(s.Seed)); v.ByGame == nil {
			s.variant = v.fitting(s.variant, s.restore)
		}
	}
	if err := p.fits(s.State); err != nil {
		return nil, err
	}
	var names []string
	for _, a := range s.Agents {
		names = append(names, a.Name)
	}
	l, err := g.newLineup(p.plan, names, p.savedAgent)
	if err != nil {
		return nil, err
	}
	l.number = p.lineUpSet.number(i, env.Seed(s.Seed), names)
	s.variant = p.cfg.Variants.drawn(i, env.Seed(s.Seed), s.variant)
	for k, a := range l.agents {
		if a == nil || g.seats(a) { // adopt resets one that has a seat: it has no memory
			continue
		}
		if err := a.Restore(s.Agents[k].Memory); err != nil {
			return nil, fmt.Errorf("agent %d, %q: %w", k, names[k], err)
		}
	}
	m, err := p.restoreMatch(&s, bare)
	if err != nil {
		return nil, err
	}
	if g.tracker != nil {
		if err := p.cfg.Game.NewTrackers(1, false)[0].Restore(m, s.Counted); err != nil {
			return nil, err
		}
	}
	return func() {
		g.variant = s.variant
		p.cfg.Game.Copy(g.match, m)
		if g.tracker != nil {
			_ = g.tracker.Restore(g.match, s.Counted) // never fails: another tracker has just taken it
		}
		p.adopt(i, s.State, l)
	}, nil
}

// savedAgent makes an agent that a state names. States may come from anyone: they may
// name agents of Config.Agent only if this pool has had these.
func (p *Pool) savedAgent(name string) (env.Agent, error) {
	switch outside, had := p.had[name]; {
	case outside && p.cfg.model != nil:
		return nil, fmt.Errorf("%s plays in the state, and an agent outside the server cannot be asked in a simulation: "+
			"begin the next episode first", name)
	case had:
		return p.newAgent(name)
	}
	return p.allowed(name, func(name string) (env.Agent, error) {
		a, err := p.cfg.Game.NewAgent(name)
		if err != nil {
			err = fmt.Errorf("%w; a state may name other agents only if they have been opponents here", err)
		}
		return a, err
	})
}

// restoreMatch makes the match of a saved game, by that game's rules.
func (p *Pool) restoreMatch(s *savedGame, bare bool) (env.Match, error) {
	m := p.cfg.Variants.Games[s.variant].New(1)[0]
	if err := s.restore(m); err != nil {
		return nil, err
	}
	if bare { // it may have been saved where another seat's death ends the game
		seat := -1
		if p.train {
			seat = s.Rows[0]
		}
		m.SetTrainingSeat(seat)
	}
	status := m.Status()
	if s.Ended = s.Ended || bare && status.Over; status.Over && !s.Ended {
		return nil, errors.New("its match is over, but it says that the episode goes on")
	}
	if s.Begun > status.Steps {
		return nil, fmt.Errorf("its episode began after %d steps, but its match has made %d", s.Begun, status.Steps)
	}
	return m, nil
}

// invent returns default values for the pool's part of a state without one.
func (p *Pool) invent(game int) (*gamestate.State, error) {
	g := &p.games[game]
	seed := g.seed
	if !g.seeded {
		seed = env.Seed{Value: p.entropy + uint64(game)}
	}
	rows, others := make([]uint8, len(g.rows)), make([]uint8, len(g.others))
	p.seating.deal(seed, rows, others)
	l, err := g.newLineup(p.plan, p.lineUpSet.Names[p.lineUpSet.pick(game, seed)], p.newAgent)
	if err != nil {
		return nil, err
	}
	for k, a := range l.agents {
		if a != nil && !g.seats(a) {
			a.Reset(seed.RNG(env.StreamAgents + uint64(others[k])))
		}
	}
	return &gamestate.State{Train: p.train, Seed: seed, Rows: saved.Ints(rows),
		Returns: make([]float64, len(rows)), Agents: l.saved()}, nil
}

// fits returns an error if a saved game, apart from its match, does not fit the pool, else nil.
func (p *Pool) fits(s *gamestate.State) error {
	switch {
	case !p.seating.fits(s.Rows):
		return fmt.Errorf("its learners sit at %v, want %s as in this pool", s.Rows, p.seating.want())
	case len(s.Agents) != p.seating.agents:
		return fmt.Errorf("it has %d agents, want %d as in this pool", len(s.Agents), p.seating.agents)
	case s.Train != p.train:
		return fmt.Errorf("it ends at its learner's death: %v, want %v as in this pool (OnDeath)", s.Train, p.train)
	}
	for _, r := range s.Returns {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return fmt.Errorf("a return is %v, want a finite number", r)
		}
	}
	return nil
}

func (s *seating) want() string {
	if s.drawn {
		return fmt.Sprintf("any one seat and %d policies", len(s.policies))
	}
	return fmt.Sprint(s.rows)
}

// adopt copies the loaded values into the game.
func (p *Pool) adopt(i int, s *gamestate.State, l lineup) {
	g := &p.games[i]
	g.seed, g.seeded, g.fault, g.begun = env.Seed(s.Seed), true, nil, s.Begun
	l.each(func(k int, _ env.Outside) {
		if g.seats(l.agents[k]) {
			l.agents[k].Reset(env.RNG{})
		}
	})
	g.field(l)
	if p.seating.drawn {
		p.seating.around(s.Rows[0], g.rows, g.others)
	} else {
		p.seating.deal(g.seed, g.rows, g.others)
	}
	copy(g.returns, s.Returns)
	g.before, g.status = 0, g.match.Status()
	p.count(i, p.counted) // those with which the episode begins
	p.phases[i] = running
	if s.Ended {
		p.phases[i] = ended
	}
	g.actions = g.actions[:0]
	p.tell(i)
}
