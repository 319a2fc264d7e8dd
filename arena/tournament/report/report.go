// Package report writes down what a tournament showed: as tables in Markdown, whose
// columns are aligned for terminals, and as JSON.
//
//	err := report.Text(os.Stdout, r.Results)
//	err := report.WriteFolder("out", r)
//
// Times are in tables and files of their own ([Timing], timing.md, timing.json). The other
// files have the same bytes whenever the results are the same.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"pommego/arena/match"
	"pommego/arena/tournament"
	"pommego/internal/disk"
)

// Text writes the results: what was played in a sentence or two, and tables.
func Text(w io.Writer, r *tournament.Results) error {
	return write(w, summary(r)+"\n\n", tables(r), 0, "")
}

// Screen writes everything for a terminal with this many columns. The most important comes last and stays visible.
func Screen(w io.Writer, r *tournament.Report, columns int) error {
	all := append(tables(r.Results), timing(r.Timing))
	slices.Reverse(all)
	return write(w, "", all, columns, summary(r.Results)+"\n")
}

func tables(r *tournament.Results) []*table {
	all := []*table{standings(r), troubles(r), answers(r), pairs(r)}
	if len(r.Agents[0].Counts) > 0 {
		all = append(all, counts(r))
	}
	all = append(all, sides(r))
	return slices.DeleteFunc(all, func(t *table) bool { return t.rows == nil })
}

// counts has one row per agent and one column for each thing that the game counts.
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

