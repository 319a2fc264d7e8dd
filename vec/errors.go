package vec

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of calls that the present state of a game or pool does not allow. Errors
// that name the game wrap them.
var (
	ErrClosed   = errors.New("the pool is closed")
	ErrStopped  = errors.New("the pool has been stopped")
	ErrNotReset = errors.New("the game has never been reset; reset it first")
	ErrFinished = errors.New("the game has finished")
	ErrBroken   = errors.New("the game broke in an earlier call")
	ErrSent     = errors.New("the game is under way; receive it first")
	ErrFew      = errors.New("fewer games are under way than a batch holds")
)

// OptionError says that a field of Config, LineUps, Variants or Starts has a wrong value, or a field of another
// package's configuration.
type OptionError struct {
	Field string // as this package calls it, such as "ByGame"
	Says  error  // the rest of a sentence that begins with Field: which entry, its value, what is allowed
}

func (e *OptionError) Error() string { return e.Named(e.Field) }

// Named is the error's text with another name for the field.
func (e *OptionError) Named(field string) string { return field + e.Says.Error() }

// Unwrap returns the error of an agent, if that is what is wrong.
func (e *OptionError) Unwrap() error { return errors.Unwrap(e.Says) }

func wrong(field, says string, args ...any) error {
	return &OptionError{field, fmt.Errorf(says, args...)}
}

// ActionError says that an action is out of range. Nothing has been stepped.
type ActionError struct {
	Row       int
	Component int
	Name      string // the name of the component
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

// StateError says that a saved game cannot be loaded. Nothing has changed.
type StateError struct {
	Game int
	Err  error
}

func (e *StateError) Error() string { return fmt.Sprintf("state for game %d: %v", e.Game, e.Err) }

// Unwrap is what is wrong with the state.
func (e *StateError) Unwrap() error { return e.Err }

// GameError is a panic inside one game: a fault of the game or of an agent, not of the
// caller. The call has done its work in the other games.
type GameError struct {
	Game    int
	Seed    uint64
	Episode uint64
	// Actions are those of all seats, agents included; nil if the panic was not in
	// Match.Step.
	Actions []uint8
	// State is the match as Match.Append wrote it after the panic; nil if that panicked
	// too. After a panic in a step, the match may be in the middle of that step.
	State []byte
	Value any    // the argument of panic
	Stack []byte // the stack at the panic
}

func (e *GameError) Error() string {
	return fmt.Sprintf("game %d (seed %d, episode %d) panicked: %v", e.Game, e.Seed, e.Episode, e.Value)
}

// Unwrap returns the panic's value if that is an error.
func (e *GameError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
