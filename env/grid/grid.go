// Package grid is the geometry that games on square cells share: directions,
// cells, and sets of cells small enough to be handled as bits.
//
// [Cell] and [Bits] serve boards of up to 14x14 cells with a border (15x15 if its
// sides may share one): a cell is one byte, 16*(row+1) + (col+1), so that a step
// in a direction is one addition that always lands inside a 256-entry array, and
// a set of cells is four words.
package grid

import (
	"math/bits"
	"slices"
)

// Dir is a direction, numbered as the reference numbers its moves.
type Dir uint8

// The directions, and Stay for none.
const (
	Stay Dir = iota
	Up
	Down
	Left
	Right
)

// Dirs lists the four directions in the order in which the reference looks at
// neighbours.
var Dirs = [4]Dir{Up, Down, Left, Right}

// Delta is what the direction adds to row and column.
func (d Dir) Delta() (row, col int) {
	c := At(0, 0).Next(d)
	return c.Row(), c.Col()
}

// Opposite is the direction back.
func (d Dir) Opposite() Dir { return opposites[d] }

var opposites = [...]Dir{Stay, Down, Up, Right, Left}

// MaxSide is the longest side of a board in the bordered layout, with a border of
// its own on each of the four sides.
const MaxSide = 14

// MaxSharedSide is the longest side of a board whose border is shared: beyond the last
// column lies the border before the first one, a row further down, and beyond the last
// row the border above the first. Next and Grow still work, because every cell off the
// board is in the border. Only code that must know on which side of the board a border
// cell lies does not.
const MaxSharedSide = 15

// Cell is a cell of a board in the bordered layout: 16*(row+1) + (col+1). Every
// neighbour of a cell on the board is a Cell too; it may be in the border.
type Cell uint8

// At is the cell at row and col, which may be -1 or MaxSide: the border.
func At(row, col int) Cell { return Cell((row+1)<<4 | (col+1)&15) }

// Row is the cell's row.
func (c Cell) Row() int { return int(c>>4) - 1 }

// Col is the cell's column.
func (c Cell) Col() int { return int(c&15) - 1 }

// Place is the row and the column.
func (c Cell) Place() [2]int { return [2]int{c.Row(), c.Col()} }

// OnBoard reports whether c is a cell of a board with the given side.
func (c Cell) OnBoard(side int) bool {
	return c.Row() >= 0 && c.Row() < side && c.Col() >= 0 && c.Col() < side
}

// Distance is the sum of the differences in rows and columns.
func (c Cell) Distance(o Cell) int {
	rows, cols := c.Row()-o.Row(), c.Col()-o.Col()
	return max(rows, -rows) + max(cols, -cols)
}

// Mirrored is the cell's mirror image in the main diagonal: its row is the cell's column, and its column the cell's
// row.
func (c Cell) Mirrored() Cell { return c<<4 | c>>4 }

// Next is the neighbour in direction d.
func (c Cell) Next(d Dir) Cell { return c + deltas[d&7] }

var deltas = [8]Cell{Up: 0xf0, Down: 0x10, Left: 0xff, Right: 0x01}

// Bits is a set of cells of the bordered layout.
type Bits [4]uint64

// Only is the set of one cell.
func Only(c Cell) (b Bits) {
	b.Add(c)
	return b
}

// Has reports whether c is in the set.
func (b *Bits) Has(c Cell) bool { return b[c>>6]>>(c&63)&1 != 0 }

// Add puts c into the set.
func (b *Bits) Add(c Cell) { b[c>>6] |= 1 << (c & 63) }

// Remove takes c out of the set.
func (b *Bits) Remove(c Cell) { b[c>>6] &^= 1 << (c & 63) }

// Empty reports whether the set is empty.
func (b *Bits) Empty() bool { return b[0]|b[1]|b[2]|b[3] == 0 }

// Len is the number of cells in the set.
func (b *Bits) Len() int {
	return bits.OnesCount64(b[0]) + bits.OnesCount64(b[1]) + bits.OnesCount64(b[2]) + bits.OnesCount64(b[3])
}

// Or is the union.
func (b Bits) Or(o Bits) Bits {
	return Bits{b[0] | o[0], b[1] | o[1], b[2] | o[2], b[3] | o[3]}
}

// And is the intersection.
func (b Bits) And(o Bits) Bits {
	return Bits{b[0] & o[0], b[1] & o[1], b[2] & o[2], b[3] & o[3]}
}

// AndNot is what is in b and not in o.
func (b Bits) AndNot(o Bits) Bits {
	return Bits{b[0] &^ o[0], b[1] &^ o[1], b[2] &^ o[2], b[3] &^ o[3]}
}

// Grow adds to the set the four neighbours of every cell in it. Cells of the
// border may be added, so mask the result.
func (b Bits) Grow() Bits {
	return Bits{
		b[0] | b[0]<<1 | b[0]>>1 | b[0]<<16 | b[0]>>16 | b[1]<<48 | b[1]<<63,
		b[1] | b[1]<<1 | b[1]>>1 | b[1]<<16 | b[1]>>16 | b[0]>>48 | b[2]<<48 | b[0]>>63 | b[2]<<63,
		b[2] | b[2]<<1 | b[2]>>1 | b[2]<<16 | b[2]>>16 | b[1]>>48 | b[3]<<48 | b[1]>>63 | b[3]<<63,
		b[3] | b[3]<<1 | b[3]>>1 | b[3]<<16 | b[3]>>16 | b[2]>>48 | b[2]>>63,
	}
}

