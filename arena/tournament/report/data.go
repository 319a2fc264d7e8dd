package report

import (
	"strconv"
	"strings"

	"pommego/arena/tournament"
)

// agentsData is the standings with every figure in a column of its own.
func agentsData(r *tournament.Results) *table {
	t := &table{head: []string{"agent", "games", "wins", "losses", "ties"}}
	for _, name := range []string{"win_rate", "loss_rate", "tie_rate", "rating", "steps"} {
		t.head = append(t.head, name, name+"_low", name+"_high")
	}
	t.head = append(t.head, "moves", "ticks_per_move", "late", "failed", "failed_notices")
	for _, c := range r.Agents[0].Counts {
		t.head = append(t.head, c.Name, c.Name+"_low", c.Name+"_high")
	}
	for _, a := range r.Agents {
		row := []string{a.Agent, strconv.Itoa(a.Games), strconv.Itoa(a.Wins), strconv.Itoa(a.Losses), strconv.Itoa(a.Ties)}
		for _, e := range []tournament.Estimate{a.Win, a.Loss, a.Tie, a.Rating, a.Steps} {
			row = append(row, number(e.Value), number(e.Low), number(e.High))
		}
		row = append(row, strconv.Itoa(a.Moves), number(a.Ticks), strconv.Itoa(a.Late), strconv.Itoa(a.Failed),
			strconv.Itoa(a.FailedNotices))
		for _, c := range a.Counts {
			row = append(row, number(c.Value), number(c.Low), number(c.High))
		}
		t.add(row...)
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
		t.add(p.Row, p.Col, strconv.Itoa(p.RowOnly), strconv.Itoa(p.ColOnly), strconv.Itoa(p.Both), strconv.Itoa(p.Neither),
			share, number(p.P))
	}
	return t
}

// gamesData has a line a game, with columns of their own for each seat: what the
// game counts too, and whose bombs killed it, seats with spaces between.
func gamesData(r *tournament.Results, records []tournament.Record) *table {
	t := &table{head: []string{"game", "seed", "repetition", "steps"}}
	perSeat := []string{"agent", "outcome", "moves", "ticks", "late", "failed"}
	var counted []string
	for _, c := range r.Agents[0].Counts {
		counted = append(counted, c.Name)
	}
	perSeat = append(append(perSeat, counted...), "killed_by")
	for i := range records {
		r := &records[i]
		row := []string{strconv.Itoa(r.Game), strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Repetition),
			strconv.Itoa(r.Steps)}
		for seat, agent := range r.Agents {
			if i == 0 {
				for _, name := range perSeat {
					t.head = append(t.head, name+strconv.Itoa(seat))
				}
			}
			row = append(row, agent, strconv.Itoa(r.Outcome[seat]), strconv.Itoa(r.Moves[seat]),
				strconv.FormatUint(r.Ticks[seat], 10), strconv.Itoa(r.Late[seat]), strconv.Itoa(r.Failed[seat]))
			for _, name := range counted {
				n := ""
				if own := r.Counts[name]; own != nil {
					n = strconv.Itoa(int(own[seat]))
				}
				row = append(row, n)
			}
			row = append(row, killers(r.Kills, seat))
		}
		t.add(row...)
	}
	return t
}

// killers lists the seats that killed a seat, as often as they did.
func killers(kills [][]int, seat int) string {
	var by []string
	for killer := range kills {
		for range kills[killer][seat] {
			by = append(by, strconv.Itoa(killer))
		}
	}
	return strings.Join(by, " ")
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
