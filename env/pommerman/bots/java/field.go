package java

import (
	"math/bits"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// depth is how far away an agent looks at all.
const depth = 10

// ways is the order in which an agent looks at its neighbours.
var ways = [4]grid.Dir{grid.Left, grid.Right, grid.Up, grid.Down}

// bomb is a bomb as an agent sees it.
type bomb struct {
	cell  grid.Cell
	blast int
}

// field is what an agent sees near its cell.
//
// Invariant: a cell's dist is set only if it is in sight.
type field struct {
	board *[256]pommerman.Item
	side  int
	self  grid.Cell
	walk  tactics.Items // what can be walked on: passages, items and all agents but seen enemies

	inSight [256]bool
	dist    [256]uint8    // steps from its cell plus one, 0 where there is no way
	first   [256]grid.Dir // the first step of the way
}

// walkable is what an agent takes to be passable.
func walkable(r *pommerman.Rules, enemies tactics.Items) tactics.Items {
	return ^tactics.Items(1<<pommerman.ExtraBomb-1<<(pommerman.Passage+1)) &^ enemies
}

// look finds what is in sight: up to depth rows and columns away taken together,
// without the last row and column to the right and down, where shown is not hidden.
func (f *field) look(shown func(row, col int) pommerman.Item) {
	row, col := f.self.Row(), f.self.Col()
	for y := max(0, row-depth); y < min(f.side, row+depth); y++ {
		for x := max(0, col-depth); x < min(f.side, col+depth); x++ {
			if c := grid.At(y, x); c.Distance(f.self) <= depth && !tactics.Opaque.Has(shown(y, x)) {
				f.inSight[c] = true
			}
		}
	}
}

// spread finds the ways to what is in sight. Where a cell is reached again by an
// equally short way, tie says whether that replaces the one known.
func (f *field) spread(tie func() bool) {
	if !f.inSight[f.self] {
		return
	}
	var queue [256]grid.Cell
	queue[0], f.dist[f.self] = f.self, 1
	for head, tail := 0, 1; head < tail; head++ {
		from := queue[head&255]
		if !f.walk.Has(f.board[from]) {
			continue
		}
		for _, d := range ways {
			to, steps := from.Next(d), f.dist[from]+1
			first := f.first[from]
			if first == grid.Stay {
				first = d
			}
			switch {
			case !f.inSight[to]:
			case f.dist[to] == 0:
				f.dist[to], f.first[to] = steps, first
				queue[tail&255] = to
				tail++
			case f.dist[to] == steps && tie():
				f.first[to] = first
			}
		}
	}
}

// within reports whether a cell is at most steps away.
func (f *field) within(c grid.Cell, steps int) bool {
	return f.dist[c] != 0 && int(f.dist[c])-1 <= steps
}

// danger is the directions that lie in a bomb's line, and for each the greatest
// blast there.
type danger struct {
	blast [grid.Right + 1]int
	set   uint8
}

func (d *danger) add(dir grid.Dir, blast int) {
	d.set |= 1 << dir
	d.blast[dir] = max(d.blast[dir], blast)
}

func (d *danger) has(dir grid.Dir) bool { return d.set>>dir&1 != 0 }

func (d *danger) count() int { return bits.OnesCount8(d.set) }

// threaten adds the direction in which a bomb lies that is in sight, in line, and no
// further away than its blast. here says what a bomb on the own cell threatens.
func (f *field) threaten(d *danger, b bomb, here []grid.Dir) {
	toBomb, inLine := tactics.Line(f.self, b.cell)
	switch {
	case !inLine || !f.within(b.cell, b.blast):
	case toBomb == grid.Stay:
		for _, dir := range here {
			d.add(dir, b.blast)
		}
	default:
		d.add(toBomb, b.blast)
	}
}

// canEscape reports whether an agent that steps in a direction, with a bomb of some
// blast behind it, gets out of that bomb's lines or reach. blocked is a cell that
// cannot be passed.
func (f *field) canEscape(dir grid.Dir, blast int, blocked grid.Cell) bool {
	next := f.self.Next(dir)
	if next == blocked || !next.OnBoard(f.side) || !f.walk.Has(f.board[next]) {
		return false
	}
	var stack [256]grid.Cell
	var taken grid.Bits
	stack[0] = next
	taken.Add(next)
	for n := 1; n > 0; {
		n--
		c := stack[n&255]
		if _, inLine := tactics.Line(c, next); !inLine || c.Distance(next) > blast {
			return true
		}
		for _, d := range ways {
			to := c.Next(d)
			if to == blocked || taken.Has(to) || !to.OnBoard(f.side) || !f.walk.Has(f.board[to]) {
				continue
			}
			taken.Add(to)
			stack[n&255] = to
			n++
		}
	}
	return false
}
