package java

import (
	"math/bits"

	"pommego/env/grid"
	"pommego/env/pommerman"
)

// depth is how far away an agent looks at all.
const depth = 10

// items is a set of cell values.
type items uint32

func (s items) has(i pommerman.Item) bool { return s>>(i&31)&1 != 0 }

func (s items) with(i pommerman.Item) items { return s | 1<<(i&31) }

// hidden is what no agent looks into.
const hidden = items(1<<pommerman.Fog | 1<<pommerman.Rigid | 1<<pommerman.Flames)

// powerups are the items to go for.
const powerups = items(1<<pommerman.ExtraBomb | 1<<pommerman.IncrRange | 1<<pommerman.Kick)

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
	walk  items // what can be walked on: passages, items and all agents but seen enemies

	inSight [256]bool
	dist    [256]uint8    // steps from its cell plus one, 0 where there is no way
	first   [256]grid.Dir // the first step of the way
}

// walkable is what an agent takes to be passable.
func walkable(r *pommerman.Rules, enemies items) items {
	return ^items(1<<pommerman.ExtraBomb-1<<(pommerman.Passage+1)) &^ enemies
}

// look finds what is in sight: up to depth rows and columns away taken together,
// without the last row and column to the right and down, where shown is not hidden.
func (f *field) look(shown func(row, col int) pommerman.Item) {
	row, col := f.self.Row(), f.self.Col()
	for y := max(0, row-depth); y < min(f.side, row+depth); y++ {
		for x := max(0, col-depth); x < min(f.side, col+depth); x++ {
			if apart(row, col, y, x) <= depth && !hidden.has(shown(y, x)) {
				f.inSight[grid.At(y, x)] = true
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
		if !f.walk.has(f.board[from]) {
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
	if !f.within(b.cell, b.blast) {
		return
	}
	switch {
	case b.cell == f.self:
		for _, dir := range here {
			d.add(dir, b.blast)
		}
	case b.cell.Col() == f.self.Col() && b.cell > f.self:
		d.add(grid.Down, b.blast)
	case b.cell.Col() == f.self.Col():
		d.add(grid.Up, b.blast)
	case b.cell.Row() == f.self.Row() && b.cell > f.self:
		d.add(grid.Right, b.blast)
	case b.cell.Row() == f.self.Row():
		d.add(grid.Left, b.blast)
	}
}

// canEscape reports whether an agent that steps in a direction, with a bomb of some
// blast behind it, gets out of that bomb's lines or reach. blocked is a cell that
// cannot be passed.
func (f *field) canEscape(dir grid.Dir, blast int, blocked grid.Cell) bool {
	next := f.self.Next(dir)
	if next == blocked || !next.OnBoard(f.side) || !f.walk.has(f.board[next]) {
		return false
	}
	var stack [256]grid.Cell
	var taken grid.Bits
	stack[0] = next
	taken.Add(next)
	for n := 1; n > 0; {
		n--
		c := stack[n&255]
		row, col := c.Row(), c.Col()
		if row != next.Row() && col != next.Col() || apart(row, col, next.Row(), next.Col()) > blast {
			return true
		}
		for _, d := range ways {
			to := c.Next(d)
			if to == blocked || taken.Has(to) || !to.OnBoard(f.side) || !f.walk.has(f.board[to]) {
				continue
			}
			taken.Add(to)
			stack[n&255] = to
			n++
		}
	}
	return false
}

// apart is the sum of the distances in rows and columns.
func apart(row, col, y, x int) int {
	return max(row-y, y-row) + max(col-x, x-col)
}
