package tournament

import (
	"fmt"
	"slices"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// Record is one finished game.
type Record struct {
	Game       int      `json:"game"`                 // the game's number in the schedule
	Seed       uint64   `json:"seed"`                 // of the board
	Repetition int      `json:"repetition,omitempty"` // which of the games on that board, from 0
	Agents     []string `json:"agents"`               // by seat

	// Result and Outcome are by seat, as [match.Report] has them.
	Result  []env.SeatResult `json:"result"`
	Outcome []float64        `json:"outcome"`
	Steps   int              `json:"steps"`

	Moves  []int    `json:"moves"` // by seat, like all fields below
	Ticks  []uint64 `json:"ticks"`
	Late   []int    `json:"late"`
	Failed []int    `json:"failed"`

	Answers []match.Answers `json:"answers,omitempty"` // nil without language models

	Counts env.Counts `json:"counts,omitempty"` // what the game counted

	Errors []string `json:"errors,omitempty"`

	Clock Clock `json:"clock"`
}

// Clock has the times of one game, by seat. Results use nothing
// of it.
type Clock struct {
	Think   []time.Duration `json:"think_ns"`   // of all moves together
	Longest []time.Duration `json:"longest_ns"` // of the longest move
}

// check returns an error if the record does not match the game of its number.
func (s *schedule) check(r *Record) error {
	if r.Game < 0 || r.Game >= s.games() {
		return fmt.Errorf("its game is %d, want 0 to %d", r.Game, s.games()-1)
	}
	f := s.game(r.Game)
	if names := s.names(&f); r.Seed != f.seed.Value || r.Repetition != f.again || !slices.Equal(r.Agents, names) {
		return fmt.Errorf("game %d has seed %d and agents %q, want %d and %q", r.Game, r.Seed, r.Agents,
			f.seed.Value, names)
	}
	lists := []int{len(r.Result), len(r.Outcome), len(r.Moves), len(r.Ticks), len(r.Late), len(r.Failed),
		len(r.Clock.Think), len(r.Clock.Longest)}
	for _, optional := range []int{len(r.Errors), len(r.Answers)} {
		if optional > 0 {
			lists = append(lists, optional)
		}
	}
	for _, list := range r.Counts {
		lists = append(lists, len(list))
	}
	for _, seats := range lists {
		if seats != s.spec.Seats {
			return fmt.Errorf("it has a list with %d seats, want %d", seats, s.spec.Seats)
		}
	}
	return nil
}
