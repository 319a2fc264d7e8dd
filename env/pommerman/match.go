package pommerman

import (
	"encoding/binary"
	"fmt"
	"sync"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
	"pommego/env/saved"
	"pommego/env/seat"
)

// Game is Pommerman with one set of rules: env.Game.
type Game struct {
	seat.Common[Match, View, *Match]
	rules  Rules
	layout *layout
	form   *saved.Form[State, Snapshot]

	// What the encodings look up instead of working it out each time.
	cells  []grid.Cell // the cells of the board, row after row
	flatAt [256]uint8  // by cell: its index in cells
	sights []sight     // by index: what is seen from the cell
	shares *shares
	of     [MaxAgents]relations
	sizes  [2][2]int // bytes of the maps and the vector of each encoding
	near   *NearForm
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

// undealt makes a game that can be played and observed, but not dealt: no boards are
// made for its rules.
func undealt(rules Rules) *Game {
	g := &Game{rules: rules, form: rules.Form(), cells: grid.Cells(rules.BoardSize),
		sights: rules.sights(), shares: rules.shares()}
	g.near = g.rules.NearForm()
	for i, c := range g.cells {
		g.flatAt[c] = uint8(i)
	}
	for seat := range rules.Seats() {
		g.of[seat] = rules.relationsOf(seat)
	}
	g.Describe(env.Spec{
		Game: "pommerman", Version: rules.Traits().version,
		Seats: rules.Seats(), Teams: rules.teams(), Elimination: true, MaxSteps: rules.lastStep(),
		Actions:   rules.actions(),
		Encodings: g.encodings(),
		State:     g.stateFields(),
		Rules:     rules, Counts: rules.counts(),
		Training: env.SeatSet(1 << (rules.TrainingAgent + 1) >> 1), // none for NoSeat
	}, Match{game: g})
	g.sizes = observe.Sizes(g.Spec().Encodings)
	return g
}

// NewMatch makes a match by rules by which no board need be dealt. Set its State before use.
func NewMatch(rules Rules) *Match { return &Match{game: undealt(rules)} }

// The encodings' indices.
const (
	encodingPlanes = iota
	encodingRaw
	encodingNear
	encodingUnfogged // only in games with fog
)

func (g *Game) encodings() []env.Encoding {
	fog := g.rules.ViewSize != 0
	all := []env.Encoding{encodingPlanes: g.planesEncoding(), encodingRaw: g.rawEncoding("raw", !fog),
		encodingNear: g.nearEncoding()}
	if fog {
		all = append(all, g.rawEncoding("unfogged", true))
	}
	return all
}

// Rules is the game's rules. The caller must not change them.
func (g *Game) Rules() *Rules { return &g.rules }

// Deal starts a new episode in s.
func (g *Game) Deal(s *State, seed env.Seed) {
	rng := seed.RNG(env.StreamBoard)
	w := g.layout.drawWalls(s, &rng)
	g.layout.hideItems(s, w.wood, &rng)
	s.RNG = seed.RNG(env.StreamGame)
	s.training = int8(g.rules.TrainingAgent + 1)
}

// Match is one running game: env.Match over a State. What has no comment here has one there.
type Match struct {
	State
	game *Game
}

func (m *Match) Game() env.Game       { return m.game }
func (m *Match) Reset(seed env.Seed)  { m.game.Deal(&m.State, seed) }
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

// SetTrainingSeat sets the seat whose death also ends the game.
func (m *Match) SetTrainingSeat(seat int) {
	if seat < 0 {
		seat = m.game.rules.TrainingAgent
	}
	if !m.game.rules.Teams() {
		m.training = int8(seat + 1)
	}
}

func (m *Match) Step(actions []uint8) { m.game.rules.Step(&m.State, actions) }
func (m *Match) Over() bool           { return m.game.rules.Over(&m.State) }
func (m *Match) Status() env.Status   { return m.game.rules.Status(&m.State) }

// Rewards writes what the reference pays each seat in this step.
func (m *Match) Rewards(dst []float64) { m.game.rules.Rewards(&m.State, dst) }

// Outcome writes how the game ended for the seats whose fate is decided: what
// the reference pays in the step that decides it.
func (m *Match) Outcome(dst []float64) {
	m.game.rules.outcome(&m.State, dst)
}

// Mask writes which moves would do something. A move into a wall or off the board does what stop does.
// So does a move against a bomb that lies there and that the seat cannot kick, and laying a bomb
// without ammo or, if a cell cannot hold two, onto another. What the seat does not see counts as what lets
// a move do something. By radio a living seat may send any word.
func (m *Match) Mask(seat int, dst []uint8) {
	r, agent := &m.game.rules, &m.Agents[seat]
	moves := dst[:numActions]
	if r.RadioWords > 0 {
		r.maskWords(agent.Alive, dst[numActions:])
	}
	if !agent.Alive {
		(Moves(1) << Stop).write(moves)
		return
	}
	legal, bombs := r.walks(&m.Board, agent.Cell)
	legal &^= m.idle(agent.Cell, bombs) & -Moves(toByte(!agent.Kicks)) // a branch here would cost more than idle
	legal |= r.unseen(&m.Board, agent.Cell)
	if r.mayLay(agent, int(m.StepCount)) && (r.Traits().BombsStack || !m.BombAt(agent.Cell)) {
		legal = legal.With(LayBomb)
	}
	legal.write(moves)
}

// maskWords writes which words may be sent.
func (r *Rules) maskWords(alive bool, dst []uint8) {
	for word := range r.RadioWords {
		choices := dst[word*(r.RadioVocab+1):][:r.RadioVocab+1]
		for v := range choices {
			choices[v] = toByte(v == 0 || alive)
		}
	}
}

// walks returns the moves from a cell that do not lead into walls, and those of them that lead to what shows as a
// bomb.
func (r *Rules) walks(board *[256]Item, from grid.Cell) (walks, bombs Moves) {
	both := leads[board[from.Next(grid.Up)]&15]<<grid.Up | leads[board[from.Next(grid.Down)]&15]<<grid.Down |
		leads[board[from.Next(grid.Left)]&15]<<grid.Left | leads[board[from.Next(grid.Right)]&15]<<grid.Right
	return Moves(both) | 1<<Stop, Moves(both >> 8)
}

// unseen returns the moves of which a seat may not see from a cell what they do: those to cells in fog, and to bombs
// beside such cells, where an agent may stand.
func (r *Rules) unseen(board *[256]Item, from grid.Cell) (moves Moves) {
	if r.ViewSize == 0 || r.ViewSize > 2 { // it sees two cells each way
		return 0
	}
	fog := grid.Square(r.BoardSize).AndNot(r.window(from))
	near := fog.Grow()
	for _, d := range grid.Dirs {
		if to := from.Next(d); fog.Has(to) || board[to] == BombItem && near.Has(to) {
			moves |= 1 << d
		}
	}
	return moves
}

// idle returns those of the moves to bombs that do nothing if the agent cannot kick: the
// bomb lies still, and there is no other agent beside it whose kick the agent would prevent.
func (m *Match) idle(self grid.Cell, bombs Moves) Moves {
	if m.mayRoll() {
		for i := range m.bombs() {
			if b := &m.Bombs[i]; b.Moving() != grid.Stay {
				bombs &^= oneStep[b.Cell-self]
			}
		}
	}
	a, t := &m.Agents, m.game.rules.Traits()
	crowded := a[0].beside(self) | a[1].beside(self) | a[2].beside(self) | a[3].beside(self)
	return bombs & t.blocks &^ (crowded & t.jostle)
}

// mayRoll reports whether a bomb may roll. It checks four bombs without a loop, because most states have no more.
func (s *State) mayRoll() bool {
	b := &s.Bombs
	return s.NumBombs > 4 || b[0].Moving()|b[1].Moving()|b[2].Moving()|b[3].Moving() != grid.Stay
}

// beside returns the moves from another agent's cell to cells that this agent is beside, none if this agent is dead.
func (a *Agent) beside(other grid.Cell) Moves {
	return twoSteps[a.Cell-other] & -Moves(toByte(a.Alive))
}

// mayLay reports whether an agent has a bomb to lay, or may have when it moves.
func (r *Rules) mayLay(agent *Agent, step int) bool {
	return agent.Ammo > 0 || r.FirstCollapse != NoCollapse && r.ringFalls(step)
}

// write writes a byte for each move.
func (m Moves) write(dst []uint8) {
	all := observe.Spread[m]
	binary.LittleEndian.PutUint32(dst, uint32(all))
	binary.LittleEndian.PutUint16(dst[4:], uint16(all>>32))
}

// ringFalls reports whether a ring falls before anybody moves. Its fall may give an agent a bomb back.
func (r *Rules) ringFalls(step int) bool {
	return r.Traits().ringsWait && r.ringDue(step) >= 0
}

// oneStep has, by the difference of two cells, the move from one to the other. twoSteps has the moves that lead to a
// neighbour of the other cell.
var oneStep, twoSteps = func() (one, two [256]Moves) {
	for _, d := range grid.Dirs {
		next := grid.Cell(0).Next(d)
		one[next] = Moves(1) << d
		for _, e := range grid.Dirs {
			two[next.Next(e)] |= Moves(1) << d
		}
	}
	two[0] = 0 // the agent itself
	return one, two
}()

// leads has for each item bits that say whether it is no wall, and 8 bits higher whether it is a bomb.
var leads = func() (all [16]uint16) {
	for item := range all {
		all[item] = uint16(toByte(!Item(item).wall()))
	}
	all[BombItem] |= 1 << 8
	return all
}()

func (m *Match) Observe(encoding int, seats []uint8, dst [][]byte) {
	switch encoding {
	case encodingPlanes:
		m.game.observePlanes(&m.State, seats, dst[0], dst[1])
	case env.GlobalState:
		m.game.observeState(&m.State, dst[0], dst[1])
	case encodingNear:
		m.observeNear(seats, dst, nil)
	default:
		m.game.observeRaw(&m.State, seats, dst, encoding == encodingRaw && m.game.rules.ViewSize != 0)
	}
}

// ObserveSafely does what Observe does, and writes for each seat which moves are safe, instead of which are legal.
func (m *Match) ObserveSafely(encoding int, seats []uint8, dst [][]byte, masks []byte) {
	if encoding == encodingNear {
		m.observeNear(seats, dst, masks)
		return
	}
	m.Observe(encoding, seats, dst)
	m.observeNear(seats, nil, masks)
}

// watcher holds what a seat sees, and its safety. It is lent while observations are written.
type watcher struct {
	View
	Safety
}

var watchers = sync.Pool{New: func() any { return new(watcher) }}

// observeNear writes the encoding near, unless dst is nil, and masks of safe moves, unless masks is nil.
func (m *Match) observeNear(seats []uint8, dst [][]byte, masks []byte) {
	w := watchers.Get().(*watcher)
	defer watchers.Put(w)
	v, s := &w.View, &w.Safety
	r := &m.game.rules
	all, board := r.survey(&m.Board), grid.Square(r.BoardSize)
	for i, seat := range seats {
		m.View(int(seat), v)
		if s.v = v; r.fogged() {
			all.within(&v.inView, &board, &s.cells)
		} else {
			s.cells = all
		}
		if i == 0 || r.fogged() { // without fog all seats see the same
			s.Stays.Foresee(v, Stop)
		}
		if dst != nil {
			p, n := len(dst[0])/len(seats), len(dst[1])/len(seats)
			m.game.near.Draw(s, dst[0][i*p:][:p], dst[1][i*n:][:n])
		}
		if masks != nil {
			width := len(masks) / len(seats)
			if r.RadioWords > 0 {
				m.Mask(int(seat), masks[i*width:][:width])
			}
			s.Moves().write(masks[i*width:])
		}
	}
}

// View fills v with what seat may know.
func (m *Match) View(seat int, v *View) { m.game.rules.See(&m.State, seat, v) }
