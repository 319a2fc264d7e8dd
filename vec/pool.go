package vec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"

	"pommego/env"
)

// Pool is a set of games that are stepped together. See the package comment.
type Pool struct {
	*plan
	layout  *layout
	games   []game
	returns []float64 // by row: the return of the episode under way
	phases  []phase   // by game, close together because Step looks at all
	over    []uint8   // by game, 1: its episode ended in this call
	maskN   int

	workers     []worker
	lineUpSet   LineUps // the line-ups set last
	starts      Starts
	players     [][]env.Agent // the agents that play each game's rows in Play, and their name
	playersName string
	waiting     bool // the opponents last set wait for something outside this program
	cost        cost
	job         job
	queue       *queue  // nil without Config.BatchSize, as are the next three
	sent        []bool  // by game: whether it is under way
	actions     []uint8 // by row: the actions sent last
	staging     *Batch  // the batch of all games
	ranges      *ranges
	givesWay    atomic.Bool    // whether workers give way to neighbours in this call
	running     sync.WaitGroup // worker goroutines
	closed      bool

	entropy uint64 // the seed of game 0 if it was never given one
	scratch []byte
	counted []int32 // by row: the counts since its episode began, with Config.StepCounts
}

// New makes a pool. Its games must be Reset before they are stepped.
func New(cfg Config) (*Pool, error) {
	if one := uint16(1); *(*byte)(unsafe.Pointer(&one)) != 1 {
		return nil, errors.New("this machine is big-endian; batches are little-endian memory")
	}
	plan, err := resolve(cfg)
	if err != nil {
		return nil, err
	}
	p := &Pool{plan: plan, layout: newLayout(plan), maskN: plan.spec.MaskSize()}
	p.entropy = rand.Uint64() >> 12 // it and those after it are below 2^53, which readers of JSON take exactly
	p.phases, p.over = make([]phase, plan.cfg.Games), make([]uint8, plan.cfg.Games)
	p.makeGames()
	if p.cfg.BatchSize > 0 {
		p.stage()
	}
	if err := p.SetLineUps(plan.lineUps); err != nil {
		return nil, err
	}
	p.made = true
	return p, nil
}

// makeGames makes the games, with the data of each close together in memory.
func (p *Pool) makeGames() {
	n, learners, agents := p.cfg.Games, p.seating.learners, p.seating.agents
	p.games = make([]game, n)
	rows, others := make([]uint8, n*learners), make([]uint8, n*agents)
	p.returns = make([]float64, n*learners)
	size := p.spec.Seats * len(p.spec.Actions)
	actions := make([]uint8, n*size)
	if p.cfg.StepCounts {
		p.counted = make([]int32, n*learners*p.counts)
	}
	trackers := make([]env.Tracker, n)
	if p.counts > 0 {
		trackers = p.cfg.Game.NewTrackers(n, false)
	}
	for i, m := range p.cfg.Game.New(n) {
		p.games[i] = game{
			match:   m,
			tracker: trackers[i],
			rows:    rows[i*learners : (i+1)*learners : (i+1)*learners],
			others:  others[i*agents : (i+1)*agents : (i+1)*agents],
			returns: p.returns[i*learners : (i+1)*learners : (i+1)*learners],
			actions: actions[i*size : i*size : (i+1)*size],
		}
	}
}

// Spec describes the game.
func (p *Pool) Spec() *env.Spec { return p.spec }

// Games is the number of games.
func (p *Pool) Games() int { return p.cfg.Games }

// Learners is the number of rows of each game, those of policies included.
func (p *Pool) Learners() int { return p.seating.learners }

// Outside reports whether some of the opponents set last wait for something outside this program (env.Agent.Waits).
func (p *Pool) Outside() bool { return p.waiting }

// Policies is how many rows of each game, the last, are those of policies.
func (p *Pool) Policies() int { return len(p.seating.policies) }

// Rows is the number of rows of all games.
func (p *Pool) Rows() int { return p.cfg.Games * p.seating.learners }

// Config returns the configuration in force: with defaults filled in, OnDeath as it
// applies, and the opponents that the pool was made with; LineUps returns those set last.
func (p *Pool) Config() Config { return p.cfg }

// Match is a game's match, to look at or draw between steps.
func (p *Pool) Match(game int) env.Match {
	p.rest()
	return p.games[game].match
}

// ResetOptions say which games to reset, and with which seeds.
type ResetOptions struct {
	Seed  *uint64  // game i gets *Seed+i and begins with episode 0
	Seeds []uint64 // a seed for each game instead; entries of games that are not reset are ignored
	Mask  []bool   // the games to reset; nil: all

	// Starts are positions in which games begin this episode. A game whose entry is nil
	// begins as Pool.SetStarts says.
	Starts []*Start
}

// Reset begins new episodes and writes the position of every game to b, including
// those that are not reset, with rewards and flags 0. Without seeds a game goes on to
// its next episode.
func (p *Pool) Reset(b *Batch, o ResetOptions) error {
	if err := p.checkReset(b, &o); err != nil {
		return err
	}
	if p.queue != nil {
		return p.resetAll(b, o)
	}
	p.job = job{do: (*worker).reset, batch: b, reset: o}
	return p.run()
}

