package vec

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of calls that the state of a game or pool does not allow. Errors that
// name the game wrap these.
var (
	ErrClosed   = errors.New("the pool is closed")
	ErrStopped  = errors.New("the pool has been stopped")
	ErrNotReset = errors.New("the game has never been reset; reset it first")
	ErrFinished = errors.New("the game has finished and autoreset is disabled; reset it, with a mask")
	ErrBroken   = errors.New("the game broke in an earlier call; reset it, with a mask")
	ErrSent     = errors.New("the game is under way; receive it first")
	ErrFew      = errors.New("fewer games are under way than a batch holds; send more, or reset")
)

// OptionError is a field of Config, LineUps, Variants or Starts that cannot be as it is.
type OptionError struct {
	Field string // as this package calls it, such as "ByGame"
	says  error  // which of it, what it is and what it may be; with the field's name before it a sentence
}

func (e *OptionError) Error() string { return e.Named(e.Field) }

// Named is the error's text with another name for the field.
func (e *OptionError) Named(field string) string { return field + e.says.Error() }

// Unwrap is the error of an agent, if it is about one.
func (e *OptionError) Unwrap() error { return errors.Unwrap(e.says) }

func wrong(field, says string, args ...any) error {
	return &OptionError{field, fmt.Errorf(says, args...)}
}

// ActionError is an action out of range. Nothing has been stepped.
type ActionError struct {
	Row       int
	Component int
	Name      string // the component's
	Value     uint8
	N         int // values are 0 to N-1
}

func (e *ActionError) Error() string {
	value := strconv.Itoa(int(e.Value))
	if e.Value == 255 { // what clients send for a number that does not fit into a byte
		value = "negative or above 254"
	}
	where := fmt.Sprintf("row %d, component %d (%s)", e.Row, e.Component, e.Name)
	return fmt.Sprintf("action of %s, is %s, want 0 to %d", where, value, e.N-1)
}

// StateError is a saved game that cannot be loaded. Nothing has changed.
type StateError struct {
	Game int
	Err  error
}

func (e *StateError) Error() string { return fmt.Sprintf("state for game %d: %v", e.Game, e.Err) }

// Unwrap is what is wrong with the state.
func (e *StateError) Unwrap() error { return e.Err }

// GameError is a panic inside one game: a fault of the game or of an agent, not
// of the caller. The other games have done what they were asked to.
type GameError struct {
	Game    int
	Seed    uint64
	Episode uint64
	// Actions are those of all seats, agents included; nil if the panic was not in
	// Match.Step.
	Actions []uint8
	// State is the match as Match.Append wrote it after the panic; nil if that
	// panicked too. After a panic in a step it may be half made.
	State []byte
	Value any    // what the panic carried
	Stack []byte // where
}

func (e *GameError) Error() string {
	return fmt.Sprintf("game %d (seed %d, episode %d) panicked: %v", e.Game, e.Seed, e.Episode, e.Value)
}

// Unwrap is the panic's value if it is an error.
func (e *GameError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