// Walk replaces b by the cells that can be reached from it in one step, or by staying, inside
// open, and that do not burn. Neither b nor open may have cells of the border. The words are in
// variables, because the compiler keeps variables in registers but not the elements of an array.
func (b *Bits) Walk(open, burns *Bits) {
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	b[0] = (b0 | (b0<<1|b0>>1|b0<<16|b0>>16|b1<<48)&open[0]) &^ burns[0]
	b[1] = (b1 | (b1<<1|b1>>1|b1<<16|b1>>16|b0>>48|b2<<48)&open[1]) &^ burns[1]
	b[2] = (b2 | (b2<<1|b2>>1|b2<<16|b2>>16|b1>>48|b3<<48)&open[2]) &^ burns[2]
	if open[3]|b3 != 0 {
		b[3] = (b3 | (b3<<1|b3>>1|b3<<16|b3>>16|b2>>48)&open[3]) &^ burns[3]
	}
}

// Retrace is Walk backwards in time, over several steps; burns has the cells that burn in each. At first b
// holds the cells that are good to be on after the steps, then those from which a good cell can be reached.
func (b *Bits) Retrace(open *Bits, burns []Bits) {
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	p0, p1, p2, p3 := open[0], open[1], open[2], open[3]
	for t := len(burns) - 1; t >= 0; t-- {
		now := &burns[t]
		o0, o1, o2 := b0&p0, b1&p1, b2&p2
		if p3|b3 != 0 {
			o3 := b3 & p3
			b3 = (b3 | o3<<1 | o3>>1 | o3<<16 | o3>>16 | o2>>48) &^ now[3]
			b2 |= o3 << 48
		}
		b0 = (b0 | o0<<1 | o0>>1 | o0<<16 | o0>>16 | o1<<48) &^ now[0]
		b1 = (b1 | o1<<1 | o1>>1 | o1<<16 | o1>>16 | o0>>48 | o2<<48) &^ now[1]
		b2 = (b2 | o2<<1 | o2>>1 | o2<<16 | o2>>16 | o1>>48) &^ now[2]
	}
	b[0], b[1], b[2], b[3] = b0, b1, b2, b3
}

// Flood is every cell of open that can be reached from the cells of b by steps
// inside open. Cells of b outside open count as reached.
func (b Bits) Flood(open Bits) Bits {
	for {
		next := b.Sweep(open)
		if next == b {
			return b
		}
		b = next
	}
}

// Sweep adds to b some of the cells that Flood adds, at least one as long as any is
// missing. It goes word by word downwards and then upwards, so that it can cross the
// whole board.
func (b Bits) Sweep(open Bits) Bits {
	above := uint64(0)
	for w := range b {
		b[w] = spread(b[w]|above>>48&open[w], open[w])
		above = b[w]
	}
	below := uint64(0)
	for w := len(b) - 1; w >= 0; w-- {
		b[w] = spread(b[w]|below<<48&open[w], open[w])
		below = b[w]
	}
	return b
}

// spread grows a word of four rows within open by a few steps.
func spread(x, open uint64) uint64 {
	for range 3 {
		x |= (x<<1 | x>>1 | x<<16 | x>>16) & open
	}
	return x
}

// First is the lowest cell of the set, which must not be empty.
func (b *Bits) First() Cell {
	for w, x := range b {
		if x != 0 {
			return Cell(w<<6 | bits.TrailingZeros64(x))
		}
	}
	panic("grid: First of an empty set")
}

// All calls visit for every cell of the set in row-major order.
func (b Bits) All(visit func(Cell) bool) {
	for w, x := range b {
		for ; x != 0; x &= x - 1 {
			if !visit(Cell(w<<6 | bits.TrailingZeros64(x))) {
				return
			}
		}
	}
}

// List writes the cells of the set in row-major order and returns their number.
func (b *Bits) List(to *[256]Cell) int {
	n := uint8(0) // a uint8 suffices: a set on a board has fewer than 256 cells
	for w, x := range b {
		for ; x != 0; x &= x - 1 {
			to[n] = Cell(w<<6 | bits.TrailingZeros64(x))
			n++
		}
	}
	return int(n)
}

// Square is the set of the cells of a board with the given side.
func Square(side int) Bits { return squares[side] }

// squares holds, by side, the cells of a board. above holds, by row, all cells in the rows above it.
var squares, above = func() (squares, above [MaxSide + 2]Bits) {
	for row := range MaxSide + 1 {
		above[row+1] = above[row]
		above[row+1][(row+1)/4] |= 0xffff << (16 * ((row + 1) % 4))
	}
	for side := range squares {
		squares[side] = above[side].And(columns(0, side))
	}
	return squares, above
}()

// columns is the set of the cells in columns left to right-1.
func columns(left, right int) Bits {
	rows := (uint64(1)<<(right-left) - 1) << (left + 1) * 0x0001_0001_0001_0001 // in all four rows of a word
	return Bits{rows, rows, rows, rows}
}

// Rect is the set of the cells in rows top to bottom-1 and columns left to right-1.
func Rect(top, bottom, left, right int) Bits {
	return above[bottom].AndNot(above[top]).And(columns(left, right))
}

// Rows has, for each cell of a board with the given side, what value returns for it.
func Rows[T ~int](side int, value func(Cell) int) [][]T {
	all := make([][]T, side)
	for c := range Square(side).All {
		all[c.Row()] = append(all[c.Row()], T(value(c)))
	}
	return all
}

// Cells lists the cells of a board with the given side, row by row.
func Cells(side int) []Cell { return slices.Collect(Square(side).All) }
