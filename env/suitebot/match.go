package suitebot

import (
	"fmt"
	"slices"
	"time"

	"pommego/env"
	"pommego/env/observe"
	"pommego/env/ruleset"
	"pommego/env/saved"
	"pommego/env/seat"
)

// Game is SuiteBot II with one set of rules, and all that follows from them: each field's neighbours on the
// torus, the fields that a bomb reaches, where home bases can be. It is env.Game, read-only and shared by every
// goroutine.
type Game struct {
	seat.Common[Match, View, *Match]
	rules   Rules
	cells   int
	words   int // how many words of a Cells are in use
	next    [][8]Cell
	reaches []uint64 // by field, so many words: the fields that a bomb there reaches
	all     Cells
	sights  []uint64 // the same for the fields seen from there; nil: everything
	places  []place
	seated  lanes  // the lanes of the players in the game
	lattice []Cell // the home bases before they are shifted
	nearest []step // the ways from any field to all others, the nearest first
	most    int    // how many fields a bomb reaches at most
	form    *saved.Form[State, Snapshot]

	// What the encodings look up instead of computing it each time.
	col, row [256]float32 // by column and row: its share of the last one
	point    float32      // what a point is worth
	sizes    [2][2]int    // bytes of the maps and the vector of each encoding
}

// Bot is an agent for one seat, written against its view alone. Package bots has the
// built-in ones. New takes them as an argument, because package bots imports this one.
type Bot = seat.Bot[View]

// New makes the game with the given id and rules.
func New(id, description string, rules Rules, bots seat.Roster[View]) (*Game, error) {
	g, err := newGame(rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g.Open(id, description, bots)
	g.form.ID = id
	return g, nil
}

// newGame makes a game without a name or agents.
func newGame(rules Rules) (*Game, error) {
	if err := rules.Validate(); err != nil {
		return nil, err
	}
	g := &Game{rules: rules, cells: rules.Width * rules.Height,
		col: observe.Shares(rules.Width - 1), row: observe.Shares(rules.Height - 1)}
	g.plan()
	g.form, g.point = g.newForm(), 1/float32(g.cells)
	g.Describe(env.Spec{
		Game: "suitebot", Version: Version,
		Seats: rules.Players, Teams: ruleset.Alone(rules.Players), MaxSteps: rules.Rounds,
		Actions:   []env.Choice{{Name: "move", N: int(numActions), Names: actionNames[:]}},
		Encodings: append([]env.Encoding{encodingPlanes: g.planesEncoding()}, g.rawEncodings()...),
		State:     g.stateFields(),
		Rules:     rules, Counts: countNames,
	}, Match{game: g})
	g.sizes = observe.Sizes(g.Spec().Encodings)
	return g, nil
}

// The encodings' indices.
const (
	encodingPlanes = iota
	encodingRaw
	encodingUnfogged // only with rules that have a ViewRadius
)

// Clock returns the contest's times: after the first a move is forfeited, after the second the program is not asked
// again.
func (g *Game) Clock() (limit, giveUp time.Duration) { return 200 * time.Millisecond, time.Second }

// Rules is the game's rules. The caller must not change them.
func (g *Game) Rules() *Rules { return &g.rules }

// Match is one running game: env.Match over a State. What has no comment here has one there.
type Match struct {
	State
	game *Game
}

func (m *Match) Game() env.Game       { return m.game }
func (m *Match) Reset(seed env.Seed)  { m.game.Deal(&m.State, seed) }
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

// SetTrainingSeat does nothing: nobody drops out.
func (m *Match) SetTrainingSeat(int)  {}
func (m *Match) Step(actions []uint8) { m.game.Step(&m.State, actions) }
func (m *Match) Over() bool           { return m.game.Over(&m.State) }
func (m *Match) Status() env.Status   { return m.game.Status(&m.State) }

// Rewards writes the points that each seat got in the last round.
func (m *Match) Rewards(dst []float64) {
	for seat, gain := range m.Gains[:m.game.rules.Players] {
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

func (m *Match) Observe(encoding int, seats []uint8, dst [][]byte) {
	switch encoding {
	case encodingPlanes:
		m.game.observePlanes(&m.State, seats, dst[0], dst[1])
	case env.GlobalState:
		m.game.observeState(&m.State, dst[0], dst[1])
	default:
		m.game.observeRaw(&m.State, seats, dst[0], dst[1], encoding == encodingRaw && m.game.sights != nil)
	}
}

// View fills v with what seat may know.
func (m *Match) View(seat int, v *View) { m.game.See(&m.State, seat, v) }

// Over reports whether the last round has been played.
func (g *Game) Over(s *State) bool { return int(s.StepCount) >= g.rules.Rounds }

// Status reports the state of play. Nobody drops out.
func (g *Game) Status(s *State) env.Status {
	all := env.AllSeats(g.rules.Players)
	st := env.Playing(all, int(s.StepCount))
	if !g.Over(s) {
		return st
	}
	first := g.first(s)
	if first.Len() > 1 && (first == all || !g.rules.SharedFirst) {
		first = 0
	}
	return st.Ended(all, first)
}

func (g *Game) first(s *State) (seats env.SeatSet) {
	best := slices.Max(s.Scores[:g.rules.Players])
	for seat, score := range s.Scores[:g.rules.Players] {
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
	Game  *Game
	Seat  int
	State State
	Sight Cells // the fields in sight
}

// See fills v with what seat sees. Points, home bases and what is counted for each
// player are known to all.
func (g *Game) See(s *State, seat int, v *View) {
	v.Game, v.Seat = g, seat
	v.State = *s
	v.State.RNG = env.RNG{}
	v.Sight = g.sight(s.Agents[seat])
	if g.sights == nil {
		return
	}
	seen := &v.State
	seen.Spent, seen.Blast = s.Spent.And(&v.Sight), s.Blast.And(&v.Sight)
	for other, at := range s.Agents[:g.rules.Players] {
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