func (p *Pool) checkReset(b *Batch, o *ResetOptions) error {
	n := p.cfg.Games
	if err := p.checkBatch("Reset", b); err != nil {
		return err
	}
	switch {
	case p.cfg.model != nil:
		return errors.New("Reset: the pool is a model (Pool.Model), in which no episode begins; load states")
	case o.Mask != nil && p.queue != nil:
		return wrong("Mask", " is given, but with a batch size all games are reset together: leave it out")
	case o.Seed != nil && o.Seeds != nil:
		return wrong("Seeds", " and one seed for all are both given, want one of them")
	case o.Seeds != nil && len(o.Seeds) != n:
		return wrong("Seeds", " has %d entries, want %d, one for each game", len(o.Seeds), n)
	case o.Mask != nil && len(o.Mask) != n:
		return wrong("Mask", " has %d entries, want %d, one for each game", len(o.Mask), n)
	}
	if err := p.checkStarts(o.Starts); err != nil {
		return err
	}
	for i, reset := range o.Mask {
		if !reset && p.phases[i] == unset {
			return fmt.Errorf("Reset: game %d is left out by Mask: %w", i, ErrNotReset)
		}
	}
	return nil
}

// checkBatch returns an error if the pool is closed or the batch belongs to another pool, else nil.
func (p *Pool) checkBatch(call string, b *Batch) error {
	switch {
	case p.closed:
		return fmt.Errorf("%s: %w", call, ErrClosed)
	case b == nil || b.pool != p:
		return fmt.Errorf("%s: the batch is nil, or belongs to another pool; make it with this pool's NewBatch", call)
	}
	return nil
}

// Step makes one step in every game and writes what they show to b. actions has one
// byte for each component of each row. Those of rows that are out, and of games that
// this Step resets, are ignored. An action out of range, or a game that cannot be
// stepped, is an error, and then no game has been stepped. A *GameError is different:
// all other games have been stepped.
func (p *Pool) Step(b *Batch, actions []uint8) error {
	if err := p.checkStep(b, actions); err != nil {
		return err
	}
	b.lasts.Store(0)
	p.job = job{do: (*worker).step, batch: b, actions: actions, steps: 1}
	return p.run()
}

func (p *Pool) checkStep(b *Batch, actions []uint8) error {
	if err := p.checkBatch("Step", b); err != nil {
		return err
	}
	components := len(p.spec.Actions)
	switch {
	case p.queue != nil:
		return errors.New("Step: the pool has a BatchSize; use Send and Recv")
	case len(actions) != p.Rows()*components:
		return fmt.Errorf("Step: %d bytes of actions, want %d: %d rows x %d components",
			len(actions), p.Rows()*components, p.Rows(), components)
	}
	if err := p.checkPhases("Step", p.cfg.Autoreset != Disabled); err != nil {
		return err
	}
	return p.checkActions(actions, 0)
}

// checkPhases returns an error unless all games can be stepped; over says that those may be whose episode has ended.
func (p *Pool) checkPhases(call string, over bool) error {
	for i, ph := range p.phases {
		if ph != running && (ph != ended || !over) {
			return p.refuse(call, i)
		}
	}
	return nil
}

// checkActions checks the actions of consecutive rows, of which row is the first.
func (p *Pool) checkActions(actions []uint8, row int) error {
	n := len(p.spec.Actions)
	for k, c := range p.spec.Actions {
		for at := k; at < len(actions); at += n { // all actions of a step: one plain loop
			if int(actions[at]) >= c.N && p.acts(row+at/n) {
				return &ActionError{Row: row + at/n, Component: k, Name: c.Name, Value: actions[at], N: c.N}
			}
		}
	}
	return nil
}

// refuse returns the error of a call that game i is in the wrong phase for.
func (p *Pool) refuse(call string, i int) error {
	switch p.phases[i] {
	case unset:
		return fmt.Errorf("%s: game %d: %w", call, i, ErrNotReset)
	case broken:
		return fmt.Errorf("%s: game %d: %w (%v); load a state, or reset it: with a mask or, with a BatchSize, all games",
			call, i, ErrBroken, p.games[i].fault.Value)
	}
	return fmt.Errorf("%s: game %d: %w", call, i, ErrFinished)
}

// acts reports whether a row's action is used.
func (p *Pool) acts(row int) bool {
	i, k := row/p.seating.learners, row%p.seating.learners
	g := &p.games[i]
	if at := k - p.seating.own(); at >= 0 && g.lineup.agents[p.seating.policies[at]] != nil {
		return false // an agent plays there in this episode
	}
	return p.phases[i] == running && g.status.In.Has(int(g.rows[k]))
}

// Observe writes the present position of every game to b, with rewards and flags
// 0: after Load, or for a batch that has not seen the last step. Games that were
// never reset are blank.
func (p *Pool) Observe(b *Batch) {
	if p.closed || b == nil || b.pool != p || p.queue != nil {
		panic("vec: Observe on a closed pool, with no batch, with another pool's batch, or with a BatchSize")
	}
	p.job = job{do: (*worker).show, batch: b}
	// A game that panics here is broken, and the next Step says so.
	_ = p.run()
}

// Reseed replaces the RNG of a game and of the agents in it, as Match.Reseed
// does. Seed and episode, which decide the next episode, stay as they are.
func (p *Pool) Reseed(game int, seed env.Seed) {
	p.rest()
	g := &p.games[game]
	g.match.Reseed(seed)
	for k, a := range g.lineup.agents {
		if a != nil {
			a.Reseed(seed.RNG(env.StreamAgents + uint64(g.others[k])))
		}
	}
}
