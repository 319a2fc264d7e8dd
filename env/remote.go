package env

import "time"

// What a game may offer besides [Game], for matches with rules of competition
// and for agents outside this program.

// Collapser is a Game whose board can shrink as the game goes on, so that a tie
// becomes less likely.
type Collapser interface {
	// Collapsing is the same game on a collapsing board; the game itself if it
	// has one already, or can have none.
	Collapsing() Game
}

// Clocked is a Game whose own document sets the time a program has for a move, and
// the time without an answer after which it is not asked again.
type Clocked interface {
	Clock() (limit, giveUp time.Duration)
}

// SidesByLot is a Game whose own document has sides drawn by lot before a match.
type SidesByLot interface {
	SidesByLot() bool
}

// Dictionary is a Game that can describe its matches to programs in other
// languages, as JSON with exactly the keys, order and spaces of the game's
// reference.
type Dictionary interface {
	// AppendObservation appends the observation of one seat of a match of this
	// game as a JSON object: what the seat may know, and nothing else.
	AppendObservation(dst []byte, m Match, seat int) []byte

	// ActionSpace is the action space as JSON, such as "6" or "[6, 8, 8]".
	ActionSpace() string

	// GameType is the reference's number for the kind of game, or its name
	// where there is no such number, as JSON.
	GameType() string
}

// Seen is a Match that can be drawn as one seat sees it: nothing that the seat may
// not know, and what it needs to know of itself, in lines of text as AppendText
// writes them.
type Seen interface {
	AppendSeen(dst []byte, seat int, colour bool) []byte
}
