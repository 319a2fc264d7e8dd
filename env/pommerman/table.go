package pommerman

import (
	"fmt"
	"strings"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// mostOfBomb is the most blast strength and life of a state. Clients take bytes up to 254 for planes, and no game
// comes near.
const mostOfBomb = 254

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// digits are the base-36 digits that stand for numbers in recorded maps.
const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// Snapshot is the readable form of a state, which recorded games show. Cells are
// [row, column], the board has a base-36 digit for each cell, booleans are 0 or 1.
type Snapshot struct {
	StepCount int        `json:"step_count"`
	Board     saved.Map  `json:"board"`
	Agents    saved.Rows `json:"agents"`
	Bombs     saved.Rows `json:"bombs"`
	Flames    saved.Rows `json:"flames"` // oldest first, then row by row
	Items     saved.Rows `json:"items"`
	Radio     saved.Rows `json:"radio,omitempty"`   // the words that each agent sent in the last step
	Results   []int      `json:"results,omitempty"` // results by the Java rules, once there are any

	// Not in recorded games.
	Due      int       `json:"ring_due,omitzero"`       // the ring that is due, -1 for none
	Training int       `json:"training_agent,omitzero"` // the seat whose death ends the game, -1 for none
	RNG      saved.RNG `json:"dice,omitzero"`
}

// Form returns the form of the game's states: what saved states and recorded games
// hold, and in which ranges.
func (r *Rules) Form() *saved.Form[State, Snapshot] {
	n, seats, last := r.BoardSize, r.Seats(), Kick
	if r.Skulls {
		last = Skull
	}
	row, col := saved.Col("row", 0, n-1), saved.Col("col", 0, n-1)
	blast := saved.Col("blast_strength", r.leastBlast(), mostOfBomb)
	alive, ammo, kick := saved.Col("alive", 0, 1), saved.Col("ammo", 0, 255), saved.Col("can_kick", 0, 1)
	bomber, direction := saved.Col("bomber", 0, seats-1), saved.Col("direction", 0, int(grid.Right))
	columns := map[string][]saved.Column{
		"step_count": {saved.Col("", 0, r.lastStep())},
		"agents":     {row, col, alive, ammo, blast, kick},
		"bombs":      {row, col, saved.Col("life", 1, mostOfBomb), blast, bomber, direction},
		"flames":     {row, col, saved.Col("life", 0, r.FlameLife-1)},
		"items":      {row, col, saved.Col("item", int(ExtraBomb), int(last))},
		"results":    {saved.Col("", int(env.Win), int(env.Incomplete))},

		"ring_due":       {saved.Col("", -1, r.ringsDue()-1)},
		"training_agent": {saved.Col("", -1, seats-1)},
	}
	for w := range r.RadioWords {
		columns["radio"] = append(columns["radio"], saved.Col(fmt.Sprintf("word%d", w), 0, 255))
	}
	return &saved.Form[State, Snapshot]{
		Header: saved.Header{Game: "pommerman", Format: stateFormat,
			Rules: ruleset.Fingerprint("pommerman", r.Traits().version, r)},
		Shape: saved.Shape{Columns: columns, Cell: func(i int) (int, int) { return i / n, i % n }},
		Code:  r.code, Show: r.show, Take: r.take, Invariants: r.invariants,
	}
}

func (r *Rules) ringsDue() int {
	if !r.Traits().ringsWait {
		return 0
	}
	return len(r.Collapses())
}

// leastBlast is the least blast strength of a state. In 2018 no blast strength fell below 2, unless agents start with
// less or items lead to no more; a bomb of strength 1 that rolled into flames would have stayed on the board.
func (r *Rules) leastBlast() int { return min(r.StartBlast, r.MaxBlast, r.Traits().leastBlast) }

func (r *Rules) show(s *State, t *Snapshot) {
	t.StepCount, t.Due, t.Training, t.RNG = int(s.StepCount), int(s.due)-1, int(s.training)-1, saved.RNG(s.RNG)
	t.Board.Draw(r.BoardSize*r.BoardSize, digits, func(i int) int { return int(s.Board[r.cell(i)]) })
	t.Agents, t.Bombs, t.Flames = t.Agents[:0], t.Bombs[:0], t.Flames[:0]
	t.Items, t.Radio, t.Results = t.Items[:0], t.Radio[:0], nil
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		t.Agents.Add(a.Cell.Row(), a.Cell.Col(), int(toByte(a.Alive)), int(a.Ammo), int(a.Blast), int(toByte(a.Kicks)))
		if words := s.Radio[seat][:r.RadioWords]; len(words) > 0 {
			t.Radio.Add(saved.Ints(words)...)
		}
	}
	for i := range s.bombs() {
		b := &s.Bombs[i]
		t.Bombs.Add(b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), b.Owner(), int(b.Moving()))
	}
	for life := range s.flames {
		for c := range s.flames[life].All {
			t.Flames.Add(c.Row(), c.Col(), life)
		}
	}
	for c := range s.hidden[0].Or(s.hidden[1]).Or(s.hidden[2]).All {
		t.Items.Add(c.Row(), c.Col(), int(s.Hidden(c)))
	}
	if s.results != 0 {
		t.Results = s.resultRow()
	}
}

