// Package env is the contract between a game and everything that steps it.
//
// A [Game] is one id with its rules: how many seats it has, what each seat may
// do and what each seat sees. It is read-only and shared by every goroutine. A
// [Match] is one running game: a small value that is reset from a [Seed],
// stepped with one action per seat, and afterwards reports its status, its rewards,
// which actions are legal and what each seat observes.
//
//	game, err := catalog.Game("PommeFFACompetition-v0")
//	match := game.New(1)[0]
//	match.Reset(env.Seed{Value: 7})
//	for !match.Status().Over {
//		match.Step([]uint8{0, 1, 2, 5}) // one action a seat
//	}
//
// # Determinism
//
// A match has no clock, no global state and no goroutine. All its random draws come
// from its [RNG], and that comes from its [Seed] alone (see [Seed]). The same seed and
// actions give the same bytes everywhere.
//
// # Concurrency
//
// A Game is safe for concurrent use. A Match and an Agent belong to one
// goroutine at a time.
//
// # Errors
//
// Step and Observe return no error: callers check actions from outside against
// [Spec.Actions] first, and a broken invariant panics. Restore and RestoreJSON take
// bytes from outside and return an error that says what is wrong with them.
package env

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"pommego/internal/enum"
)

// Game is one id with its rules, from which matches and agents are made.
type Game interface {
	// Spec describes the game. The caller must not change it.
	Spec() *Spec

	// New makes n matches in one block of memory. They must be Reset or
	// restored before use.
	New(n int) []Match

	// Copy makes a match equal to another, rules included. Both must be of this game, by any rules. It allocates nothing.
	Copy(to, from Match)

	// NewAgent makes a built-in agent from its name, with options where it has
	// any ("simple", "mcts:ticks=2000"). An unknown name is an error that
	// lists what exists. Games read no files: an option that names one is a
	// [FileError].
	NewAgent(name string) (Agent, error)

	// NewTrackers makes n trackers in one block of memory, one for each of n
	// matches. They keep events only if events is set.
	NewTrackers(n int, events bool) []Tracker

	// Clock is the time that the game's specification gives a program for a move, and the
	// time without an answer after which the program is given up. Both are 0 if the
	// specification says nothing.
	Clock() (limit, giveUp time.Duration)

	// Endings are the ways in which a game can end for a seat.
	Endings() []Ending

	// AppendObservation appends the observation of one seat of a match of this
	// game as a JSON object, for programs in other languages: what the seat may know, with
	// exactly the keys, order and spaces of the game's reference.
	AppendObservation(dst []byte, m Match, seat int) []byte

	// ActionSpace is the action space as JSON, such as "6" or "[6, 8, 8]".
	ActionSpace() string

	// GameType is the reference's number for the kind of game, or its name if there
	// is no such number, as JSON.
	GameType() string
}

// Match is one running game.
type Match interface {
	// Reset starts a new episode.
	Reset(seed Seed)

	// Reseed replaces the RNG and leaves the rest as it is. A forward model must
	// reseed its copies, otherwise a search would foresee the draws.
	Reseed(seed Seed)

	// SetTrainingSeat sets the seat whose death also ends the game until the next Reset, -1
	// for that of the rules, if any. Games without elimination ignore it.
	SetTrainingSeat(seat int)

	// Step makes one move. actions holds len(Spec.Actions) numbers per seat, seat
	// after seat. Actions of seats that are out are ignored. Step must not be called
	// when Status().Over.
	Step(actions []uint8)

	// Status reports the state of play after the last step.
	Status() Status

	// Rewards writes each seat's reward for the last step, by the game's own rules
	// (those of the reference).
	Rewards(dst []float64)

	// Outcome writes how the game ended for each seat: +1 won, -1 lost, and for a tie
	// the game's own value. Only the entries of seats in Status().Decided are
	// meaningful, and they never change again.
	Outcome(dst []float64)

	// Mask writes one byte for each choice of each action component
	// (Spec.MaskSize of them): 0 only if, by what the seat can see, the choice has no
	// effect. Choice 0 is always legal. A seat that is out has choice 0 only.
	Mask(seat int, dst []uint8)

	// Observe writes the observations of the given seats, in their order, one after
	// another. encoding is an index into Spec.Encodings, or GlobalState. dst[f]
	// receives field f: Field.Size bytes per seat, or only once if the field is Shared.
	// Multi-byte elements are little-endian.
	Observe(encoding int, seats []uint8, dst [][]byte)

	// Append appends the match's complete state, RNG included, to dst.
	Append(dst []byte) []byte

	// Restore sets the state from what Append wrote in a match of the same
	// game. On an error the match is as it was.
	Restore(state []byte) error

	// AppendJSON and RestoreJSON do the same as Append and Restore, in a readable form.
	AppendJSON(dst []byte) ([]byte, error)
	RestoreJSON(state json.RawMessage) error

	// Stage describes what is the same in all positions of the game, for pictures of it.
	Stage() Stage

	// Describe fills s with the position, for pictures of it. It reuses the memory of s.
	Describe(s *Scene)
}

