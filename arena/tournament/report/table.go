package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

type table struct {
	title string
	head  []string
	rows  [][]string
	note  string // below the table
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes tables between two texts, and returns the first error.
func write(w io.Writer, before string, all []*table, widest int, after string) error {
	out := bufio.NewWriter(w) // keeps the error
	out.WriteString(before)
	for _, t := range all {
		t.write(out, widest)
	}
	out.WriteString(after)
	return out.Flush()
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
		fmt.Fprintf(w, "\n%s\n", t.note)
	}
	fmt.Fprintln(w)
}

func escaped(cell string) string { return strings.ReplaceAll(cell, "|", `\|`) }

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
