package env

import "slices"

// SeatResult is what the end of a game is for a seat. What it pays, [Match.Outcome], is
// another matter: some ties pay -1.
type SeatResult string

// The results a seat can have.
const (
	Won       SeatResult = "won"
	Lost      SeatResult = "lost"
	Tied      SeatResult = "tied"
	Undecided SeatResult = "undecided" // also the result of who is out while its team plays on
)

// SeatResults are all results, in the order of their codes.
var SeatResults = []SeatResult{Undecided, Won, Lost, Tied}

// Code is the result as batches have it: 0 undecided, 1 won, 2 lost, 3 tied.
func (r SeatResult) Code() uint8 { return uint8(slices.Index(SeatResults, r)) }

// SeatResults is the result of each seat after a step that began with the seats of before in.
func (s *Status) SeatResults(teams [][]int, before SeatSet) []SeatResult {
	results := make([]SeatResult, len(slices.Concat(teams...)))
	for seat := range results {
		results[seat] = s.SeatResult(seat, len(teams) < len(results), before)
	}
	return results
}

// SeatResult is the result of one seat, in a game in which it is in a team or plays alone. A tie is one for teams as
// a whole; of those who play alone, for who is in at the end or, if nobody is, who went out in the last step. The
// others have lost.
func (s *Status) SeatResult(seat int, team bool, before SeatSet) SeatResult {
	in := s.In
	if in == 0 {
		in = before
	}
	switch {
	case !s.Decided.Has(seat):
		return Undecided
	case s.Winners.Has(seat):
		return Won
	case s.Result == Tie && (team || in.Has(seat)):
		return Tied
	}
	return Lost
}

// Ending is one way in which a game ends for a seat, with what it pays ([Match.Outcome]).
type Ending struct {
	Ending  string     `json:"ending"`
	Result  SeatResult `json:"result"`
	Outcome float64    `json:"outcome"`
}
