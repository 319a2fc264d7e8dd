// Package tactics holds what Pommerman's agents share: sets of items and of moves, the
// moves that make sense in a state, when the bombs of a position explode, and what the
// rule-based agents see, flee and remember.
package tactics

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// Choices is how many moves there are.
const Choices = int(pommerman.LayBomb) + 1

// Items is a set of cell values.
type Items uint32

// ItemSet is the set of the given items.
func ItemSet(all ...pommerman.Item) (set Items) {
	for _, i := range all {
		set |= 1 << (i & 31)
	}
	return set
}

// Has reports whether an item is in the set.
func (s Items) Has(i pommerman.Item) bool { return s>>(i&31)&1 != 0 }

// With returns the set with an item added.
func (s Items) With(i pommerman.Item) Items { return s | 1<<(i&31) }

// Sets of items. Skull's value is a skull wherever a board shows it.
const (
	// Pickups are the items that make an agent stronger.
	Pickups = Items(1<<pommerman.ExtraBomb | 1<<pommerman.IncrRange | 1<<pommerman.Kick)
	// Free is what an agent can enter.
	Free = Pickups | 1<<pommerman.Passage | 1<<pommerman.Skull
	// Walkable is what an agent can enter now or later: flames go out.
	Walkable = Free | 1<<pommerman.Flames | 1<<pommerman.Fog
	// Opaque is what the rule-based agents do not look into.
	Opaque = Items(1<<pommerman.Fog | 1<<pommerman.Rigid | 1<<pommerman.Flames)
)

// One is the set of a single move.
func One(a pommerman.Action) pommerman.Moves { return 1 << a }

// Line returns the direction from one cell to another in the same row or column,
// grid.Stay for the same cell. For cells that share neither it returns false.
func Line(from, to grid.Cell) (d grid.Dir, inLine bool) {
	switch {
	case from == to:
		return grid.Stay, true
	case from>>4 == to>>4 && from < to:
		return grid.Right, true
	case from>>4 == to>>4:
		return grid.Left, true
	case from&15 == to&15 && from < to:
		return grid.Down, true
	case from&15 == to&15:
		return grid.Up, true
	}
	return grid.Stay, false
}

// Recent holds the last six cells where an agent wandered. Its zero value holds none.
type Recent struct {
	cells [6]grid.Cell // the cells, the oldest first, then zeros
	count uint8
}

// List returns the cells, the oldest first.
func (r *Recent) List() []grid.Cell { return r.cells[:r.count] }

// Add appends a cell; if six are there, the oldest is dropped.
func (r *Recent) Add(c grid.Cell) {
	if int(r.count) == len(r.cells) {
		copy(r.cells[:], r.cells[1:])
		r.count--
	}
	r.cells[r.count] = c
	r.count++
}

// Code writes or reads what is saved: how many cells there are, then the cells, one byte each.
func (r *Recent) Code(c *saved.Codec) {
	c.Len("recent cells", &r.count, len(r.cells))
	saved.List(c, r.List())
	for _, cell := range r.List() {
		if !cell.OnBoard(grid.MaxSide) {
			c.Fail("has the recent cell (%d,%d), want a cell of a board", cell.Row(), cell.Col())
		}
	}
}
