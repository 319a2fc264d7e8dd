package tactics

import (
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
)

const (
	// depth is how far the agents look, in rows plus columns.
	depth = 10
	// Nearby is the most steps to their targets. Only up to there does it matter which of
	// several shortest ways they take.
	Nearby = 3
)

// Passable is what a rule-based agent takes for walkable: passages, items to pick up,
// itself and its teammate.
func Passable(r *pommerman.Rules, enemies Items) Items {
	agents := Items(1<<pommerman.MaxAgents-1) << r.Agent0()
	pickups := Items(1<<r.Dummy() - 1<<pommerman.ExtraBomb)
	return (1<<pommerman.Passage | pickups | agents) &^ enemies
}

// Order holds four directions in a register, a byte each, the first in the lowest byte.
type Order uint32

// InOrder makes an Order of four directions.
func InOrder(dirs [4]grid.Dir) Order {
	return Order(dirs[0]) | Order(dirs[1])<<8 | Order(dirs[2])<<16 | Order(dirs[3])<<24
}

// Ground says where a rule-based agent can walk.
type Ground struct {
	Board *[256]pommerman.Item
	Self  grid.Cell
	Open  Items // what can be walked on
	Order Order // the order in which to look at neighbours
}

// Sight holds what a rule-based agent sees and where it can walk: a breadth-first
// search from its cell over the cells that it sees. Cells that cannot be entered are
// reached, but not left again.
//
// It starts with the near cells, where ways matter. Further away only distances matter,
// so the rest is searched on demand.
//
// Invariant: Queue[:Head] has been left, Queue[Head:Tail] waits, in the order
// of reaching; a cell's Dist is set exactly if it is in Queue[:Tail].
type Sight struct {
	Ground
	Shown *[256]pommerman.Item // the board to look at
	// Tie says whether an equally short way to a cell replaces the one known.
	Tie   func() bool
	Whole bool // search everything at once, and call Tie for far cells too

	Dist   [256]uint8        // by cell: steps from the agent plus one, 0 if not reached
	First  [256]grid.Dir     // by cell: the first step of the way there; only for near cells, unless Whole
	Around [Nearby + 1]Items // by distance: the items that were reached
	Queue  [256]grid.Cell
	Tail   int
	Head   int
}

// Start searches the near cells or, if Whole, all.
func (s *Sight) Start() {
	if Opaque.Has(s.Shown[s.Self]) {
		return // the agent has died in flames
	}
	s.Dist[s.Self] = 1
	s.Queue[0] = s.Self
	s.Tail = 1
	for s.Expand(Nearby) {
	}
	for s.Whole && s.Expand(len(s.Dist)) {
	}
}

// Expand leaves the next cells of the queue, all that are equally far away. It returns
// false if they are limit or more steps away, or there are none; then all cells up to
// limit steps away have been reached.
func (s *Sight) Expand(limit int) bool {
	steps := int(s.Dist[s.Queue[s.Head&255]])
	if s.Head == s.Tail || steps > limit {
		return false
	}
	ties, tail, around := steps <= Nearby || s.Whole, s.Tail, Items(0)
	for end := tail; s.Head < end; s.Head++ {
		from := s.Queue[s.Head&255]
		if !s.Open.Has(s.Board[from]) {
			continue
		}
		way := s.First[from]
		for order := s.Order; order != 0; order >>= 8 {
			d := grid.Dir(order & 7)
			to := from.Next(d)
			if known := int(s.Dist[to]); known != 0 {
				if ties && known > steps && s.Tie() {
					s.First[to] = along(way, d)
				}
				continue
			}
			if steps >= depth && !s.Sees(to) {
				continue
			}
			// Walls are as frequent as passages, so there is no branch: it would often be predicted wrongly.
			item := s.Shown[to]
			fresh := ^Opaque >> (item & 31) & 1
			s.Dist[to] = uint8(fresh) * uint8(steps+1)
			s.First[to] = along(way, d)
			s.Queue[tail&255] = to
			tail += int(fresh)
			around |= fresh << (item & 31)
		}
	}
	s.Tail = tail
	if steps <= Nearby {
		s.Around[steps] = around
	}
	return true
}

// along returns the first step of a way that is continued in direction d.
func along(way, d grid.Dir) grid.Dir {
	if way == grid.Stay {
		return d
	}
	return way
}

// Sees reports whether a cell is in the agent's sight, whatever it shows: up to depth
// rows plus columns away. Rows depth further down and columns depth further right are
// not in sight.
func (s *Ground) Sees(c grid.Cell) bool {
	return c.Distance(s.Self) <= depth && c.Row()-s.Self.Row() < depth && c.Col()-s.Self.Col() < depth
}

