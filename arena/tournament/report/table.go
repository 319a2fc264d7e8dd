package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table is a table of text.
type table struct {
	title string
	head  []string
	rows  [][]string
	note  string // below it
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// text writes the table in aligned columns.
func (t *table) text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", t.title)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintf(out, "  %s\n", strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if t.note != "" {
		fmt.Fprintf(w, "\n  %s\n", t.note)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// markdown writes the table in markdown.
func (t *table) markdown(w io.Writer) error {
	fmt.Fprintf(w, "## %s\n\n", t.title)
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = plain.Replace(cell)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(escaped, " | "))
	}
	line(t.head)
	fmt.Fprintf(w, "|%s\n", strings.Repeat(" --- |", len(t.head)))
	for _, row := range t.rows {
		line(row)
	}
	if t.note != "" {
		fmt.Fprintf(w, "\n%s\n", plain.Replace(t.note))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// plain keeps markdown from reading signs as its own.
var plain = strings.NewReplacer("|", `\|`, "*", `\*`)

// csv writes head and rows as comma-separated values.
func (t *table) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.head); err != nil {
		return err
	}
	return out.WriteAll(t.rows)
}