func (r *Rules) take(t *Snapshot) State {
	s := State{Board: walled, StepCount: uint16(t.StepCount), due: int8(t.Due + 1), training: int8(t.Training + 1),
		RNG: env.RNG(t.RNG)}
	for i := range min(len(t.Board), r.BoardSize*r.BoardSize) {
		s.Board[r.cell(i)] = Item(strings.IndexByte(digits, t.Board[i]))
	}
	for i, v := range t.Agents[:min(len(t.Agents), r.Seats())] {
		s.Agents[i] = Agent{grid.At(v[0], v[1]), uint8(v[3]), uint8(v[4]), v[2] != 0, v[5] != 0}
	}
	for _, v := range t.Bombs {
		s.addBomb(NewBomb(grid.At(v[0], v[1]), uint8(v[2]), uint8(v[3]), v[4], grid.Dir(v[5])))
	}
	for _, v := range t.Flames {
		s.flames[v[2]].Add(grid.At(v[0], v[1]))
	}
	for _, v := range t.Items {
		s.Hide(grid.At(v[0], v[1]), Item(v[2]))
	}
	for i, words := range t.Radio[:min(len(t.Radio), r.Seats())] {
		for w, word := range words[:min(len(words), r.RadioWords)] {
			s.Radio[i][w] = uint8(word)
		}
	}
	if r.Traits().results {
		for i, v := range t.Results[:min(len(t.Results), MaxAgents)] {
			s.results.set(1<<i, map[env.Result]results{env.Win: resultWin, env.Tie: resultTie}[env.Result(v)])
		}
	}
	return s
}

func (s *State) resultRow() (row []int) {
	for i := range MaxAgents {
		row = append(row, int(s.result(i)))
	}
	return row
}

// cell returns the cell with an index in a map.
func (r *Rules) cell(i int) grid.Cell { return grid.At(i/r.BoardSize, i%r.BoardSize) }

// code writes or reads the parts of a state in the order of its bytes.
func (r *Rules) code(s *State, c *saved.Codec) {
	saved.List(c, s.Board[:])
	for i := range s.flames {
		saved.List(c, s.flames[i][:])
	}
	for i := range s.hidden {
		saved.List(c, s.hidden[i][:])
	}
	s.codeBombs(c)
	for i := range s.Agents {
		s.Agents[i].code(c)
		saved.List(c, s.Radio[i][:])
	}
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.due, &s.training)
	saved.Numbers(c, &s.RNG.State)
	if r.Traits().results {
		saved.Numbers(c, &s.results)
	}
}

func (s *State) codeBombs(c *saved.Codec) {
	c.Len("bombs", &s.NumBombs, MaxBombs)
	saved.Blocks(c, s.bombs())
}

func (a *Agent) code(c *saved.Codec) {
	flags := toByte(a.Alive) | toByte(a.Kicks)<<1
	saved.Numbers(c, &a.Cell)
	saved.Numbers(c, &a.Ammo, &a.Blast, &flags)
	if flags > 3 {
		c.Fail("has flags %#x for an agent, want at most 3", flags)
	}
	a.Alive, a.Kicks = flags&1 != 0, flags&2 != 0
}

func (m *Match) Append(dst []byte) []byte   { return m.game.form.Append(dst, &m.State) }
func (m *Match) Restore(state []byte) error { return m.game.form.Restore(state, &m.State) }

// Check returns an error unless a state from outside can be played: every value must be
// in its range, and every invariant of State must hold. It returns the first error.
func (r *Rules) Check(s *State) error { return r.Form().Check(s) }

