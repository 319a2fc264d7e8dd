package env

// Picture is a drawing of a position: tiles in rows, and lines of text below.
type Picture struct {
	Cols, Rows int
	Tiles      []Tile // Cols times Rows, row after row
	Lines      []string
}

// Tile is one cell of a picture: a background, optionally with a shape and a short
// label on it.
type Tile struct {
	Ground Colour
	Shape  Shape
	Colour Colour // of the shape
	Label  string // up to three characters
}

// Colour is 0xRRGGBB.
type Colour uint32

// Shape is the shape drawn on a tile.
type Shape uint8

// The shapes.
const (
	Nothing Shape = iota
	Disc
	Ring
	Block   // almost the whole tile
	Bricks  // the same, with joints
	Diamond // standing on a corner
	Star    // a burst
	numShapes
)

func (s Shape) String() string {
	if s < numShapes {
		return [...]string{"nothing", "disc", "ring", "block", "bricks", "diamond", "star"}[s]
	}
	return "Shape(?)"
}

// Pictured is a match, or a recorded game, that can be shown as a picture.
type Pictured interface {
	Picture() Picture
}
