package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pommego/arena/tournament"
)

// Text writes the results for a terminal.
func Text(w io.Writer, r *tournament.Results) error { return write(w, r, "", (*table).text) }

// markdown writes the results in markdown.
func markdown(w io.Writer, r *tournament.Results) error {
	return write(w, r, "# Tournament\n\n", (*table).markdown)
}

func write(w io.Writer, r *tournament.Results, title string, one func(*table, io.Writer) error) error {
	if _, err := fmt.Fprintf(w, "%s%s\n\n", title, summary(r)); err != nil {
		return err
	}
	for _, t := range tables(r) {
		if err := one(t, w); err != nil {
			return err
		}
	}
	return nil
}

// Timing writes what the clock said for a terminal.
func Timing(w io.Writer, t *tournament.Timing) error { return timing(t).text(w) }

func tables(r *tournament.Results) []*table {
	all := []*table{standings(r)}
	if len(r.Agents) > 1 {
		all = append(all, pairs(r))
	}
	if len(r.Agents[0].Counts) > 0 {
		all = append(all, counts(r))
	}
	if len(r.Kills) > 0 {
		all = append(all, kills(r))
	}
	return append(all, sides(r))
}

// counts has a line an agent and a column for each thing that the game counts.
func counts(r *tournament.Results) *table {
	t := &table{title: "Counted in a game", head: []string{"agent"},
		note: "Of a seat: where an agent has several, their mean."}
	for _, c := range r.Agents[0].Counts {
		t.head = append(t.head, strings.ReplaceAll(c.Name, "_", " "))
	}
	for _, a := range r.Agents {
		row := []string{a.Agent}
		for _, c := range a.Counts {
			row = append(row, estimate(c.Estimate, "%.2f"))
		}
		t.add(row...)
	}
	return t
}

// kills has a line for each killer and a column for each who was killed.
func kills(r *tournament.Results) *table {
	t := &table{title: "Kills, of the column's agent by the row's", head: []string{""},
		note: "In all games. Where flames of several met, each has killed."}
	n := map[[2]string]int{}
	var by, of []string
	for _, k := range r.Kills {
		n[[2]string{k.By, k.Of}] = k.Kills
		by, of = append(by, k.By), append(of, k.Of)
	}
	slices.Sort(of)
	of = slices.Compact(of)
	t.head = append(t.head, of...)
	for _, killer := range slices.Compact(by) { // in the order of entrants
		row := []string{killer}
		for _, killed := range of {
			row = append(row, strconv.Itoa(n[[2]string{killer, killed}]))
		}
		t.add(row...)
	}
	return t
}

// summary says in a sentence or two what was played.
func summary(r *tournament.Results) string {
	s := fmt.Sprintf("%s, %s", r.Env, r.Format)
	if r.Against != "" {
		s += fmt.Sprintf(" against %s: %d games for each of %s", r.Against, r.Config.Games, count(len(r.Agents), "agent"))
	} else {
		s += fmt.Sprintf(": %d games at each of %s", r.Config.Games, count(r.Played/r.Config.Games, "table"))
	}
	if n := r.Repetitions; n > 1 {
		s += fmt.Sprintf(", %s with %d repetitions each", count(r.Config.Games/n, "board"), n)
	}
	if r.Mirrored {
		s += ", mirrored: each board from every side"
	}
	s += fmt.Sprintf(", seeds from %d.", r.Seed)
	if !r.Balanced {
		s += " The number of games is no multiple of the number of sides, so seats are not quite balanced."
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// standings has a line an agent.
func standings(r *tournament.Results) *table {
	t := &table{
		title: "Standings", head: []string{"agent", "games", "won %", "lost %", "tied %", "rating", "steps a game"},
		note: fmt.Sprintf("In brackets, 95 %% intervals. Rating: Bradley-Terry on Elo's scale, %s is 0; prior: %s. A game "+
			"nobody won is a tie for those in it to the end, lost for the others.", r.Anchor, r.Prior),
	}
	searched, troubled, unheard := false, false, false
	for _, a := range r.Agents {
		searched = searched || a.Ticks > 0
		troubled = troubled || a.Late+a.Failed > 0
		unheard = unheard || a.FailedNotices > 0
	}
	if searched {
		t.head = append(t.head, "ticks a move")
	}
	if troubled {
		t.head = append(t.head, "moves", "late", "failed")
	}
	if unheard {
		t.head = append(t.head, "failed notices")
		t.note += " Failed notices: calls that told the agent of a game's beginning or end and failed."
	}
	for _, a := range r.Agents {
		row := []string{
			a.Agent, strconv.Itoa(a.Games), percent(a.Win), percent(a.Loss), percent(a.Tie),
			estimate(a.Rating, "%+.0f"), estimate(a.Steps, "%.0f"),
		}
		if searched {
			row = append(row, strconv.FormatFloat(a.Ticks, 'f', 1, 64))
		}
		if troubled {
			row = append(row, strconv.Itoa(a.Moves), strconv.Itoa(a.Late), strconv.Itoa(a.Failed))
		}
		if unheard {
			row = append(row, strconv.Itoa(a.FailedNotices))
		}
		t.add(row...)
	}
	return t
}

func percent(e tournament.Estimate) string {
	return estimate(tournament.Estimate{Value: 100 * e.Value, Low: 100 * e.Low, High: 100 * e.High}, "%.1f")
}

// estimate writes a figure and its interval.
func estimate(e tournament.Estimate, format string) string {
	return fmt.Sprintf(strings.ReplaceAll("X (X to X)", "X", format), e.Value, e.Low, e.High)
}

// pairs has a line and a column an agent: the paper's table.
func pairs(r *tournament.Results) *table {
	what := "games of theirs"
	if r.Against != "" {
		what = "seeds"
	}
	t := &table{
		title: "Row against column", head: []string{""},
		note: fmt.Sprintf("Of the n %s that exactly one of the two won, the row's %%. Exact binomial test: * p < 0.05, ** "+
			"p < 0.01.", what),
	}
	for _, a := range r.Agents[1:] {
		t.head = append(t.head, a.Label)
	}
	next := 0
	for i, a := range r.Agents[:len(r.Agents)-1] {
		row := []string{a.Label}
		for range i {
			row = append(row, "")
		}
		for range r.Agents[i+1:] {
			row = append(row, share(&r.Pairs[next]))
			next++
		}
		t.add(row...)
	}
	return t
}

// share is the paper's notation for a pair.
func share(p *tournament.Pair) string {
	n := p.RowOnly + p.ColOnly
	if p.Share == nil {
		return fmt.Sprintf("- (n %d)", n)
	}
	stars := ""
	switch {
	case p.P < 0.01:
		stars = "**"
	case p.P < 0.05:
		stars = "*"
	}
	return fmt.Sprintf("%.1f%s (n %d)", 100**p.Share, stars, n)
}

// sides lists how often each agent won from each side.
func sides(r *tournament.Results) *table {
	t := &table{title: "Wins by seat", head: []string{"agent"}}
	for i, side := range r.Agents[0].Sides {
		name := fmt.Sprintf("seat %d", i)
		if len(side.Seats) > 1 {
			name = fmt.Sprintf("seats %s", strings.Trim(fmt.Sprint(side.Seats), "[]"))
		}
		t.head = append(t.head, name)
	}
	for _, a := range r.Agents {
		row := []string{a.Agent}
		for _, side := range a.Sides {
			row = append(row, fmt.Sprintf("%d of %d", side.Wins, side.Games))
		}
		t.add(row...)
	}
	return t
}