// invariants returns an error if values of a state, each in its range, contradict each other; else nil.
func (r *Rules) invariants(s *State) error {
	if err := r.checkRoom(s); err != nil {
		return err
	}
	stack, agent0 := r.Traits().AgentsStack, r.Agent0()
	listed, err := r.listed(s)
	if err != nil {
		return err
	}
	for c := range grid.Square(r.BoardSize).All {
		item, want, hidden := s.Board[c], listed[c], s.Hidden(c)
		thing := item == Flames || !stack && (item == BombItem || item >= agent0)
		switch {
		case item == Fog, item == r.Dummy(), item >= agent0+Item(r.Seats()):
			return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
		case item != want && (thing || want != Passage):
			return fmt.Errorf("the board shows %d at %s, want %d by what is listed there (bombs, agents, flames)", item,
				where(c), want)
		case hidden != Passage && item != Wood && item != Flames && !stack:
			return fmt.Errorf("item %d is hidden at %s, where the board shows %d; want it under wood or flames", hidden,
				where(c), item)
		}
	}
	return nil
}

// listed is what the board shows of bombs, agents and flames, Passage elsewhere. By
// rules where agents share cells, it holds only the flames.
func (r *Rules) listed(s *State) (board [256]Item, err error) {
	traits := r.Traits()
	if !traits.AgentsStack {
		for _, b := range s.bombs() {
			switch item := s.Hidden(b.Cell); {
			case board[b.Cell] == BombItem && !traits.BombsStack:
				err = fmt.Errorf("two bombs lie at %s, want at most one on a cell", where(b.Cell))
			case traits.FlamesKill && item != Passage: // no agent can lay a bomb there, and one that rolls there explodes
				err = fmt.Errorf("a bomb lies at %s on a hidden item, %s; take one of the two away", where(b.Cell), itemNames[item])
			}
			board[b.Cell] = BombItem
		}
	}
	fell := r.RingAt(int(s.StepCount) - 1) // where agents that were not drawn live on; the next step draws them
	for i, a := range s.Agents[:r.Seats()] {
		switch item := s.Board[a.Cell]; {
		case !a.Alive, traits.AgentsStack && item != Wood && (!item.wall() || fell.Has(a.Cell)):
			continue
		case traits.AgentsStack:
			err = fmt.Errorf("agent %d lives at %s, where the board shows %d; want no wall there", i, where(a.Cell), item)
		case board[a.Cell] >= r.Agent0():
			err = fmt.Errorf("agent %d lives at %s, where another lives; want one on a cell", i, where(a.Cell))
		case traits.FlamesKill && s.burns(a.Cell):
			err = fmt.Errorf("agent %d lives at %s, in flames; want it dead, or no flames there", i, where(a.Cell))
		}
		board[a.Cell] = r.Agent0() + Item(i)
	}
	for c := range s.burning().All {
		board[c] = Flames
	}
	return board, err
}

// checkRoom returns an error unless a state can hold all bombs: those that lie, and
// those that living agents could lay before any explodes. They can lay as many as they
// have or find, and each at most one per step.
func (r *Rules) checkRoom(s *State) error {
	lie, living, stock := int(s.NumBombs), 0, 0
	for _, a := range s.Agents[:r.Seats()] {
		if a.Alive {
			living++
			stock += int(a.Ammo)
		}
	}
	if lie+living*r.BombLife <= MaxBombs {
		return nil
	}
	stock += s.finds()
	if most := min(lie+stock, r.bombsAtOnce(s, living)); most > MaxBombs {
		return fmt.Errorf("bombs has %d entries; the agents have or may find %d more, and could make it %d before "+
			"these explode; want at most %d: remove some, or reduce life or ammo", lie, stock, most, MaxBombs)
	}
	return nil
}

// finds returns the number of items that can give a bomb; skulls count.
func (s *State) finds() int {
	hidden := s.hidden[0].AndNot(s.hidden[1]).Or(s.hidden[2])
	n := hidden.Len()
	for _, item := range s.Board {
		if item == ExtraBomb || item == Skull {
			n++
		}
	}
	return n
}

// bombsAtOnce returns how many bombs can lie at once if so many agents lay one in every
// step. There are most when one of the present bombs, or the first of the new ones, is
// about to explode.
func (r *Rules) bombsAtOnce(s *State, layers int) (most int) {
	left := func(step int) {
		n := layers * min(step, r.BombLife)
		for _, b := range s.bombs() {
			n += int(toByte(int(b.Life) >= step))
		}
		most = max(most, n)
	}
	left(r.BombLife)
	for _, b := range s.bombs() {
		left(int(b.Life))
	}
	return most
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }
