package env

import (
	"errors"
	"fmt"
	"strings"
)

// Agent plays one seat of one match. Act gets the whole match, but must use only what
// its seat may see. The built-in agents get a view of their seat and nothing else; with
// the option omniscient=1, some get the whole match.
type Agent interface {
	// Reset empties the agent's memory and gives it an RNG for the episode.
	Reset(rng RNG)

	// Reseed replaces the RNG and leaves the memory as it is, as Match.Reseed
	// does for the game's.
	Reseed(rng RNG)

	// Act writes the seat's action, len(Spec.Actions) numbers.
	Act(m Match, seat int, action []uint8)

	// Append saves the agent's memory and RNG state, and Restore restores them.
	Append(dst []byte) []byte
	Restore(state []byte) error

	// Waits reports whether Act spends most of its time waiting for something outside this
	// program, so that it is worth stepping more games at a time than there are cores.
	Waits() bool

	// Searched is how many ticks of the game the last Act simulated, 0 if it decided
	// without simulation.
	Searched() uint64

	// SearchBytes is the most memory that Act uses to search, or to compute in another way, if
	// that is more than a few kilobytes. Agents that do not act at the same time may share it.
	SearchBytes() int64

	// StopOn makes Act load the flag every few moments while it searches. Once the flag is
	// true, Act soon returns with any action, which does not count. StopOn must be called
	// before the agent acts.
	StopOn(flag Flag)
}

// NoSearch is embedded in an Agent that neither searches nor waits.
type NoSearch struct{}

// Waits is false.
func (NoSearch) Waits() bool { return false }

// Searched is 0.
func (NoSearch) Searched() uint64 { return 0 }

// SearchBytes is 0.
func (NoSearch) SearchBytes() int64 { return 0 }

// StopOn does nothing.
func (NoSearch) StopOn(Flag) {}

// Outside is an Agent outside this program, such as a process of its own.
type Outside interface {
	// Try starts the agent, and returns an error if it cannot play.
	Try() error

	// End tells the agent that its episode has ended, in the position that m has. t, which may be nil, has counted it.
	End(m Match, t Tracker, seat int)

	// Missed is how many of the agent's moves in this episode were replaced by stop: those
	// that came late, and those that failed. The episode is void if it cannot be scored,
	// since the connection to the agent failed.
	Missed() (late, failed int, void bool)

	// Close ends the agent, which is not used after that.
	Close() error
}

// ErrTaken says that an agent outside this program cannot be made: it can play only one seat, and has one.
var ErrTaken = errors.New("has a seat already")

// Flag is an *atomic.Bool, or a type that acts as one and does more whenever it is loaded.
type Flag interface{ Load() bool }

// SearchReporter is an Agent that chooses by searching and reports the statistics of
// its search.
type SearchReporter interface {
	// SearchStatistics writes, for each choice of each action component (numbered as
	// Mask does), how often the last Act visited it and, if it did, the
	// value it found, in its own unit. The caller passes visits and values filled with
	// zeros. It returns false if that Act decided without a search.
	SearchStatistics(visits []int32, values []float64) bool
}

// FileError says that an agent's option names a file. Callers that trust the name read
// the file, and make the agent from its content.
type FileError struct {
	Option, Path string
	Names        []string // the built-in values of the option
	Make         func(content []byte) (Agent, error)
}

func (e *FileError) Error() string {
	return fmt.Sprintf("option %s=%s, want one of %s; only pommego play and pommego tournament read it from a file",
		e.Option, e.Path, strings.Join(e.Names, ", "))
}