// Careful is a [Match] that can tell which moves a seat can survive.
type Careful interface {
	// ObserveSafely writes the observations of the seats as Observe does, and their masks as Mask does. Of the choices
	// that Mask allows, it keeps only those that the seat can survive as far as it can know; if there are none, it
	// keeps all. It does both because both may need to look ahead.
	ObserveSafely(encoding int, seats []uint8, dst [][]byte, masks []byte)
}

// Spec describes a game: everything a caller needs to allocate its buffers, name their
// contents and choose actions.
type Spec struct {
	ID          string     `json:"id"`
	Game        string     `json:"game"`        // family, such as "pommerman"
	Version     int        `json:"version"`     // grows when recorded games would replay differently
	Description string     `json:"description"` // one line
	Seats       int        `json:"seats"`
	Teams       [][]int    `json:"teams"`            // each a list of seats that win and lose together
	Elimination bool       `json:"elimination"`      // a seat can be out before the game is over
	MaxSteps    int        `json:"max_steps"`        // the rules' own limit, which terminates
	Actions     []Choice   `json:"actions"`          // the components of one seat's action
	Encodings   []Encoding `json:"encodings"`        // the ways to observe, the default first
	State       []Field    `json:"state,omitempty"`  // the global state, all Shared, see GlobalState
	Agents      []string   `json:"agents"`           // the built-in agents' names
	Counts      []Name     `json:"counts,omitempty"` // what is counted for each seat, see Tracker
	Rules       any        `json:"rules"`            // the rules as a struct that marshals to JSON

	// Training holds the seats whose death ends the game by its rules: see Match.SetTrainingSeat.
	Training SeatSet `json:"-"`

	// AgentVersions has the version of each agent's decisions, by name. It grows when the
	// agent decides differently in the same game.
	AgentVersions map[string]int `json:"agent_versions,omitempty"`

	// RuleMeanings has the meaning of each field of the rules, including fields that JSON
	// omits.
	RuleMeanings []Name `json:"rule_meanings,omitempty"`
}

// Choice is one component of an action: a number in [0, N).
type Choice struct {
	Name  string   `json:"name"`
	N     int      `json:"n"`
	Names []string `json:"names"` // what each number means
}

// Encoding is one form of observations.
type Encoding struct {
	Name   string  `json:"name"`
	Fields []Field `json:"fields"`
}

