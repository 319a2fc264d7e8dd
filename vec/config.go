package vec

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"pommego/env"
	"pommego/internal/enum"
)

// Autoreset is what happens after a game's episode has ended.
type Autoreset = enum.Text[autoresetModes]

// The modes, as in gymnasium.
const (
	NextStep Autoreset = iota // the next Step resets the game
	SameStep                  // the same Step resets it; the tensors named final.* hold the end
	Disabled                  // the caller resets it
)

type autoresetModes struct{}

func (autoresetModes) Names() (string, []string) {
	return "autoreset_mode", []string{"NextStep", "SameStep", "Disabled"}
}

// Reward is how rewards are computed.
type Reward = enum.Text[rewardKinds]

// The kinds of rewards.
const (
	// Outcome pays once, when the row's outcome is decided: +1 won, -1 lost, ties
	// as the game itself values them.
	Outcome Reward = iota
	// Reference pays what the game's original gives each step.
	Reference
)

type rewardKinds struct{}

func (rewardKinds) Names() (string, []string) { return "reward", []string{"outcome", "reference"} }

// Mask is which moves the action mask lists.
type Mask = enum.Text[maskKinds]

// The kinds of masks.
const (
	// Legal moves are those that, by what the seat sees, do something.
	Legal Mask = iota
	// Safe moves are the legal moves that can be survived, as far as the seat can know;
	// all legal moves if none can. The game must be able to tell them: env.Careful.
	Safe
)

type maskKinds struct{}

func (maskKinds) Names() (string, []string) { return "mask", []string{"legal", "safe"} }

// OnDeath is what happens at the death of a game's only learner.
type OnDeath = enum.Text[onDeathWays]

// The two ways.
const (
	End  OnDeath = iota // the episode ends
	Wait                // it goes on to the end of the game
)

type onDeathWays struct{}

func (onDeathWays) Names() (string, []string) { return "on_death", []string{"end", "wait"} }

// Learner names a seat in Config.Seats whose actions come from the caller.
const Learner = "learner"

// MaxGames is the most games a pool can hold.
const MaxGames = 1 << 20

