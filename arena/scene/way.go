package scene

import (
	"math/bits"

	"pommego/env"
)

// Way finds where a figure can walk and survive. It is not safe for concurrent use.
type Way struct {
	Fire []uint64 // as env.Forecast has it
	Last int      // the last tick at which anything burns

	head  *Head
	open  func(tick, cell int) bool
	known []int8 // by tick up to Last, and cell: the result of Lives, 1 or -1; 0: not asked yet
}

// NewWay makes a Way from the cells that are going to burn, and those that are open at a tick.
func NewWay(head *Head, fire []uint64, open func(tick, cell int) bool) *Way {
	w := &Way{Fire: fire, head: head, open: open}
	for _, ticks := range fire {
		w.Last = max(w.Last, bits.Len64(ticks)-1)
	}
	w.known = make([]int8, (w.Last+1)*len(fire))
	return w
}

// Cold reports whether a cell does not burn at a tick.
func (w *Way) Cold(tick, cell int) bool { return w.Fire[cell]>>tick&1 == 0 }

// Step is the cell to which a move leads at a tick; -1 if it leads nowhere.
func (w *Way) Step(tick, cell, move int) int {
	if to := w.head.Neighbour(cell, move); move == 0 || to >= 0 && w.open(tick, to) {
		return to
	}
	return -1
}

// Lives reports whether a figure on a cell after a tick can survive all that is foreseen.
func (w *Way) Lives(tick, cell int) bool {
	if tick > w.Last {
		return true
	}
	known := &w.known[tick*len(w.Fire)+cell]
	if *known == 0 {
		*known = -1
		for move := 0; move < len(env.Moves) && w.Cold(tick, cell) && *known < 0; move++ {
			if to := w.Step(tick+1, cell, move); to >= 0 && w.Lives(tick+1, to) {
				*known = 1
			}
		}
	}
	return *known > 0
}

// Neighbour is the cell to which a move leads if nothing is in the way; -1 if it leads off the board.
func (h *Head) Neighbour(cell, move int) int {
	to, on := h.Next(env.Place{cell / h.Cols, cell % h.Cols}, move)
	if !on {
		return -1
	}
	return h.cell(to)
}
