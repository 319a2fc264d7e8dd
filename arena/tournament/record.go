package tournament

import (
	"fmt"
	"slices"
	"time"
)

// Record is one finished game.
type Record struct {
	Game    int      `json:"game"` // its number in the schedule
	Seed    uint64   `json:"seed"`
	Agents  []string `json:"agents"`  // by seat
	Outcome []int    `json:"outcome"` // by seat: +1 won, -1 lost, 0 tied
	Steps   int      `json:"steps"`
	Played  int      `json:"played"` // games, the re-runs of ties included

	Moves  []int    `json:"moves"` // by seat, as all that follows
	Ticks  []uint64 `json:"ticks"`
	Late   []int    `json:"late"`
	Failed []int    `json:"failed"`

	// FailedNotices is nil if there are none: most logs have nothing to say of them.
	FailedNotices []int `json:"failed_notices,omitempty"`

	Errors []string `json:"errors,omitempty"`

	Clock Clock `json:"clock"`
}

// Clock is what the clock said about one game, by seat. Nothing in Results
// comes from here.
type Clock struct {
	Think   []time.Duration `json:"think_ns"`   // all moves together
	Longest []time.Duration `json:"longest_ns"` // one move
}

// check reports whether the record can be of the game it claims to be.
func (s *schedule) check(r *Record) error {
	if r.Game < 0 || r.Game >= s.games() {
		return fmt.Errorf("it is of game %d, want 0 to %d", r.Game, s.games()-1)
	}
	f := s.game(r.Game)
	if names := s.names(&f); r.Seed != f.seed.Value || !slices.Equal(r.Agents, names) {
		return fmt.Errorf("it says that game %d has seed %d and agents %q, want %d and %q", r.Game, r.Seed, r.Agents, f.seed.Value, names)
	}
	n := s.spec.Seats
	for _, have := range []int{len(r.Outcome), len(r.Moves), len(r.Ticks), len(r.Late), len(r.Failed), len(r.Clock.Think), len(r.Clock.Longest)} {
		if have != n {
			return fmt.Errorf("it has a list of %d seats, want %d", have, n)
		}
	}
	if r.Errors != nil && len(r.Errors) != n {
		return fmt.Errorf("it has errors of %d seats, want %d or none", len(r.Errors), n)
	}
	if r.FailedNotices != nil && len(r.FailedNotices) != n {
		return fmt.Errorf("it has failed notices of %d seats, want %d or none", len(r.FailedNotices), n)
	}
	return nil
}
