package vec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"pommego/env"
)

// Policy names a seat, in Config.Opponents, Config.Seats and line-ups, that the caller
// plays, but as an opponent: its rows come behind the learners', and its death has no
// other effect than another opponent's.
const Policy = "policy"

// LineUps is several line-ups of opponents; each episode has one of them. The zero
// value is none.
type LineUps struct {
	// Names has the agents of each line-up, in the order of Config.Opponents. If a seat is
	// Policy in any of them, it has a row; in line-ups with an agent there, the row's
	// actions are ignored.
	Names [][]string `wire:"line_ups,1..65536"`

	// Weights says how often each line-up is drawn when an episode begins; nil: all
	// equally often. The episode's seed decides the draw.
	Weights []float64 `wire:"weights"`

	// ByGame, unless nil, has instead the number of each game's line-up.
	ByGame []int32 `wire:"by_game"`

	reach []float64 // in a pool the sums of the weights up to each; nil if line-ups are not drawn
	first int       // in a pool the number of the first line-up; numbers go on from one set to the next
}

// pick returns which line-up an episode of game i has.
func (c *LineUps) pick(i int, seed env.Seed) int {
	switch {
	case c.ByGame != nil:
		return int(c.ByGame[i])
	case c.reach != nil:
		rng := seed.RNG(env.StreamLineUps)
		return draw(c.reach, &rng)
	}
	return 0
}

// number returns the number of the line-up with these names in an episode of game i: of the one that
// the episode draws, if that has these names, else of the first one that does; -1 if there is none.
func (c *LineUps) number(i int, seed env.Seed, names []string) int {
	same := func(own []string) bool { return slices.Equal(own, names) }
	if n := c.pick(i, seed); same(c.Names[n]) {
		return c.first + n
	}
	n := slices.IndexFunc(c.Names, same)
	if n < 0 {
		return -1
	}
	return c.first + n
}

// draw draws one of several things, by the sums of their weights.
func draw(reach []float64, rng *env.RNG) int {
	point := rng.Float64() * reach[len(reach)-1]
	return sort.Search(len(reach)-1, func(k int) bool { return reach[k] > point })
}

// sums returns the sums of n weights, up to each. Without weights, each counts as 1.
func sums(weights []float64, n int) ([]float64, error) {
	if weights != nil && len(weights) != n {
		return nil, wrong("Weights", " has %d entries, want %d", len(weights), n)
	}
	reach, sum := make([]float64, n), 0.0
	for k := range reach {
		weight := 1.0
		if weights != nil {
			weight = weights[k]
		}
		if !(weight >= 0) || math.IsInf(weight, 1) {
			return nil, wrong("Weights", "[%d] is %v, want a finite number, 0 or more", k, weight)
		}
		sum += weight
		reach[k] = sum
	}
	if n > 0 && (sum == 0 || math.IsInf(sum, 1)) {
		return nil, wrong("Weights", " sum to %v, want more than 0, and a finite number", sum)
	}
	return reach, nil
}

// newLineUpSet checks line-ups, and copies them as the set of a pool.
func (p *plan) newLineUpSet(of LineUps) (*LineUps, error) {
	l := &LineUps{Names: slices.Clone(of.Names), Weights: slices.Clone(of.Weights), ByGame: slices.Clone(of.ByGame)}
	for n, names := range l.Names {
		if len(names) != p.seating.agents {
			return nil, wrong("Opponents", "%s has %d entries, want %d, one for each seat that does not learn",
				in(l.Names, n), len(names), p.seating.agents)
		}
		l.Names[n] = slices.Clone(names)
	}
	var err error
	switch {
	case l.ByGame != nil && l.Weights != nil:
		return nil, wrong("Weights", " and line-ups by game are both given, want one of them")
	case l.ByGame != nil && len(l.ByGame) != p.cfg.Games:
		return nil, wrong("ByGame", " has %d entries, want %d, the number of a line-up for each game", len(l.ByGame),
			p.cfg.Games)
	case l.ByGame == nil && (len(l.Names) > 1 || l.Weights != nil):
		if l.reach, err = sums(l.Weights, len(l.Names)); err != nil {
			return nil, err
		}
	}
	for i, n := range l.ByGame {
		if n < 0 || int(n) >= len(l.Names) {
			return nil, wrong("ByGame", "[%d] is %d, want 0 to %d, the number of a line-up", i, n, len(l.Names)-1)
		}
	}
	return l, nil
}

