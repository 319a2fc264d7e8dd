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

// SeatResults is the result of each seat after a step that began with the seats of before
// in. A tie is one for teams as a whole; of those who play alone, for who is in at the end or,
// if nobody is, who went out in the last step. The others have lost.
func (s *Status) SeatResults(teams [][]int, before SeatSet) []SeatResult {
	in := s.In
	if in == 0 {
		in = before
	}
	seats := len(slices.Concat(teams...))
	results := slices.Repeat([]SeatResult{Lost}, seats)
	for seat := range results {
		switch {
		case !s.Decided.Has(seat):
			results[seat] = Undecided
		case s.Winners.Has(seat):
			results[seat] = Won
		case s.Result == Tie && (len(teams) < seats || in.Has(seat)):
			results[seat] = Tied
		}
	}
	return results
}

// Ending is one way in which a game ends for a seat, with what it pays ([Match.Outcome]).
type Ending struct {
	Ending  string     `json:"ending"`
	Result  SeatResult `json:"result"`
	Outcome float64    `json:"outcome"`
}
