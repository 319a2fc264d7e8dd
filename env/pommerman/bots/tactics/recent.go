package tactics

import (
	"pommego/env/grid"
	"pommego/env/saved"
)

// Recent is the last six cells where an agent wandered. Its zero value holds none.
type Recent struct {
	cells [6]grid.Cell // the oldest first, then zeros
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
			c.Fail("has recent cell (%d,%d), want one of a board", cell.Row(), cell.Col())
		}
	}
}