// in returns the words by which an error names line-up n, "" if there is only one.
func in(all [][]string, n int) string {
	if len(all) == 1 {
		return ""
	}
	return fmt.Sprintf(" in line-up %d", n)
}

// wrongAgent makes the error about an agent by the option that names it. k counts the seats that do not learn.
func (p *plan) wrongAgent(k int, in string, err error) error {
	if len(p.cfg.Seats) > 0 && !p.made {
		return wrong("Seats", "[%d]: %w", p.seating.others[k], err)
	}
	return wrong("Opponents", "[%d]%s: %w", k, in, err)
}

func (p *plan) checkAgents(c *LineUps) error {
	seen := map[string]bool{Policy: true}
	for n, names := range c.Names {
		for k, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			if err := p.checkAgent(name); err != nil {
				return p.wrongAgent(k, in(c.Names, n), err)
			}
		}
	}
	return nil
}

// checkAgent makes an agent, and notes whether it is outside this program.
func (p *plan) checkAgent(name string) error {
	a, err := p.newAgent(name)
	if errors.Is(err, env.ErrTaken) {
		return nil // perhaps by the game that is to have it: newLineup knows
	}
	if o, ok := a.(env.Outside); ok {
		p.outside = true
		err = cmp.Or(err, o.Close()) // Close suffices: the agent has not been started
	}
	return err
}

// try starts one agent of each name that is outside this program, but none that has a seat already.
func (p *Pool) try(made [][]lineup) (err error) {
	seen := map[string]bool{}
	for i := range made {
		for n := range made[i] {
			l := &made[i][n]
			l.each(func(k int, o env.Outside) {
				if err == nil && !seen[l.names[k]] && !p.games[i].seats(l.agents[k]) {
					seen[l.names[k]] = true
					if err = o.Try(); err != nil {
						err = p.wrongAgent(k, "", err)
					}
				}
			})
		}
	}
	return err
}

// SetLineUps replaces the agents. Each new line-up must have as many as the old ones,
// in the same order (with Config.Seats in the order of the seats). Each game changes to
// the new ones at its next episode.
func (p *Pool) SetLineUps(l LineUps) error {
	switch {
	case p.closed:
		return fmt.Errorf("SetLineUps: %w", ErrClosed)
	case len(l.Names) == 0:
		return wrong("LineUps", " is empty, want at least one line-up")
	}
	c, err := p.newLineUpSet(l)
	if err != nil {
		return err
	}
	p.rest()
	c.first = p.lineUpSet.first + len(p.lineUpSet.Names)
	defer p.sweep()
	made, err := p.makeLineups(c)
	if err == nil {
		err = p.try(made)
	}
	if err != nil {
		return err
	}
	p.lineUpSet, p.waiting = *c, false
	for i := range p.games {
		p.games[i].made = made[i]
		for n := range made[i] {
			p.waiting = p.waiting || made[i][n].waits()
		}
	}
	p.start()
	return nil
}

// makeLineups makes the line-ups that each game can have, by number: none in a model.
func (p *Pool) makeLineups(c *LineUps) ([][]lineup, error) {
	made := make([][]lineup, len(p.games))
	var err error
	if c.ByGame != nil || p.cfg.model != nil {
		err = p.checkAgents(c) // also for line-ups that no game has
	}
	for i := 0; i < len(made) && err == nil && p.cfg.model == nil; i++ {
		made[i] = make([]lineup, len(c.Names))
		for n := range c.Names {
			if err == nil && (c.ByGame == nil || int(c.ByGame[i]) == n) {
				made[i][n], err = p.games[i].newLineup(p.plan, c.Names[n], p.newAgent)
				made[i][n].number = c.first + n
			}
		}
	}
	return made, err
}

// newAgent makes an agent that the caller names.
func (p *plan) newAgent(name string) (env.Agent, error) {
	return p.allowed(name, func(name string) (a env.Agent, err error) {
		if p.cfg.Agent != nil {
			a, err = p.cfg.Agent(name)
		}
		if a != nil {
			_, p.had[name] = a.(env.Outside)
		} else if err == nil {
			a, err = p.cfg.Game.NewAgent(name)
		}
		return a, err
	})
}

