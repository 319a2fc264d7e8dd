package env

import "time"

// Optional interfaces of games, for matches with rules of competition and for agents
// outside this program.

// Collapser is a Game whose board can shrink during a game, which makes ties less
// likely.
type Collapser interface {
	// Collapsing is the same game on a collapsing board, or the game itself if its
	// board already collapses or cannot collapse.
	Collapsing() Game
}

// Clocked is a Game whose specification sets the time that a program has for a move,
// and the time without an answer after which it is given up.
type Clocked interface {
	Clock() (limit, giveUp time.Duration)
}

// SidesByLot is a Game whose specification has sides drawn by lot before a match.
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

	// GameType is the reference's number for the kind of game, or its name if there
	// is no such number, as JSON.
	GameType() string
}