// Field is one tensor of an encoding, described for one seat.
type Field struct {
	Name   string  `json:"name"`
	DType  DType   `json:"dtype"`
	Shape  []int   `json:"shape"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Shared bool    `json:"shared"` // the same for all seats of a game, so written only once
	Names  []Name  `json:"names"`  // the entries along the first axis
}

// GlobalState, given instead of an encoding's index, makes Match.Observe write the
// global state: what everybody would see without fog, from no seat's point of view. It
// is for critics. It needs no seats, and its fields are Spec.State.
const GlobalState = -1

// ID removes the prefix "pommego/", which ids have in gymnasium's registry.
func ID(name string) string { return strings.TrimPrefix(name, "pommego/") }

// Name is the name and meaning of one plane, map, scalar or rule.
type Name struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// DType is the type of a tensor's elements.
type DType string

// The element types in use, by numpy's names.
const (
	Uint8   DType = "uint8"
	Int16   DType = "int16"
	Float32 DType = "float32"
	Int32   DType = "int32"
	Float64 DType = "float64"
	Uint64  DType = "uint64"
)

// Bytes is the size of one element.
func (d DType) Bytes() int {
	switch d {
	case Uint8:
		return 1
	case Int16:
		return 2
	case Float32, Int32:
		return 4
	case Float64, Uint64:
		return 8
	}
	panic("env: unknown dtype " + string(d))
}

// Size is how many bytes the field takes for one seat (for one game if Shared).
func (f *Field) Size() int {
	n := f.DType.Bytes()
	for _, d := range f.Shape {
		n *= d
	}
	return n
}

// Encoding finds an encoding by name and returns its index, -1 if there is none.
func (s *Spec) Encoding(name string) int {
	return slices.IndexFunc(s.Encodings, func(e Encoding) bool { return e.Name == name })
}

// MaskSize is how many bytes Match.Mask writes.
func (s *Spec) MaskSize() int {
	n := 0
	for _, c := range s.Actions {
		n += c.N
	}
	return n
}

// Result is the result of a game as a whole, with the reference's numbers.
type Result uint8

// The results a game can have.
const (
	Win        Result = 0
	Loss       Result = 1
	Tie        Result = 2
	Incomplete Result = 3
)

var resultNames = [...]string{"Win", "Loss", "Tie", "Incomplete"}

func (r Result) String() string { return enum.Name(resultNames[:], r) }

// Status is the state of play after a match's last step. Every step passes it on. It
// has only four fields, because the compiler keeps larger structs in memory.
type Status struct {
	Verdict
	In      SeatSet // seats still playing
	Decided SeatSet // seats whose outcome can no longer change
	Steps   int     // steps made
}

// Verdict says whether and how the game as a whole has ended.
type Verdict struct {
	Over    bool    // the rules have ended the game
	Result  Result  // Incomplete until Over
	Winners SeatSet // empty unless Result is Win

	// Tied holds the seats that have tied. A game sets it only if some of those that go out in the last step can have
	// lost to others that do; elsewhere it is empty, and SeatResult knows who has tied.
	Tied SeatSet
}

// Playing returns the status of a game that goes on and in which no seat's outcome is decided.
func Playing(in SeatSet, steps int) Status {
	return Status{Verdict: Verdict{Result: Incomplete}, In: in, Steps: steps}
}

// Ended returns the status at the end of the game. winners have won; if there are none, it is a tie.
func (s Status) Ended(all, winners SeatSet) Status {
	s.Over, s.Decided, s.Winners, s.Result = true, all, winners, Tie
	if winners != 0 {
		s.Result = Win
	}
	return s
}

// Outcome writes +1 for the winners and -1 for all others, or 0 for all if nobody has
// won. Most games have it as their Match.Outcome.
func Outcome(winners SeatSet, dst []float64) {
	for seat := range dst {
		switch {
		case winners == 0:
			dst[seat] = 0
		case winners.Has(seat):
			dst[seat] = 1
		default:
			dst[seat] = -1
		}
	}
}

// SeatSet is a set of up to 16 seats, whose JSON form is a list.
type SeatSet uint16

// MarshalJSON writes the seats in order.
func (s SeatSet) MarshalJSON() ([]byte, error) { return json.Marshal(append([]int{}, s.List()...)) }

// UnmarshalJSON reads a list of seats.
func (s *SeatSet) UnmarshalJSON(text []byte) error {
	var seats []int
	if err := json.Unmarshal(text, &seats); err != nil {
		return err
	}
	*s = 0
	for _, seat := range seats {
		if seat < 0 || seat > 15 {
			return fmt.Errorf("seats are %v, want numbers from 0 to 15", seats)
		}
		*s = s.With(seat)
	}
	return nil
}

// Has reports whether seat is in the set.
func (s SeatSet) Has(seat int) bool { return s>>seat&1 != 0 }

// With returns the set with seat added.
func (s SeatSet) With(seat int) SeatSet { return s | 1<<seat }

// Without returns the set with seat taken out.
func (s SeatSet) Without(seat int) SeatSet { return s &^ (1 << seat) }

// All calls visit for every seat in the set in order.
func (s SeatSet) All(visit func(int) bool) {
	for ; s != 0; s &= s - 1 {
		if !visit(bits.TrailingZeros16(uint16(s))) {
			return
		}
	}
}

// List lists the seats in the set in order, nil if there are none.
func (s SeatSet) List() []int { return slices.Collect(s.All) }

// First is the lowest seat in the set, NoSeat if there is none.
func (s SeatSet) First() int {
	if s == 0 {
		return NoSeat
	}
	return bits.TrailingZeros16(uint16(s))
}

// Len is the number of seats in the set.
func (s SeatSet) Len() int { return bits.OnesCount16(uint16(s)) }

// AllSeats is the set of seats 0 to n-1.
func AllSeats(n int) SeatSet { return 1<<n - 1 }