// Config says what a pool holds. Game and Games are required; every other zero
// is a default.
//
// The tags are the names of the fields in requests to a server, with their ranges there: see package bridge.
type Config struct {
	Game  env.Game
	Games int `wire:"games,needed,1..1048576"` // 1 to MaxGames

	// Variants lets games play by several sets of rules instead of Game's alone. The
	// tensor rules of a batch says which set each game plays by.
	Variants Variants

	// BatchSize, unless 0, has the games stepped one by one: Send begins a step of
	// some of them, and Recv returns the first BatchSize that are ready. It is at
	// most Games. Step cannot be called then, and Autoreset cannot be Disabled.
	BatchSize int `wire:"batch_size,1..2147483647"`

	// Workers is how many goroutines step the games, at most one per game. 0: each
	// call wakes as many as are worth waking for the time that steps take, up to
	// Cores, and up to 64 if an opponent waits for something outside this
	// program (env.Agent.Waits).
	Workers int `wire:"workers"`

	// MaxWorkers is the most workers that Workers 0 chooses; 0: no further limit.
	MaxWorkers int

	// Observation names one of the game's encodings; "": its first.
	Observation string `wire:"observation"`

	// State has batches hold the global state (env.GlobalState) of each game, too.
	State bool `wire:"state"`

	Reward    Reward    `wire:"reward"`
	Mask      Mask      `wire:"mask"`
	Autoreset Autoreset `wire:"autoreset_mode"`

	// Opponents are the agents of all seats but the learner's; opponent k sits
	// at (learner+1+k) mod seats. Seat is the learner's seat; nil: each episode draws it.
	Opponents []string `wire:"opponents,0..256"`
	Seat      *int     `wire:"seat,0..255"`

	// Agent makes an agent from its name. It is for agents that are not the game's own, such as
	// programs (env.Outside). Where it is nil, or returns no agent and no error, Game.NewAgent does.
	Agent func(name string) (env.Agent, error)

	// LineUps replaces Opponents by several lists of opponents; each episode has one of them. The
	// tensor game.line_up then says which one. Batches also have that tensor if some seats are Policy.
	LineUps LineUps

	// Seats is any other mix: Learner, Policy or an agent's name for each seat. It
	// excludes Opponents and LineUps. With none of them, every seat learns.
	Seats []string `wire:"seats,0..256"`

	// OnDeath matters only with exactly one learner, besides policies, in a game whose
	// teams are single seats. Everywhere else it is Wait. End excludes rules by which a
	// seat's death ends the game, as a game has one such seat (env.Spec.Training).
	OnDeath OnDeath `wire:"on_death"`

	// MaxEpisodeSteps truncates an episode after so many steps; 0: never. The
	// rules' own limit is part of the game, and terminates it.
	MaxEpisodeSteps int `wire:"max_episode_steps"`

	// Counts adds the tensor game.counts with what the game counts
	// (env.Spec.Counts). In Pommerman that costs some percent of a step.
	Counts bool `wire:"counts"`

	// StepCounts adds the tensor counts: what the last step added to the counts.
	StepCounts bool `wire:"step_counts"`

	// Stop, unless nil, ends the pool's work for good when it is set: agents stop searching, and the call returns
	// ErrStopped. Some games have made the step then; the others stay as they are, but for agents that were deciding.
	Stop *atomic.Bool

	// Allow, unless nil, is called with an agent's name before the agent is made, and returns an error if
	// that agent may not play. It is for callers that get names from others. Saved games name agents too.
	Allow func(agent string) error

	// Reserve, unless nil, is called before an agent plays whose searches take more than Memory.Searches, with the
	// number of bytes beyond it. If it returns an error, the call that brought the agent fails with that error.
	Reserve func(bytes int64) error

	// Cores is how many workers can compute at a time. 0: GOMAXPROCS. A program that also serves
	// connections may set GOMAXPROCS higher than the number of cores, and then gives Cores too.
	Cores int

	// Neighbours, unless nil, is shared with the pools of the program's other clients.
	// Client is the number of this pool's own client.
	Neighbours *Neighbours
	Client     int64

	// Headroom is how many free bytes the batch keeps before each of its tensors.
	Headroom int

	model *Pool // unless nil, the pool of which this one is a model: see Pool.Model
}

// Model returns the configuration of a forward model of the pool: n games, in lock-step, which play loaded states on.
// A state without the pool's part gets the opponents set last. A model draws line-ups and variants, also those that
// ByGame fixes in the pool. No episode begins in a model, so it makes only the agents of loaded states.
func (p *Pool) Model(n int) Config {
	c := p.cfg
	c.Games, c.BatchSize, c.LineUps.ByGame, c.Variants.ByGame = n, 0, nil, nil
	c.Autoreset, c.model = Disabled, p
	return c
}

// BatchGames is how many games a batch holds.
func (c *Config) BatchGames() int { return cmp.Or(c.BatchSize, c.Games) }

// plan is a checked configuration, with the values that follow from it.
type plan struct {
	cfg      Config // the configuration in force
	spec     *env.Spec
	encoding int
	seating  seating
	train    bool // a learner's death ends its game
	counts   int  // how many counts a seat has
	lineUps  LineUps
	had      map[string]bool // by name: the agents that Config.Agent has made, true if they are env.Outside
	outside  bool            // batches say what opponents outside this program have missed

	// About all agents made so far: the most memory that a search takes, whether any of them
	// waits, what all workers take to search, and how much of that came after the pool was made.
	largest            int64
	waits, made        bool
	searches, reserved int64
}

