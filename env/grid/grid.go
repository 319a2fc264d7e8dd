// Package grid is the geometry that games on square cells share: directions,
// cells, and sets of cells small enough to be handled as bits.
//
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
	c := At(0, 0).Next(d)
	return c.Row(), c.Col()
}

// Opposite is the direction back.
func (d Dir) Opposite() Dir { return opposites[d] }

var opposites = [...]Dir{Stay, Down, Up, Right, Left}
