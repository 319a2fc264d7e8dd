package suitebot

import (
	"fmt"
	"time"

	"pommego/env"
	"pommego/env/observe"
	"pommego/env/record"
	"pommego/env/saved"
	"pommego/env/seat"
)

// Game is SuiteBot II with one set of rules: env.Game.
type Game struct {
	seat.Common[Match, View, *Match]
	plan *Plan
	form *saved.Form[State, Snapshot]

	// What the encodings look up instead of computing it each time.
	col, row [256]float32 // as shares of the last one
	point    float32      // what a point is worth
	sizes    [2][2]int    // bytes of the maps and the vector of each encoding
}

// Bot is an agent for one seat, written against its view alone. Package bots has
// the built-in ones; they are handed in because bots know the game and not the
// other way round.
type Bot = seat.Bot[View]

// New makes the game with the given id and rules.
func New(id, description string, rules Rules, bots seat.Roster[View]) (*Game, error) {
	plan, err := NewPlan(rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g := gameOf(plan)
	g.Open(id, description, bots)
	g.form.ID = id
	return g, nil
}

// gameOf is the game on a plan, without a name or agents.
func gameOf(plan *Plan) *Game {
	r := plan.Rules()
	g := &Game{
		plan: plan, form: plan.form(),
		col: observe.Shares(r.Width - 1), row: observe.Shares(r.Height - 1), point: 1 / float32(plan.cells),
	}
	g.Describe(env.Spec{
		Game: "suitebot", Version: Version,
		Seats: r.Players, Teams: r.teams(), MaxSteps: r.Rounds,
		Actions:   r.actions(),
		Encodings: append([]env.Encoding{encodingPlanes: g.planesEncoding()}, g.rawEncodings()...),
		State:     g.stateFields(),
		Rules:     *r, Counts: countNames,
	}, Match{game: g})
	g.sizes = observe.Sizes(g.Spec().Encodings)
	return g
}

// Formats are the forms of recorded games that can be checked and shown.
var Formats = []record.Format{Recorded}

// The encodings' indices.
const (
	encodingPlanes = iota
	encodingRaw
	encodingUnfogged // of rules with a view
)

// The times of the contest, which its document sets for programs.
const (
	MoveLimit = 200 * time.Millisecond // longer, and the move is forfeited: hold
	GiveUp    = time.Second            // longer, and the program is not asked again: hold to the end
)

// Clock is the contest's clock.
func (g *Game) Clock() (limit, giveUp time.Duration) { return MoveLimit, GiveUp }

// Collapsing is the game itself: its board does not shrink.
func (g *Game) Collapsing() env.Game { return g }

// Plan is the game plan: the rules and what follows from them.
func (g *Game) Plan() *Plan { return g.plan }

// Match is one running game: env.Match over a State.
type Match struct {
	State
	game *Game
}

// Game is the game that is played.
func (m *Match) Game() env.Game { return m.game }

// Reset starts a new episode.
func (m *Match) Reset(seed env.Seed) { m.game.plan.Deal(&m.State, seed) }

// Reseed replaces the RNG.
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

// SetTrainingSeat does nothing: nobody drops out.
func (m *Match) SetTrainingSeat(int) {}

// Step plays one round.
func (m *Match) Step(actions []uint8) { m.game.plan.Step(&m.State, actions) }

// Over reports whether the game has ended.
func (m *Match) Over() bool { return m.game.plan.Over(&m.State) }

// Status reports the state of play.
func (m *Match) Status() env.Status { return m.game.plan.Status(&m.State) }

// Rewards writes the points that each seat got in the last round.
func (m *Match) Rewards(dst []float64) {
	for seat, gain := range m.Gains[:m.game.plan.rules.Players] {
		dst[seat] = float64(gain)
	}
}

// Outcome writes +1 for seats that have won, -1 for seats that have lost, 0 for all in a tie.
func (m *Match) Outcome(dst []float64) { env.Outcome(m.Status().Winners, dst) }

// Mask allows everything: nothing blocks a move on a torus, and a bomb can be
// planted anywhere.
func (m *Match) Mask(_ int, dst []uint8) {
	for i := range dst[:numActions] {
		dst[i] = 1
	}
}

// Observe writes the observations of the given seats.
func (m *Match) Observe(encoding int, seats []uint8, dst [][]byte) {
	switch encoding {
	case encodingPlanes:
		m.game.observePlanes(&m.State, seats, dst[0], dst[1])
	case env.GlobalState:
		m.game.observeState(&m.State, dst[0], dst[1])
	default:
		m.game.observeRaw(&m.State, seats, dst[0], dst[1], encoding == encodingRaw && m.game.plan.sights != nil)
	}
}

// View fills v with what seat may know.
func (m *Match) View(seat int, v *View) { m.game.plan.See(&m.State, seat, v) }

// Over reports whether the last round has been played.
func (p *Plan) Over(s *State) bool { return int(s.StepCount) >= p.rules.Rounds }

// Status reports the state of play. Nobody drops out.
func (p *Plan) Status(s *State) env.Status {
	all := env.AllSeats(p.rules.Players)
	st := env.Status{In: all, Steps: int(s.StepCount), Result: env.Incomplete}
	if !p.Over(s) {
		return st
	}
	st.Over, st.Decided, st.Result = true, all, env.Tie
	if first := p.first(s); first.Len() == 1 || first != all && p.rules.SharedFirst {
		st.Result, st.Winners = env.Win, first
	}
	return st
}

func (p *Plan) first(s *State) (seats env.SeatSet) {
	best := s.Scores[0]
	for _, score := range s.Scores[:p.rules.Players] {
		best = max(best, score)
	}
	for seat, score := range s.Scores[:p.rules.Players] {
		if score == best {
			seats = seats.With(seat)
		}
	}
	return seats
}

// View is what one seat may know, for agents written in Go: the state as the
// seat sees it, which is all of it but the RNG unless the rules have a
// ViewRadius. Then bombs out of sight are left out, agents out of sight are at
// NoCell, and fields out of sight are not Spent.
type View struct {
	Plan  *Plan
	Seat  int
	State State
	Sight Cells // the fields in sight
}

// See fills v with what seat sees. Points, home bases and what is counted of
// each player are known to all.
func (p *Plan) See(s *State, seat int, v *View) {
	v.Plan, v.Seat = p, seat
	v.State = *s
	v.State.RNG = env.RNG{}
	v.Sight = p.sight(s.Agents[seat])
	if p.sights == nil {
		return
	}
	seen := &v.State
	seen.Spent, seen.Blast = s.Spent.And(&v.Sight), s.Blast.And(&v.Sight)
	for other, at := range s.Agents[:p.rules.Players] {
		if !v.Sight.Has(at) {
			seen.Agents[other] = NoCell
		}
	}
	for k := range seen.fuses {
		for owner, f := range seen.fuses[k] {
			if f != 0 && !v.Sight.Has(f.cell()) {
				seen.fuses[k][owner] = 0
			}
		}
	}
}
