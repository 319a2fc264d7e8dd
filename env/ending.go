package env

import (
	"cmp"
	"slices"
)

// SeatResult says how a game ended for a seat. That is not what the seat gets,
// [Match.Outcome]: some ties pay -1.
type SeatResult string

// The results a seat can have.
const (
	Won       SeatResult = "won"
	Lost      SeatResult = "lost"
	Tied      SeatResult = "tied"
	Undecided SeatResult = "undecided" // also for a seat that is out while its team plays on
)

// SeatResults are all results, in the order of their codes.
var SeatResults = []SeatResult{Undecided, Won, Lost, Tied}

// Code returns the result as batches have it: 0 undecided, 1 won, 2 lost, 3 tied.
func (r SeatResult) Code() uint8 { return uint8(slices.Index(SeatResults, r)) }

// SeatResults returns the result of each seat after a step; before holds the seats that were in before that step.
func (s *Status) SeatResults(teams [][]int, before SeatSet) []SeatResult {
	results := make([]SeatResult, len(slices.Concat(teams...)))
	for seat := range results {
		results[seat] = s.SeatResult(seat, len(teams) < len(results), before)
	}
	return results
}

// SeatResult returns the result of one seat. team says whether it is in a team or plays alone; before holds the seats
// that were in before the last step. If the game is a tie, all teams have tied. Of seats that play alone, those have
// tied that are in at the end or, if none is, that went out in the last step (if the game sets Tied, only those in it);
// the others have lost. before is empty for a game that was loaded after its end: then seats whose result depends on it
// are Undecided.
func (s *Status) SeatResult(seat int, team bool, before SeatSet) SeatResult {
	in := cmp.Or(s.Tied, s.In, before)
	switch {
	case !s.Decided.Has(seat), s.Result == Tie && !team && in == 0:
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
