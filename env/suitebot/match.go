package suitebot

import (
	"fmt"
	"sync"
	"time"

	"pommego/env"
	"pommego/env/observe"
)

// Game is SuiteBot II with one set of rules: env.Game.
type Game struct {
	plan        *Plan
	spec        env.Spec
	bots        Bots
	fingerprint uint64

	// What the encodings look up instead of working it out each time.
	col, row [256]float32 // as shares of the last one
	point    float32      // what a point is worth
	sizes    [2][2]int    // bytes of the maps and the vector of each encoding

	// views are lent to agents while they act: one for each agent would push
	// the games out of the processor's cache.
	views sync.Pool
}

// Bots makes agents by name. Package bots has the built-in ones; it is handed
// in because bots know the game and not the other way round.
type Bots struct {
	Names []string
	New   func(name string) (Bot, error)
}

// New makes the game with the given id and rules.
func New(id, description string, rules Rules, bots Bots) (*Game, error) {
	plan, err := NewPlan(rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g := gameOf(plan)
	g.bots = bots
	g.spec.ID, g.spec.Description, g.spec.Agents = id, description, bots.Names
	return g, nil
}

// gameOf is the game on a plan, without a name and agents.
func gameOf(plan *Plan) *Game {
	r := plan.Rules()
	g := &Game{
		plan: plan, fingerprint: r.Fingerprint(),
		col: observe.Shares(r.Width - 1), row: observe.Shares(r.Height - 1), point: 1 / float32(plan.cells),
	}
	g.views.New = func() any { return new(View) }
	g.spec = env.Spec{
		Game: "suitebot", Version: Version,
		Seats: r.Players, Teams: r.teams(), MaxSteps: r.Rounds,
		Actions:   r.actions(),
		Encodings: []env.Encoding{encodingPlanes: g.planesEncoding(), encodingRaw: g.rawEncoding()},
		Rules:     *r,
	}
	g.sizes = observe.Sizes(g.spec.Encodings)
	return g
}

// The encodings' indices.
const (
	encodingPlanes = iota
	encodingRaw
)

// Spec describes the game.
func (g *Game) Spec() *env.Spec { return &g.spec }

// The times of the contest, which its document sets for programs.
const (
	MoveLimit = 200 * time.Millisecond // longer, and the move is forfeited: hold
	GiveUp    = time.Second            // longer, and the program is not asked again: hold to the end
)

// Clock is the contest's clock: env.Clocked.
func (g *Game) Clock() (limit, giveUp time.Duration) { return MoveLimit, GiveUp }

// Plan is the game plan: the rules and what follows from them.
func (g *Game) Plan() *Plan { return g.plan }

// New makes n matches in one block of memory.
func (g *Game) New(n int) []env.Match {
	block := make([]Match, n)
	all := make([]env.Match, n)
	for i := range block {
		block[i].game = g
		all[i] = &block[i]
	}
	return all
}

// NewAgent makes a built-in agent.
func (g *Game) NewAgent(name string) (env.Agent, error) {
	bot, err := g.bots.New(name)
	if err != nil {
		return nil, err
	}
	p := &player{g, bot}
	if w, ok := bot.(env.SearchReporter); ok {
		return &weigher{p, w}, nil
	}
	return p, nil
}

// Match is one running game: env.Match over a State.
type Match struct {
	State
	game *Game
}

// Reset starts a new episode.
func (m *Match) Reset(seed env.Seed) { m.game.plan.Deal(&m.State, seed) }

// Reseed replaces the RNG.
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

// SetTrainingSeat does nothing: nobody drops out.
func (m *Match) SetTrainingSeat(int) {}

// Step plays one round.
func (m *Match) Step(actions []uint8) { m.game.plan.Step(&m.State, actions) }

// Status reports the state of play.
func (m *Match) Status() env.Status { return m.game.plan.Status(&m.State) }

// Rewards writes the points that each seat got in the last round.
func (m *Match) Rewards(dst []float64) { m.game.plan.Rewards(&m.State, dst) }

// Outcome writes how the game ended for each seat.
func (m *Match) Outcome(dst []float64) { m.game.plan.Outcome(&m.State, dst) }

// Mask allows everything: nothing on a torus stops a move, and a bomb can be
// planted anywhere.
func (m *Match) Mask(_ int, dst []uint8) {
	for i := range dst[:numActions] {
		dst[i] = 1
	}
}

// Observe writes the observations of the given seats.
func (m *Match) Observe(encoding int, seats []uint8, dst [][]byte) {
	if encoding == encodingPlanes {
		m.game.observePlanes(&m.State, seats, dst[0], dst[1])
		return
	}
	m.game.observeRaw(&m.State, seats, dst[0], dst[1])
}

// View fills v with what seat may know.
func (m *Match) View(seat int, v *View) { m.game.plan.See(&m.State, seat, v) }

// player seats a Bot: env.Agent that shows the bot its view and nothing else.
type player struct {
	game *Game
	bot  Bot
}

func (p *player) Reset(rng env.RNG) { p.bot.Reset(rng) }

func (p *player) Reseed(rng env.RNG) { p.bot.Reseed(rng) }

func (p *player) Act(m env.Match, seat int, action []uint8) {
	v := p.game.views.Get().(*View)
	m.(*Match).View(seat, v)
	p.bot.Act(v, action)
	p.game.views.Put(v)
}

// Searched is what a bot that searches says of its last move: env.Searcher.
func (p *player) Searched() uint64 {
	if s, ok := p.bot.(env.Searcher); ok {
		return s.Searched()
	}
	return 0
}

func (p *player) Append(dst []byte) []byte { return p.bot.Append(dst) }

func (p *player) Restore(state []byte) error { return p.bot.Restore(state) }

// weigher is a player whose bot tells what it chose by.
type weigher struct {
	*player
	env.SearchReporter
}
