package report

import (
	"strconv"

	"pommego/arena/tournament"
)

// agentsData is the standings with every figure in a column of its own.
func agentsData(r *tournament.Results) *table {
	t := &table{head: []string{"agent", "games", "wins", "losses", "ties"}}
	for _, name := range []string{"win_rate", "loss_rate", "tie_rate", "rating", "steps"} {
		t.head = append(t.head, name, name+"_low", name+"_high")
	}
	t.head = append(t.head, "moves", "ticks_per_move", "late", "failed", "failed_notices")
	for _, a := range r.Agents {
		row := []string{a.Agent, strconv.Itoa(a.Games), strconv.Itoa(a.Wins), strconv.Itoa(a.Losses), strconv.Itoa(a.Ties)}
		for _, e := range []tournament.Estimate{a.Win, a.Loss, a.Tie, a.Rating, a.Steps} {
			row = append(row, number(e.Value), number(e.Low), number(e.High))
		}
		t.add(append(row, strconv.Itoa(a.Moves), number(a.Ticks), strconv.Itoa(a.Late), strconv.Itoa(a.Failed), strconv.Itoa(a.FailedNotices))...)
	}
	return t
}

// pairsData has a line a pair.
func pairsData(r *tournament.Results) *table {
	t := &table{head: []string{"row", "col", "row_only", "col_only", "both", "neither", "share", "p_value"}}
	for _, p := range r.Pairs {
		share := ""
		if p.Share != nil {
			share = number(*p.Share)
		}
		t.add(p.Row, p.Col, strconv.Itoa(p.RowOnly), strconv.Itoa(p.ColOnly), strconv.Itoa(p.Both), strconv.Itoa(p.Neither), share, number(p.P))
	}
	return t
}

// gamesData has a line a game, with columns of their own for each seat.
func gamesData(records []tournament.Record) *table {
	t := &table{head: []string{"game", "seed", "steps", "played"}}
	perSeat := []string{"agent", "outcome", "moves", "ticks", "late", "failed"}
	for i := range records {
		r := &records[i]
		row := []string{strconv.Itoa(r.Game), strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Steps), strconv.Itoa(r.Played)}
		for seat, agent := range r.Agents {
			if i == 0 {
				for _, name := range perSeat {
					t.head = append(t.head, name+strconv.Itoa(seat))
				}
			}
			row = append(row, agent, strconv.Itoa(r.Outcome[seat]), strconv.Itoa(r.Moves[seat]),
				strconv.FormatUint(r.Ticks[seat], 10), strconv.Itoa(r.Late[seat]), strconv.Itoa(r.Failed[seat]))
		}
		t.add(row...)
	}
	return t
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