// resolve checks c and fills in its defaults. An error names the field, its value and
// what it may be. Each agent is made once, to check that it exists.
func resolve(c Config) (*plan, error) {
	if c.Game == nil {
		return nil, wrong("Game", " is nil, want a game, as from catalog.Game")
	}
	p := &plan{cfg: c, spec: c.Game.Spec(), had: map[string]bool{}}
	for _, f := range []struct {
		name       string
		is, lo, hi int
	}{
		{"Games", c.Games, 1, MaxGames},
		{"BatchSize", c.BatchGames(), 1, c.Games}, // 0 stands for all games
		{"Workers", c.Workers, 0, 1 << 10},
		{"MaxWorkers", c.MaxWorkers, 0, 1 << 10},
		{"Cores", c.Cores, 0, 1 << 16},
		{"MaxEpisodeSteps", c.MaxEpisodeSteps, 0, 1<<31 - 1},
		{"Headroom", c.Headroom, 0, 1 << 16},
		{"Reward", int(c.Reward), 0, len(c.Reward.Names()) - 1},
		{"Mask", int(c.Mask), 0, len(c.Mask.Names()) - 1},
		{"Autoreset", int(c.Autoreset), 0, len(c.Autoreset.Names()) - 1},
		{"OnDeath", int(c.OnDeath), 0, len(c.OnDeath.Names()) - 1},
	} {
		if f.is < f.lo || f.is > f.hi {
			return nil, wrong(f.name, " is %d, want %d to %d", f.is, f.lo, f.hi)
		}
	}
	if c.model != nil && c.Autoreset != Disabled {
		return nil, wrong("Autoreset", " is %v in a model (Pool.Model), want Disabled: no episode begins there", c.Autoreset)
	}
	if c.BatchSize > 0 && c.Autoreset == Disabled {
		return nil, wrong("Autoreset", " is Disabled with a batch size, want NextStep or SameStep: "+
			"games cannot be reset one by one")
	}
	if c.Counts || c.StepCounts {
		p.counts = len(p.spec.Counts)
	}
	if err := p.resolveObservation(); err != nil {
		return nil, err
	}
	if err := p.resolveVariants(); err != nil {
		return nil, err
	}
	if err := p.resolveSeats(); err != nil {
		return nil, err
	}
	one := p.whole()
	one.cfg.Games = 1
	l := newLayout(one)
	if most := (math.MaxInt - 1<<24) / (l.size + l.final); c.Games > most { // on 32 bits; 1<<24 is for headrooms
		return nil, wrong("Games", " is %d, want at most %d: larger batches do not fit into this program", c.Games, most)
	}
	return p, nil
}

func (p *plan) resolveObservation() error {
	if p.cfg.Observation == "" {
		p.cfg.Observation = p.spec.Encodings[0].Name
	}
	if p.encoding = p.spec.Encoding(p.cfg.Observation); p.encoding < 0 {
		var names []string
		for _, e := range p.spec.Encodings {
			names = append(names, e.Name)
		}
		return wrong("Observation", " %q does not exist in %s; there are %q", p.cfg.Observation, p.spec.ID, names)
	}
	if _, ok := p.cfg.Game.New(1)[0].(env.Careful); !ok && p.cfg.Mask == Safe {
		return wrong("Mask", " is %q, but %s does not tell which moves are safe; want %q", Safe, p.spec.ID, Legal)
	}
	if p.cfg.State && len(p.spec.State) == 0 {
		return wrong("State", " is true, but %s has no global state", p.spec.ID)
	}
	return nil
}

func (p *plan) resolveSeats() error {
	p.cfg.Opponents, p.cfg.Seats = slices.Clone(p.cfg.Opponents), slices.Clone(p.cfg.Seats)
	if s := p.cfg.Seat; s != nil {
		p.cfg.Seat = new(*s)
	}
	s, lineUps, err := newSeating(&p.cfg)
	if err != nil {
		return err
	}
	if m := p.cfg.model; m != nil {
		lineUps, p.outside, p.had = m.LineUps(), m.outside, maps.Clone(m.had)
		lineUps.ByGame = nil
	}
	p.seating, p.lineUps = s, lineUps
	if alone := len(p.spec.Teams) == p.spec.Seats; !alone || !p.spec.Elimination || s.own() != 1 {
		p.cfg.OnDeath = Wait
	}
	p.train = p.cfg.OnDeath == End
	for _, g := range p.cfg.Variants.Games {
		if t := g.Spec().Training.List(); p.train && len(t) > 0 {
			return wrong("OnDeath", " is %q with one learner, but the rules' training_agent ends games at the death of seat "+
				"%d; leave training_agent out, or want %q", End, t[0], Wait)
		}
	}
	c, err := p.newLineUpSet(lineUps)
	if err != nil {
		return err
	}
	if len(p.cfg.LineUps.Names) > 0 {
		p.cfg.LineUps = *c
	}
	return p.checkAgents(c)
}
