package pommerman

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
)

// layout holds what all boards of one set of rules have in common.
type layout struct {
	rules  *Rules
	blank  State       // agents and the guaranteed wood on an empty board
	cells  grid.Bits   // the board
	places []grid.Cell // free cells off the diagonal, row by row
	pairs  []grid.Cell // free cells above the diagonal; each represents itself and its mirror image
	solid  grid.Bits   // cells that are no passage on the blank board
	wood   grid.Bits   // the guaranteed wood
	home   grid.Bits   // cells that the last-placed agent can reach on all boards
	walls  int         // pairs of rigid walls to lay
	woods  int         // pairs of wood to lay
}

// maxUnreachable is how many passages may be out of the agents' reach.
const maxUnreachable = 4

// newLayout works out the free cells of a board.
//
// Agents stand one cell in from the corners. The next two cells along both of an
// agent's lines stay free. With four agents, the cells between those are wood, so that
// everyone can dig a way to everyone. Walls are laid in pairs, mirrored in the main
// diagonal, which stays free.
func newLayout(r *Rules) (*layout, error) {
	l := &layout{rules: r, blank: r.empty(), walls: r.NumRigid / 2, cells: grid.Square(r.BoardSize)}
	n := r.BoardSize
	free := l.cells
	for i := range n {
		free.Remove(grid.At(i, i))
	}
	for _, agent := range l.blank.Agents[:r.Seats()] {
		row, col := agent.Cell.Row(), agent.Cell.Col()
		free.Remove(agent.Cell)
		l.solid.Add(agent.Cell)
		for k := 1; k <= 2; k++ {
			free.Remove(grid.At(row, inwards(col, k, n)))
			free.Remove(grid.At(inwards(row, k, n), col))
		}
	}
	woods := r.NumWood / 2
	if r.Seats() == 4 {
		for i := 4; i < n-4; i++ {
			for _, c := range []grid.Cell{grid.At(1, i), grid.At(i, 1), grid.At(n-2, i), grid.At(i, n-2)} {
				l.blank.Board[c] = Wood
				l.wood.Add(c)
				free.Remove(c)
			}
			woods -= 2
		}
	}
	l.solid = l.solid.Or(l.wood)
	l.woods = max(woods, 0)
	l.home.Add(grid.At(n-2, n-2))
	l.home = l.home.Flood(l.cells.AndNot(free))
	for c := range free.All {
		l.places = append(l.places, c)
		if c.Row() < c.Col() {
			l.pairs = append(l.pairs, c)
		}
	}
	return l, l.check()
}

// inwards returns the line k cells further inside than line i, which is the second or the last but one of n.
func inwards(i, k, n int) int {
	if i == 1 {
		return i + k
	}
	return n - 2 - k
}

// empty returns the start on a board without walls.
func (r *Rules) empty() State {
	s := State{Board: walled}
	for c := range grid.Square(r.BoardSize).All {
		s.Board[c] = Passage
	}
	far := r.BoardSize - 2
	corners := [MaxAgents]grid.Cell{grid.At(1, 1), grid.At(far, 1), grid.At(far, far), grid.At(1, far)}
	if r.Seats() == 2 {
		corners[1] = corners[2]
	}
	for seat, at := range corners[:r.Seats()] {
		s.Agents[seat] = Agent{at, uint8(r.StartAmmo), uint8(r.StartBlast), true, false}
		s.Board[at] = r.Agent0() + Item(seat)
	}
	return s
}

// walled is a board of rigid walls only.
var walled = func() (board [256]Item) {
	for c := range board {
		board[c] = Rigid
	}
	return board
}()

// check returns an error unless boards can be made: there must be room for the walls,
// and the RNG must find a connected board soon.
func (l *layout) check() error {
	if l.walls+l.woods > len(l.pairs) {
		return fmt.Errorf("rules: num_rigid %d and num_wood %d do not fit on a board of board_size %d: lower them or "+
			"raise board_size", l.rules.NumRigid, l.rules.NumWood, l.rules.BoardSize)
	}
	rng, s, tries := env.Seed{}.RNG(env.StreamBoard), State{}, 10_000
	if l.rules.StepKind == StepJava {
		tries = 500 // each takes some 50 µs
	}
	for range tries {
		if w := l.draw(&s, &rng); l.connected(&w) {
			return nil
		}
	}
	return fmt.Errorf("rules: with num_rigid %d on board_size %d hardly any board is connected: lower num_rigid",
		l.rules.NumRigid, l.rules.BoardSize)
}

// walls says where a board's walls stand.
type walls struct{ rigid, wood grid.Bits }

func (l *layout) build(s *State, w *walls) {
	*s = l.blank
	for c := range w.rigid.All {
		s.Board[c] = Rigid
	}
	for c := range w.wood.All {
		s.Board[c] = Wood
	}
}

func (l *layout) lay(s *State, rng *env.RNG) walls {
	*s = l.blank
	w := walls{wood: l.wood}
	var pairs [256]grid.Cell // longer than needed, so that no index check is left
	n := copy(pairs[:], l.pairs)
	drawPairs(&pairs, n, l.walls, rng, &w.rigid, &s.Board, Rigid)
	drawPairs(&pairs, n-l.walls, l.woods, rng, &w.wood, &s.Board, Wood)
	return w
}

// drawPairs draws some of the first n pairs, and puts them and their mirror images into
// a set and onto a board. It removes them from pairs, so that n-some are left.
func drawPairs(pairs *[256]grid.Cell, n, some int, rng *env.RNG, set *grid.Bits, board *[256]Item, item Item) {
	d := *rng
	for left := n; left > n-some; left-- {
		k := uint8(d.IntN(left))
		c := pairs[k]
		pairs[k] = pairs[uint8(left-1)]
		set.Add(c)
		set.Add(c.Mirrored())
		board[c], board[c.Mirrored()] = item, item
	}
	*rng = d
}

func (l *layout) connected(w *walls) bool { return l.cutOff(w, maxUnreachable) <= maxUnreachable }

// cutOff returns how many passages cannot be reached. It stops counting once they are
// at most enough.
func (l *layout) cutOff(w *walls, enough int) int {
	open := l.cells.AndNot(w.rigid)
	passages := open.AndNot(l.solid).AndNot(w.wood)
	for reached := l.home; ; {
		before := reached
		reached = reached.Sweep(open)
		unreached := passages.AndNot(reached)
		if n := unreached.Len(); n <= enough || reached == before {
			return n
		}
	}
}

// hideItems puts the items under wood. Each cell and each kind of item is equally likely.
func (l *layout) hideItems(s *State, wood grid.Bits, rng *env.RNG) {
	kinds := 3
	if l.rules.Skulls {
		kinds = 4
	}
	var cells [256]grid.Cell
	var under [4]grid.Bits // by kind of item
	d := *rng
	woods := wood.List(&cells)
	for left := woods; left > woods-l.rules.NumItems; left-- {
		k := uint8(d.IntN(left))
		under[d.IntN(kinds)&3].Add(cells[k])
		cells[k] = cells[uint8(left-1)]
	}
	*rng = d
	s.hideAll(&under)
}