// allowed creates an agent that stops when the pool does, or returns an error if its name is not allowed. An agent that
// it returns beside an error is to be closed, too.
func (p *plan) allowed(name string, create func(string) (env.Agent, error)) (env.Agent, error) {
	if p.stopped() {
		return nil, ErrStopped
	}
	if p.cfg.Allow != nil {
		if err := p.cfg.Allow(name); err != nil {
			return nil, err
		}
	}
	a, err := create(name)
	if err != nil {
		return nil, err
	}
	if _, outside := a.(env.Outside); outside && len(p.cfg.Variants.Games) > 1 {
		return a, fmt.Errorf("%s is outside the server, and plays by one set of rules: give one, or a built-in agent", name)
	}
	if p.cfg.Stop != nil || p.cfg.Neighbours != nil {
		a.StopOn((*flag)(p))
	}
	return a, p.admit(a)
}

// flag is the flag that agents of a plan load while they search.
type flag plan

// Load reports whether they are to stop. Meanwhile it lets neighbours' short calls go first.
func (f *flag) Load() bool {
	if n := f.cfg.Neighbours; n != nil && n.expects(f.cfg.Client) {
		yieldCore()
	}
	return (*plan)(f).stopped()
}

func (p *plan) stopped() bool { return p.cfg.Stop != nil && p.cfg.Stop.Load() }

// newLineup makes a line-up of the game. An agent outside this program that is only one plays in all line-ups of the
// game that name it. The caller sweeps the game, also after an error.
func (g *game) newLineup(p *plan, names []string, create func(string) (env.Agent, error)) (lineup, error) {
	l := lineup{names: names}
	for k, name := range names {
		var a env.Agent
		var err error
		if name != Policy {
			a, err = create(name)
		} else if !slices.Contains(p.seating.policies, k) {
			err = fmt.Errorf("%q, but that seat has no row: make the pool with a policy there", Policy)
		}
		if errors.Is(err, env.ErrTaken) {
			for own, of := range g.outside {
				if of == name && !slices.Contains(l.agents, own) {
					a, err = own, nil
				}
			}
		}
		if _, outside := a.(env.Outside); outside {
			if l.outside = true; g.outside == nil {
				g.outside = map[env.Agent]string{}
			}
			g.outside[a] = name
		}
		if err != nil {
			return l, p.wrongAgent(k, "", err)
		}
		l.agents = append(l.agents, a)
	}
	return l, nil
}

// each calls do for each agent outside this program.
func (l *lineup) each(do func(k int, o env.Outside)) {
	if !l.outside {
		return
	}
	for k, a := range l.agents {
		if o, ok := a.(env.Outside); ok {
			do(k, o)
		}
	}
}

// seats reports whether an agent is outside this program and in a line-up of the game.
func (g *game) seats(a env.Agent) bool {
	_, outside := a.(env.Outside)
	has := func(l lineup) bool { return slices.Contains(l.agents, a) }
	return outside && (has(g.lineup) || slices.ContainsFunc(g.made, has))
}

// sweep has the agents outside this program closed that play no more, side by side, as one that hangs takes a second.
func (g *game) sweep(closing *sync.WaitGroup) {
	for a := range g.outside {
		if !g.seats(a) {
			delete(g.outside, a)
			closing.Go(func() { a.(env.Outside).Close() })
		}
	}
}

func (p *Pool) sweep() {
	var closing sync.WaitGroup
	for i := range p.games {
		p.games[i].sweep(&closing)
	}
	closing.Wait()
}

// field lets a line-up play, and closes agents of the one before it that can play no more.
func (g *game) field(l lineup) {
	if g.lineup = l; len(g.outside) > 0 {
		var closing sync.WaitGroup
		g.sweep(&closing)
		closing.Wait()
	}
}

// missed returns how many moves of the agents outside this program were replaced by stop, and 1 if the game is void.
func (l *lineup) missed() (late, failed int32, void uint8) {
	l.each(func(_ int, o env.Outside) {
		a, b, lost := o.Missed()
		late, failed, void = late+int32(a), failed+int32(b), max(void, toByte(lost))
	})
	return late, failed, void
}

// LineUps returns the line-ups set last, which games have from their next episode on.
func (p *Pool) LineUps() LineUps { return p.lineUpSet }
