package env

// Picture is a drawing of a position: tiles in rows, and lines below.
type Picture struct {
	Cols, Rows int
	Tiles      []Tile // Cols times Rows, row after row
	Lines      []Line
}

// Tile is one cell of a picture: a background, optionally with a mark on it.
type Tile struct {
	Ground Colour
	Fog    bool // out of sight: the ground is hatched
	Mark
	Corner string // a number in the corner, such as the time left of a bomb that is hidden by the mark
}

// Mark is a shape, optionally with a label of up to three characters.
type Mark struct {
	Shape  Shape
	Colour Colour // of the shape
	Edge   Colour // of its outline, 0 for none
	Label  string
}

// Line is a line below a picture. An image, which is narrow, shows marks and behind
// them a few letters; Text says the same in words.
type Line struct {
	Text  string
	Marks []Mark
	Short string
}

// Colour is 0xRRGGBB.
type Colour uint32

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
	numShapes
)

func (s Shape) String() string {
	if s < numShapes {
		return [...]string{"nothing", "disc", "square", "diamond", "cross", "ring", "block", "bricks", "star", "round", "card"}[s]
	}
	return "Shape(?)"
}

// MaxPaint is how many seats have a colour of their own.
const MaxPaint = 8

// Colours that people with any of the usual forms of colour blindness can tell apart
// (after Okabe and Ito): by seat, and in games of two teams shades of a hue for each.
var (
	seatPaint = [MaxPaint]Colour{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0xf0e442, 0x8a8f98}
	teamPaint = [2][3]Colour{{0x0072b2, 0x56b4e9, 0x00446b}, {0xd55e00, 0xe69f00, 0x803900}}
)

// SeatColour is the colour of a seat in pictures.
func SeatColour(seat int) Colour { return seatPaint[seat%MaxPaint] }

// TeamColour is the colour of member k of a team, of two teams.
func TeamColour(team, k int) Colour { return teamPaint[team][k] }

// AgentMark is how an agent looks: its team shows in the shape.
func AgentMark(team int, c Colour, label string) Mark {
	return Mark{Disc + Shape(team%4), c, outline, label}
}

const outline Colour = 0x151515

// Pictured is a match, or a recorded game, that can be shown as a picture.
type Pictured interface {
	// Picture draws what a seat sees, or with NoSeat the whole game.
	Picture(seat int) Picture
}
