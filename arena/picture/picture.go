package picture

import "pommego/env"

// Picture is a drawing of a position: tiles in rows, and lines below.
type Picture struct {
	Cols, Rows int
	Tiles      []Tile // Cols times Rows, row after row
	Lines      []Line
}

// Tile is one cell of a picture: a background, optionally with a mark on it.
type Tile struct {
	Ground env.Colour
	Fog    bool // out of sight: the ground is hatched
	Mark
	Corner string // a number in the corner, such as the time left of a bomb that is hidden by the mark
}

// Mark is a shape, optionally with a label of up to three characters.
type Mark struct {
	Shape  Shape
	Colour env.Colour // of the shape
	Edge   env.Colour // of its outline, 0 for none
	Label  string
}

// Line is a line below a picture: marks, and behind them a few words.
type Line struct {
	Marks []Mark
	Text  string
}

// Shape is the shape drawn on a tile.
type Shape uint8

// The shapes.
const (
	Nothing Shape = iota
	Disc
	Square
	Diamond // standing on a corner
	Cross
	Ring
	Block  // almost the whole tile
	Bricks // the same, with joints
	Star   // a burst
	Round  // a disc with a fuse: a bomb
	Card   // a square with an outline: an item
)
