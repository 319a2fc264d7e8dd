package tournament

import (
	"fmt"
	"slices"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
)

// Record is one finished game. Results need no actions: those of clients' games, and of games that
// version 0.1.0 played, are unknown.
type Record struct {
	ledger.Played

	// Result and Outcome are by seat, as [match.Report] has them.
	Result  []env.SeatResult `json:"result"`
	Outcome []float64        `json:"outcome"`

	Moves  []int    `json:"moves"` // by seat, like all fields below
	Ticks  []uint64 `json:"ticks"`
	Late   []int    `json:"late"`
	Failed []int    `json:"failed"`
	Gone   []int    `json:"gone,omitempty"` // moves without a question; nil in older logs, and where a client played

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

// forget drops what only a replay needs: the log has it.
func (r *Record) forget() { r.Actions, r.Decisions = nil, nil }

// check returns an error if the record does not match the game of its number.
func (s *schedule) check(r *Record) error {
	if r.Game < 0 || r.Game >= s.games() {
		return fmt.Errorf("its game is %d, want 0 to %d", r.Game, s.games()-1)
	}
	f := s.game(r.Game)
	if r.Seed != f.Seed || r.Repetition != f.Repetition || !slices.Equal(r.Agents, f.Agents) {
		return fmt.Errorf("game %d has seed %d and agents %q, want %d and %q", r.Game, r.Seed.Value, r.Agents,
			f.Seed.Value, f.Agents)
	}
	lists := []int{len(r.Result), len(r.Outcome), len(r.Moves), len(r.Ticks), len(r.Late), len(r.Failed),
		len(r.Clock.Think), len(r.Clock.Longest)}
	for _, optional := range []int{len(r.Errors), len(r.Answers), len(r.Gone)} {
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
	if r.Actions != nil {
		return r.CheckLogged(s.spec)
	}
	return nil
}
