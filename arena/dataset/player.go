package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"pommego/arena/match"
	"pommego/env"
)

// player plays games one after the other. It belongs to one goroutine.
type player struct {
	game    env.Game
	config  *Config
	match   env.Match
	tracker env.Tracker
	remote  bool // some agent is outside the program
	listen  bool // what agents choose by is wanted
	agents  map[seat]env.Agent
	others  map[seat]match.Player // all agents, if some are outside

	sitting []env.Agent // in the game under way
	search  searchListener
}

type seat struct {
	agent uint16
	seat  int
}

func newPlayer(game env.Game, c *Config) *player {
	return &player{
		game: game, config: c, match: game.New(1)[0], tracker: game.NewTrackers(1, false)[0], remote: c.Seating != Told &&
			slices.ContainsFunc(c.Agents, outside),
		listen: c.Layout != Games,
		agents: map[seat]env.Agent{}, others: map[seat]match.Player{}, search: newSearchListener(game.Spec()),
	}
}

func (p *player) Close() error {
	var errs []error
	for _, m := range p.others {
		errs = append(errs, m.Close())
	}
	clear(p.others)
	return errors.Join(errs...)
}

// play plays one game of the data set, as recorded if a client has played it. A
// panic in it comes back as an error.
func (p *player) play(ctx context.Context, number int, recorded *Recorded) (e *Episode, err error) {
	s := shapeOf(p.game.Spec())
	e = &Episode{
		Game: number, Seed: p.config.seed(number), Dealt: true, Agents: make([]uint16, s.seats),
		Outcome: make([]float64, s.seats), Lived: make([]int32, s.seats), Missed: make([]int32, s.seats),
	}
	p.config.lineup(number, e.Agents)
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			err = fmt.Errorf("game %d (seed %d): %w", number, e.Seed.Value, err)
		}
	}()
	switch {
	case p.remote:
		return e, p.playRemote(ctx, e)
	case recorded != nil:
		return e, p.playAgain(ctx, e, recorded)
	}
	return e, p.playHere(ctx, e, nil)
}

// playHere plays with built-in agents, and by a script where a client's sit.
func (p *player) playHere(ctx context.Context, e *Episode, s *script) error {
	if err := p.sit(e); err != nil {
		return err
	}
	parts := len(p.game.Spec().Actions)
	p.match.Reset(e.Seed)
	p.tracker.Begin(p.match)
	status := p.match.Status()
	for !status.Over && (p.config.MaxSteps == 0 || e.Steps < p.config.MaxSteps) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from := len(e.Actions)
		e.Actions = append(e.Actions, make([]byte, parts*len(p.sitting))...)
		actions := e.Actions[from:]
		for k, agent := range p.sitting {
			if !status.In.Has(k) {
				continue
			}
			e.Lived[k]++
			own := actions[k*parts : (k+1)*parts]
			if agent == nil {
				s.act(e, k, own)
				continue
			}
			agent.Act(p.match, k, own)
			if p.listen {
				p.search.listen(e, agent, k)
			}
		}
		p.tracker.Step(p.match, actions)
		e.Steps++
		status = p.match.Status()
	}
	e.conclude(p.game.Spec(), p.match, status)
	e.Counts = countsOf(p.game.Spec(), p.tracker, p.match)
	return nil
}

// sit seats the built-in agents, with the RNGs of their seats and no memory. In a client's
// seats sits nobody.
func (p *player) sit(e *Episode) (err error) {
	p.sitting = make([]env.Agent, len(e.Agents))
	for k, index := range e.Agents {
		if !atClient(p.config.Agents[index]) && err == nil {
			p.sitting[k], err = p.agent(index, k, e.Seed)
		}
	}
	return err
}

// agent is a built-in agent, ready to play a game in a seat.
func (p *player) agent(index uint16, k int, seed env.Seed) (env.Agent, error) {
	agent := p.agents[seat{index, k}]
	if agent == nil {
		made, err := p.game.NewAgent(p.config.Agents[index])
		if err != nil {
			return nil, err
		}
		agent = made
		p.agents[seat{index, k}] = agent
	}
	agent.Reset(seed.RNG(env.StreamAgents + uint64(k)))
	return agent, nil
}

// conclude writes down how a game stands at its end.
func (e *Episode) conclude(spec *env.Spec, m env.Match, s env.Status) {
	e.Result, e.Winners, e.Truncated = s.Result, s.Winners, !s.Over
	m.Outcome(e.Outcome)
	var before env.SeatSet // who made the last step
	for k := range e.Outcome {
		if !s.Decided.Has(k) {
			e.Outcome[k] = 0
		}
		if int(e.Lived[k]) == e.Steps {
			before = before.With(k)
		}
	}
	e.Results = s.SeatResults(spec.Teams, before)
}

// other is the player of an agent in a seat. A server is the same in all seats.
func (p *player) other(index uint16, k int) (match.Player, error) {
	at, name := seat{index, k}, p.config.Agents[index]
	if match.AtURL(name) {
		at.seat = 0
	}
	if p.others[at] == nil {
		m, err := match.NewPlayer(p.game, name)
		if err != nil {
			return nil, err
		}
		p.others[at] = m
	}
	return p.others[at], nil
}

// errLimit ends a match at the configuration's MaxSteps.
var errLimit = errors.New("the game is long enough")

// playRemote plays with agents outside the program, by the rules of matches.
func (p *player) playRemote(ctx context.Context, e *Episode) error {
	players := make([]match.Player, len(e.Agents))
	for k, index := range e.Agents {
		m, err := p.other(index, k)
		if err != nil {
			return err
		}
		players[k] = m
	}
	seats := p.game.Spec().Seats
	var asked env.SeatSet // who made the step to come
	watch := func(at match.Moment) error {
		if at.Actions != nil {
			e.Actions = append(e.Actions, at.Actions...)
			for k := range seats {
				if p.listen && asked.Has(k) {
					p.search.listen(e, players[k], k)
				}
				e.Missed[k] += int32(toByte(at.Late.Has(k) || at.Failed.Has(k)))
			}
			e.Steps++
		}
		status := at.Match.Status()
		long := p.config.MaxSteps > 0 && e.Steps >= p.config.MaxSteps
		if status.Over || long {
			e.conclude(p.game.Spec(), at.Match, status)
		}
		asked = status.In
		for k := range seats {
			e.Lived[k] += int32(toByte(status.In.Has(k) && !status.Over && !long))
		}
		if long && !status.Over {
			return errLimit
		}
		return nil
	}
	rules := match.Rules{Limit: p.config.Limit, Memory: p.config.Memory}
	_, err := match.Play(ctx, p.game, players, e.Seed, rules, watch)
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}
