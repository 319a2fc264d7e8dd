package env_test

import (
	"slices"
	"testing"

	"pommego/env"
)

// Who was out before a game ended without a winner has lost it; a team ties as a whole.
func TestSeatResults(t *testing.T) {
	win := func(winners env.SeatSet) env.Verdict { return env.Verdict{Result: env.Win, Winners: winners} }
	as := func(r env.Result) env.Verdict { return env.Verdict{Result: r} }
	const won, lost, tied, open = env.Won, env.Lost, env.Tied, env.Undecided
	alone, teams := [][]int{{0}, {1}, {2}, {3}}, [][]int{{0, 2}, {1, 3}}
	for _, tc := range []struct {
		reason string
		teams  [][]int
		before env.SeatSet
		status env.Status
		want   []env.SeatResult
	}{
		{"two are left at the last step", alone, 0b1011, env.Status{In: 0b0011, Decided: 0b1111, Verdict: as(env.Tie)},
			[]env.SeatResult{tied, tied, lost, lost}},
		{"the last two went together", alone, 0b1100, env.Status{Decided: 0b1111, Verdict: as(env.Tie)},
			[]env.SeatResult{lost, lost, tied, tied}},
		{"one of the last two went first", alone, 0b1100,
			env.Status{Decided: 0b1111, Verdict: env.Verdict{Result: env.Tie, Tied: 0b1000}},
			[]env.SeatResult{lost, lost, lost, tied}},
		{"they are all out, and nobody knows since when", alone, 0, env.Status{Decided: 0b1111, Verdict: as(env.Tie)},
			[]env.SeatResult{open, open, open, open}},
		{"a winner", alone, 0b0011, env.Status{In: 1, Decided: 0b1111, Verdict: win(1)},
			[]env.SeatResult{won, lost, lost, lost}},
		{"a rule by which all lose", alone, 0b0011, env.Status{Decided: 0b1111, Verdict: as(env.Loss)},
			[]env.SeatResult{lost, lost, lost, lost}},
		{"one is out, and the others play on", alone, 0b1111,
			env.Status{In: 0b0111, Decided: 0b1000, Verdict: as(env.Incomplete)}, []env.SeatResult{open, open, open, lost}},
		{"one is left of each team", teams, 0b0011, env.Status{In: 0b0011, Decided: 0b1111, Verdict: as(env.Tie)},
			[]env.SeatResult{tied, tied, tied, tied}},
		{"a team that is out ties where points decide", teams, 0b0101,
			env.Status{In: 0b0101, Decided: 0b1111, Verdict: as(env.Tie)}, []env.SeatResult{tied, tied, tied, tied}},
		{"a dead mate wins with its team", teams, 0b0011,
			env.Status{In: 0b0001, Decided: 0b1111, Verdict: win(0b0101)}, []env.SeatResult{won, lost, won, lost}},
	} {
		if got := tc.status.SeatResults(tc.teams, tc.before); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.reason, got, tc.want)
		}
	}
}
