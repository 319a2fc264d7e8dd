package match

import (
	"reflect"
	"testing"

	"pommego/env"
)

// Who has won once programs were stopped for their memory.
func TestForfeit(t *testing.T) {
	all, pairs := [][]int{{0}, {1}, {2}, {3}}, [][]int{{0, 2}, {1, 3}}
	for _, tc := range []struct {
		reason  string
		sides   [][]int
		stopped env.SeatSet
		result  env.Result
		winners env.SeatSet
		ties    Ties
		want    env.Result
		outcome []float64
	}{
		{"nobody was stopped", all, 0, env.Win, 1, 0, env.Win, []float64{1, -1, -1, -1}},
		{"nobody was stopped in a tie", all, 0, env.Tie, 0, 0, env.Tie, []float64{0, 0, 0, 0}},
		{"nobody was stopped, and ties are lost", all, 0, env.Tie, 0, RerunJava, env.Loss, []float64{-1, -1, -1, -1}},
		{"a loser was stopped", all, 2, env.Win, 1, 0, env.Win, []float64{1, -1, -1, -1}},
		{"the winner was stopped: the others tie", all, 1, env.Win, 1, 0, env.Tie, []float64{-1, 0, 0, 0}},
		{"one of two winners was stopped", all, 1, env.Win, 3, 0, env.Win, []float64{-1, 1, -1, -1}},
		{"one of those who tied was stopped", all, 8, env.Tie, 0, 0, env.Tie, []float64{0, 0, 0, -1}},
		{"all but one were stopped", all, 7, env.Tie, 0, 0, env.Win, []float64{-1, -1, -1, 1}},
		{"all were stopped", all, 15, env.Win, 1, 0, env.Loss, []float64{-1, -1, -1, -1}},
		{"one of the winning team was stopped", pairs, 4, env.Win, 5, 0, env.Win, []float64{-1, 1, -1, 1}},
		{"one of each team was stopped", pairs, 12, env.Win, 5, 0, env.Loss, []float64{-1, -1, -1, -1}},
		{"all have lost already", all, 1, env.Loss, 0, 0, env.Loss, []float64{-1, -1, -1, -1}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			c := &contest{players: make([]Player, 4), result: &Result{}, stopped: tc.stopped, rules: Rules{Ties: tc.ties}}
			c.conclude(c.forfeit(env.Status{Over: true, Result: tc.result, Winners: tc.winners}, tc.sides))
			if c.result.Result != tc.want || !reflect.DeepEqual(c.result.Outcome, tc.outcome) {
				t.Errorf("%v %v, want %v %v", c.result.Result, c.result.Outcome, tc.want, tc.outcome)
			}
		})
	}
}