// summary says in a sentence or two what was played.
func summary(r *tournament.Results) string {
	s, games := fmt.Sprintf("%s, %s", r.Env, r.Format), count(r.Config.Games, "game")
	if r.Against != "" {
		s += fmt.Sprintf(" against %s: %s for each of %s", match.OneLine(r.Against), games,
			count(len(r.Agents), "agent"))
	} else {
		s += fmt.Sprintf(": %s at each of %s", games, count((r.Played+r.Void)/r.Config.Games, "table"))
	}
	boards := r.Config.Games / max(1, r.Repetitions)
	if r.Mirrored {
		boards /= len(r.Agents[0].Sides)
		s += fmt.Sprintf(", mirrored: %s, each from every side", count(boards, "board"))
	}
	if n := r.Repetitions; n > 1 {
		s += fmt.Sprintf(", %s with %d repetitions each", count(boards, "board"), n)
	}
	s += fmt.Sprintf(", seeds from %d.", r.Seed)
	if test := r.Test; test != nil {
		s += fmt.Sprintf("\n\nSequential test of %s, H0: Elo %g or less, H1: Elo %g or more. Accepted: %s. %v. Pairs with "+
			"0, 0.5, 1, 1.5 and 2 points: %v.", match.OneLine(r.Agents[0].Agent), r.SPRT.Elo0, r.SPRT.Elo1,
			cmp.Or(test.Accepted, "none"), test, test.Pairs)
	}
	if r.Void > 0 {
		s += fmt.Sprintf(" Not counted, as they cannot be scored: %s.", count(r.Void, "game"))
	} else if !r.Balanced {
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

// standings has one row per agent, the best first.
func standings(r *tournament.Results) *table {
	t := &table{
		title: "Standings",
		head:  []string{"agent", "games", "won %", "lost %", "tied %", "rating", "steps a game", "ticks a move"},
		note: fmt.Sprintf("In brackets, 95 %% intervals. Rating: Bradley-Terry on Elo's scale, %s is 0; prior: %s. A game "+
			"nobody won is a tie for those in it to the end, lost for the others.", r.Anchor, r.Prior),
	}
	if r.Repetitions > 1 {
		t.note += " The intervals take games on one board as independent, and so say nothing of other boards."
	}
	byRating := func(a, b tournament.Standing) int { return cmp.Compare(b.Rating.Value, a.Rating.Value) }
	for _, a := range slices.SortedStableFunc(slices.Values(r.Agents), byRating) {
		t.add(a.Agent, strconv.Itoa(a.Games), percent(a.Win), percent(a.Loss), percent(a.Tie),
			estimate(a.Rating, "%+.0f"), estimate(a.Steps, "%.0f"), fmt.Sprintf("%.1f", a.Ticks))
	}
	return t
}

// troubles has one row for each agent with late or failed moves.
func troubles(r *tournament.Results) *table {
	t := &table{title: "Moves replaced by stop", head: []string{"agent", "moves", "late", "failed", "not asked"}}
	for _, a := range r.Agents {
		if a.Late+a.Failed > 0 {
			t.add(a.Agent, strconv.Itoa(a.Moves), strconv.Itoa(a.Late), strconv.Itoa(a.Failed), strconv.Itoa(a.Gone))
		}
	}
	return t
}

// answers has one row for each language model.
func answers(r *tournament.Results) *table {
	t := &table{title: "Answers of language models", head: []string{"agent", "legal", "repaired", "illegal", "late",
		"tokens in", "tokens out", "cost"}, note: "Cost: in the unit of the prices that were given."}
	for _, s := range r.Agents {
		if a := s.Answers; a != (match.Answers{}) {
			t.add(s.Agent, strconv.Itoa(a.Legal), strconv.Itoa(a.Repaired), strconv.Itoa(a.Illegal), strconv.Itoa(a.Late),
				strconv.Itoa(a.TokensIn), strconv.Itoa(a.TokensOut), fmt.Sprintf("%.4f", a.Cost))
		}
	}
	return t
}

func percent(e tournament.Estimate) string {
	return estimate(tournament.Estimate{Value: 100 * e.Value, Low: 100 * e.Low, High: 100 * e.High}, "%.1f")
}

func estimate(e tournament.Estimate, format string) string {
	return fmt.Sprintf(strings.ReplaceAll("X (X to X)", "X", format), e.Value, e.Low, e.High)
}

// pairs has one row and one column per agent: the paper's table.
func pairs(r *tournament.Results) *table {
	what := "games of theirs"
	if r.Against != "" {
		what = "rounds"
	}
	t := &table{
		title: "Row against column", head: []string{""},
		note: fmt.Sprintf("Of the n %s that exactly one of the two won, the row's %%; p of the exact binomial test.", what),
	}
	for _, a := range r.Agents[1:] {
		t.head = append(t.head, a.Agent)
	}
	next := 0
	for i, a := range r.Agents[:len(r.Agents)-1] {
		row := append([]string{a.Agent}, make([]string, i)...)
		for range r.Agents[i+1:] {
			row = append(row, share(&r.Pairs[next]))
			next++
		}
		t.add(row...)
	}
	return t
}

func share(p *tournament.Pair) string {
	if p.Share == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f (n %d, p %.2g)", 100**p.Share, p.RowOnly+p.ColOnly, p.P)
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

func timing(timing *tournament.Timing) *table {
	t := &table{
		title: "Thinking time", head: []string{"agent", "moves", "mean", "longest", "in all", "ticks a second"},
		note: "Measured by the clock, which includes other work on the machine. Ticks a second: moves of the game " +
			"simulated in a second of thinking.",
	}
	for _, a := range timing.Agents {
		t.add(a.Agent, strconv.Itoa(a.Moves), rounded(a.Mean), rounded(a.Longest), rounded(a.Total),
			fmt.Sprintf("%.0f", a.TicksPerSecond))
	}
	return t
}

// rounded rounds to about three digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// files are the files of a report, in the order of their use. The files about timing differ from
// run to run, the others do not.
var files = []struct {
	name  string
	write func(w io.Writer, r *tournament.Report) error
}{
	{"results.md", func(w io.Writer, r *tournament.Report) error { return Text(w, r.Results) }},
	{"results.json", func(w io.Writer, r *tournament.Report) error { return JSON(w, r.Results) }},
	{"timing.md", func(w io.Writer, r *tournament.Report) error {
		return write(w, "", []*table{timing(r.Timing)}, 0, "")
	}},
	{"timing.json", func(w io.Writer, r *tournament.Report) error { return JSON(w, r.Timing) }},
}

// WriteFolder writes the whole report into a folder, which is made if needed.
// Each file appears whole or not at all.
func WriteFolder(folder string, r *tournament.Report) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		err := disk.WriteFile(disk.OS, filepath.Join(folder, f.name), func(w io.Writer) error { return f.write(w, r) })
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// JSON writes one JSON object, indented.
func JSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

type table struct {
	title string
	head  []string
	rows  [][]string
	note  string // below the table
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes tables between two texts, at once: a writer may check letters, of which no write may have a part.
func write(w io.Writer, before string, all []*table, widest int, after string) error {
	out := bytes.NewBufferString(before)
	for _, t := range all {
		t.write(out, widest)
	}
	out.WriteString(after)
	_, err := out.WriteTo(w)
	return err
}

// write writes the table in Markdown, in aligned columns. A table wider than widest letters becomes several tables
// that begin with the same column; 0 is any width.
func (t *table) write(w io.Writer, widest int) {
	fmt.Fprintf(w, "## %s\n", t.title)
	for _, columns := range t.parts(widest) {
		fmt.Fprintln(w)
		out := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
		line := func(cells []string) {
			for _, c := range columns {
				fmt.Fprintf(out, "| %s\t", escaped(cells[c]))
			}
			fmt.Fprintln(out, "|")
		}
		line(t.head)
		line(slices.Repeat([]string{"---"}, len(t.head)))
		for _, row := range t.rows {
			line(row)
		}
		out.Flush()
	}
	if t.note != "" {
		fmt.Fprintf(w, "\n%s\n", match.OneLine(t.note))
	}
	fmt.Fprintln(w)
}

func escaped(cell string) string { return strings.ReplaceAll(match.OneLine(cell), "|", `\|`) }

// parts splits the columns into tables that fit. The first column is in each of them.
func (t *table) parts(widest int) (all [][]int) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for c := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(escaped(row[c]))+len(" | "))
		}
	}
	part, width := []int{0}, widths[0]
	for c := 1; c < len(widths); c++ {
		if widest > 0 && len(part) > 1 && width+widths[c] >= widest {
			all, part, width = append(all, part), []int{0}, widths[0]
		}
		part, width = append(part, c), width+widths[c]
	}
	return append(all, part)
}
