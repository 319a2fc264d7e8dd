package report

import (
	"strconv"
	"strings"

	"pommego/arena/tournament"
)

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
