// Package grid is the geometry that games on square cells share: directions,
// boards with walls or wrapped into a torus, rays, and sets of cells small enough
// to be handled as bits.
//
// Two layouts are offered. [Topology] serves any board: cells are numbered row
// by row and a table says who is whose neighbour, so walls and torus are data.
// [Cell] and [Bits] serve boards of up to 14x14 cells with a border (15x15 if its
// sides may share one): a cell is one byte, 16*(row+1) + (col+1), so that a step
// in a direction is one addition that always lands inside a 256-entry array, and
// a set of cells is four words.
package grid

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

func (d Dir) String() string {
	if int(d) < len(dirNames) {
		return dirNames[d]
	}
	return "Dir(?)"
}

var dirNames = [...]string{"stay", "up", "down", "left", "right"}

// Delta is what the direction adds to row and column.
func (d Dir) Delta() (row, col int) {
	switch d {
	case Up:
		return -1, 0
	case Down:
		return 1, 0
	case Left:
		return 0, -1
	case Right:
		return 0, 1
	}
	return 0, 0
}

// Opposite is the direction back.
func (d Dir) Opposite() Dir {
	switch d {
	case Up:
		return Down
	case Down:
		return Up
	case Left:
		return Right
	case Right:
		return Left
	}
	return Stay
}

// None marks a neighbour that does not exist.
const None = -1

// Topology is a board's shape: its size and, for every cell and direction, the
// neighbouring cell. Cells are numbered row by row from 0. It is read-only.
type Topology struct {
	Rows, Cols int
	Torus      bool
	next       [][5]int16
}

// Bounded makes a board that ends at its edges.
func Bounded(rows, cols int) *Topology { return newTopology(rows, cols, false) }

// Torus makes a board whose edges are joined to the opposite ones.
func Torus(rows, cols int) *Topology { return newTopology(rows, cols, true) }

func newTopology(rows, cols int, torus bool) *Topology {
	if rows < 1 || cols < 1 || rows*cols > 1<<14 {
		panic("grid: a board needs 1 to 16384 cells")
	}
	t := &Topology{Rows: rows, Cols: cols, Torus: torus, next: make([][5]int16, rows*cols)}
	for r := range rows {
		for c := range cols {
			for d := Stay; d <= Right; d++ {
				t.next[r*cols+c][d] = t.neighbour(r, c, d)
			}
		}
	}
	return t
}

func (t *Topology) neighbour(r, c int, d Dir) int16 {
	dr, dc := d.Delta()
	r, c = r+dr, c+dc
	if t.Torus {
		r, c = (r+t.Rows)%t.Rows, (c+t.Cols)%t.Cols
	}
	if r < 0 || r >= t.Rows || c < 0 || c >= t.Cols {
		return None
	}
	return int16(r*t.Cols + c)
}

// Cells is the number of cells.
func (t *Topology) Cells() int { return len(t.next) }

// Next is the neighbour of cell in direction d, None where the board ends.
func (t *Topology) Next(cell int, d Dir) int { return int(t.next[cell][d]) }

// At is the number of the cell at row and col.
func (t *Topology) At(row, col int) int { return row*t.Cols + col }

// RowCol is the row and the column of a cell.
func (t *Topology) RowCol(cell int) (row, col int) { return cell / t.Cols, cell % t.Cols }

// Ray calls visit for each of the up to length cells that follow cell in
// direction d, until visit returns false or the board ends.
func (t *Topology) Ray(cell int, d Dir, length int, visit func(cell int) bool) {
	for range length {
		cell = t.Next(cell, d)
		if cell == None || !visit(cell) {
			return
		}
	}
}