// Within reports whether a cell can be reached in at most limit steps.
func (s *Sight) Within(c grid.Cell, limit int) bool {
	for s.Dist[c] == 0 && s.Expand(limit) {
	}
	return s.Dist[c] != 0 && int(s.Dist[c]) <= limit+1
}

// Ways is an ordered list of directions. Stay may be one of them.
type Ways struct {
	dirs [5]grid.Dir
	N    int
}

// WaysOf makes a list of the given directions.
func WaysOf(dirs ...grid.Dir) (l Ways) {
	l.N = copy(l.dirs[:], dirs)
	return l
}

// All returns the directions.
func (l *Ways) All() []grid.Dir { return l.dirs[:l.N] }

// Add appends a direction.
func (l *Ways) Add(d grid.Dir) {
	l.dirs[l.N] = d
	l.N++
}

// Keep keeps the directions for which good returns true, in order.
func (l *Ways) Keep(good func(grid.Dir) bool) {
	l.N = len(slices.DeleteFunc(l.All(), func(d grid.Dir) bool { return !good(d) }))
}

// Threats holds the directions in which a bomb lies that could reach the agent, in the
// order in which they were found, and the longest blast in each.
type Threats struct {
	Ways
	Blast [5]uint8
}

// ThreatsTo finds the bombs that threaten an agent. A bomb does so if it lies in the agent's
// row or column and, by within, no more steps away than its blast is strong: so a bomb behind
// a wall may be too far. A bomb on the agent's own cell threatens the directions here.
func ThreatsTo(self grid.Cell, bombs []pommerman.Bomb, within func(grid.Cell, int) bool,
	here ...grid.Dir,
) (t Threats) {
	for i := range bombs {
		b := &bombs[i]
		d, inLine := Line(self, b.Cell)
		if !inLine || b.Blast == 0 || !within(b.Cell, int(b.Blast)) {
			continue
		}
		threatened := here
		if d != grid.Stay {
			threatened = []grid.Dir{d}
		}
		for _, d := range threatened {
			if t.Blast[d] == 0 {
				t.Add(d)
			}
			t.Blast[d] = max(t.Blast[d], b.Blast)
		}
	}
	return t
}

// Flee lists the directions that lead out of danger. If all directions are threatened, these are the ones
// that are no dead end, perhaps none. Else they are the safe ones or, if there are none, the threatened ones.
func (s *Ground) Flee(t *Threats) (ways Ways) {
	if t.N == len(grid.Dirs) {
		ways = t.Ways
		ways.Keep(func(d grid.Dir) bool { return s.LeadsOut(d, int(t.Blast[d]), s.Self) })
		return ways
	}
	for order := s.Order; order != 0; order >>= 8 {
		d := grid.Dir(order & 7)
		item := s.Board[s.Self.Next(d)]
		if t.Blast[d] == 0 && (item == pommerman.Fog || s.Open.Has(item)) {
			ways.Add(d)
		}
	}
	if ways.N == 0 {
		// A bomb lies in each of these directions, so none of them leaves the board.
		ways = t.Ways
	}
	return ways
}

// LeadsOut reports whether an agent that steps in direction d can get further than
// blast away from the cell entered, or out of its row and column. One cell is blocked,
// usually the agent's own. As long as the agent has not got out, it can only reach four
// straight arms of the cell.
func (s *Ground) LeadsOut(d grid.Dir, blast int, blocked grid.Cell) bool {
	entered := s.Self.Next(d)
	if !s.walkable(entered, blocked) {
		return false
	}
	for _, arm := range grid.Dirs {
		left, right := grid.Left, grid.Right // at right angles to the arm
		if arm == grid.Left || arm == grid.Right {
			left, right = grid.Up, grid.Down
		}
		at := entered.Next(arm)
		for length := 1; s.walkable(at, blocked); length++ {
			if length > blast || s.walkable(at.Next(left), blocked) || s.walkable(at.Next(right), blocked) {
				return true
			}
			at = at.Next(arm)
		}
	}
	return false
}

// walkable reports whether a cell can be walked on and is not the blocked one.
func (s *Ground) walkable(c, blocked grid.Cell) bool { return c != blocked && s.Open.Has(s.Board[c]) }

// Exposed reports whether any bomb in view exposes c.
func Exposed(v *pommerman.View, c grid.Cell) bool {
	return slices.ContainsFunc(v.Bombs[:v.NumBombs], func(b pommerman.Bomb) bool { return Exposes(&b, c) })
}

// Exposes reports whether a bomb lies in the row or column of c and no further away
// than its blast is strong. What lies between does not matter.
func Exposes(b *pommerman.Bomb, c grid.Cell) bool {
	_, inLine := Line(b.Cell, c)
	return inLine && b.Cell.Distance(c) <= int(b.Blast)
}
