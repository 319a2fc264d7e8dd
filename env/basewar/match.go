package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
	"pommego/env/saved"
	"pommego/env/seat"
)

// Game is BaseWar with one set of rules: env.Game. It is safe for concurrent
// use.
type Game struct {
	seat.Common[Match, View, *Match]
	rules  Rules
	layout *layout
	form   *saved.Form[State, Snapshot]

	actionAt [NumBombers]uint8 // by bomber: the index of its action among those of all seats
	bases    [2]grid.Cell
	off      grid.Bits // cells off the board
	fixed    grid.Bits // cells off the board and the bases

	encoder encoder
}

// Bot is an agent for one seat, written against its view alone. Package bots has the
// built-in ones. New takes them as an argument, because package bots imports this one.
type Bot = seat.Bot[View]

// New makes the game with the given id and rules.
func New(id, description string, rules Rules, bots seat.Roster[View]) (*Game, error) {
	if err := rules.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g := undealt(rules)
	l, err := newLayout(&g.rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g.layout = l
	g.Open(id, description, bots)
	g.form.ID = id
	return g, nil
}

// undealt makes a game that can be played and observed, but has no maps to deal. Its
// rules must be valid.
func undealt(rules Rules) *Game {
	g := &Game{rules: rules, form: rules.form()}
	for seat := range rules.Seats() {
		own := rules.Own(seat)
		for i, id := range own {
			g.actionAt[id] = uint8(seat*len(own) + i)
		}
	}
	board := grid.Square(rules.BoardSize)
	g.off = grid.Bits{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}.AndNot(board)
	g.fixed = g.off
	for side := range g.bases {
		g.bases[side] = rules.Base(Side(side))
		g.fixed.Add(g.bases[side])
	}
	g.encoder = newEncoder(&g.rules)
	g.Describe(env.Spec{
		Game: "basewar", Version: Version,
		Seats: rules.Seats(), Teams: rules.teams(), Elimination: !rules.Sides, MaxSteps: rules.MaxSteps,
		Actions:   rules.actions(),
		Encodings: []env.Encoding{encodingPlanes: g.planesEncoding(), encodingRaw: g.rawEncoding()},
		State:     g.stateFields(),
		Rules:     rules, Counts: countNames,
	}, Match{game: g})
	g.encoder.sizes = observe.Sizes(g.Spec().Encodings)
	return g
}

// The encodings' indices.
const (
	encodingPlanes = iota
	encodingRaw
)

// Rules is the game's rules. The caller must not change them.
func (g *Game) Rules() *Rules { return &g.rules }

// ActionAt returns the index of a bomber's action among those of all seats.
func (g *Game) ActionAt(id int) int { return int(g.actionAt[id]) }

// Deal starts a new episode in s.
func (g *Game) Deal(s *State, seed env.Seed) {
	rng := seed.RNG(env.StreamBoard)
	g.layout.deal(s, &rng)
	s.RNG = seed.RNG(env.StreamGame)
}

// Match is one running game: env.Match over a State. What has no comment here has one there.
type Match struct {
	State
	game *Game
}

func (m *Match) Game() env.Game       { return m.game }
func (m *Match) Reset(seed env.Seed)  { m.game.Deal(&m.State, seed) }
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

// SetTrainingSeat does nothing: sides win and lose together.
func (m *Match) SetTrainingSeat(int)  {}
func (m *Match) Step(actions []uint8) { m.game.Step(&m.State, actions) }
func (m *Match) Over() bool           { return m.game.rules.Over(&m.State) }
func (m *Match) Status() env.Status   { return m.game.rules.Status(&m.State) }

// Rewards writes for each seat by how much the lead in points of its side grew in the
// last round.
func (m *Match) Rewards(dst []float64) {
	for seat := range m.game.rules.Seats() {
		side := SideOf(seat)
		dst[seat] = float64(m.Gained[side]) - float64(m.Gained[side.Other()])
	}
}

// Outcome writes +1 for winners, -1 for losers, 0 for a draw. Before the game is over,
// it writes what the outcome would be if the game ended now.
func (m *Match) Outcome(dst []float64) { env.Outcome(m.game.rules.leaders(&m.State), dst) }

// Mask writes which moves have an effect. A move into something that cannot be entered
// does what stop does. So does laying a bomb without having one, or onto another bomb.
func (m *Match) Mask(seat int, dst []uint8) {
	for i, id := range m.game.rules.Own(seat) {
		m.game.Legal(&m.State, int(id), (*[NumActions]uint8)(dst[i*int(NumActions):]))
	}
}

// Legal writes 1 for each action of a bomber that has an effect, and for stop.
func (g *Game) Legal(s *State, id int, dst *[NumActions]uint8) {
	b := &s.Bombers[id]
	*dst = [NumActions]uint8{Stop: 1}
	if !b.Alive() {
		return
	}
	bombs := s.bombCells()
	for d := grid.Up; d <= grid.Right; d++ {
		c := b.Cell.Next(d)
		w, bit := c>>6, c&63
		closed := s.Stones[w] | s.Boxes[w] | g.fixed[w] | bombs[w]
		dst[d] = uint8(^closed >> bit & 1)
	}
	dst[LayBomb] = toByte(b.Bombs > 0 && !bombs.Has(b.Cell))
}

func (m *Match) Observe(encoding int, seats []uint8, dst [][]byte) {
	switch encoding {
	case encodingPlanes:
		m.game.observePlanes(&m.State, seats, dst[0], dst[1])
	case encodingRaw:
		m.game.observeRaw(&m.State, seats, dst)
	case env.GlobalState:
		m.game.observeState(&m.State, dst[0], dst[1])
	}
}

// View is what one seat may know, for agents written in Go: everything but the
// RNG.
type View struct {
	Game  *Game
	Seat  int
	State State
}

// View fills v with what seat may know.
func (m *Match) View(seat int, v *View) {
	v.Game, v.Seat, v.State = m.game, seat, m.State
	v.State.RNG = env.RNG{}
}
