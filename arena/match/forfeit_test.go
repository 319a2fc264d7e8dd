package match

import (
	"reflect"
	"testing"

	"pommego/env"
)

// Who has won once programs were stopped for their memory.
func TestForfeit(t *testing.T) {
	const won, lost, tied = env.Won, env.Lost, env.Tied
	all, pairs := [][]int{{0}, {1}, {2}, {3}}, [][]int{{0, 2}, {1, 3}}
	for _, tc := range []struct {
		reason  string
		sides   [][]int
		stopped env.SeatSet
		result  env.Result
		winners env.SeatSet
		want    env.Result
		seats   []env.SeatResult
	}{
		{"nobody was stopped", all, 0, env.Win, 1, env.Win, []env.SeatResult{won, lost, lost, lost}},
		{"nobody was stopped in a tie", all, 0, env.Tie, 0, env.Tie, []env.SeatResult{tied, tied, tied, tied}},
		{"a loser was stopped", all, 2, env.Win, 1, env.Win, []env.SeatResult{won, lost, lost, lost}},
		{"the winner was stopped: the others tie", all, 1, env.Win, 1, env.Tie, []env.SeatResult{lost, tied, tied, tied}},
		{"one of two winners was stopped", all, 1, env.Win, 3, env.Win, []env.SeatResult{lost, won, lost, lost}},
		{"one of those who tied was stopped", all, 8, env.Tie, 0, env.Tie, []env.SeatResult{tied, tied, tied, lost}},
		{"all but one were stopped", all, 7, env.Tie, 0, env.Win, []env.SeatResult{lost, lost, lost, won}},
		{"all were stopped", all, 15, env.Win, 1, env.Loss, []env.SeatResult{lost, lost, lost, lost}},
		{"one of the winning team was stopped", pairs, 4, env.Win, 5, env.Win, []env.SeatResult{lost, won, lost, won}},
		{"one of each team was stopped", pairs, 12, env.Win, 5, env.Loss, []env.SeatResult{lost, lost, lost, lost}},
		{"all have lost already", all, 1, env.Loss, 0, env.Loss, []env.SeatResult{lost, lost, lost, lost}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			c := &contest{players: make([]Player, 4), report: &Report{}, stopped: tc.stopped}
			end := env.Verdict{Over: true, Result: tc.result, Winners: tc.winners}
			c.settle(env.Status{Verdict: end, In: 15, Decided: 15}, tc.sides)
			if c.report.End.Result != tc.want || !reflect.DeepEqual(c.report.Results, tc.seats) {
				t.Errorf("%v %v, want %v %v", c.report.End.Result, c.report.Results, tc.want, tc.seats)
			}
		})
	}
}
