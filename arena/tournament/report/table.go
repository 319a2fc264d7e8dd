package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

type table struct {
	title string
	head  []string
	rows  [][]string
	note  string // below it
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table in Markdown, in aligned columns.
func (t *table) write(w io.Writer) error {
	fmt.Fprintf(w, "## %s\n\n", t.title)
	out := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	line := func(cells []string) {
		escaped := strings.ReplaceAll(strings.Join(cells, "\t"), "|", `\|`)
		fmt.Fprintf(out, "| %s\t|\n", strings.ReplaceAll(escaped, "\t", "\t| "))
	}
	line(t.head)
	line(slices.Repeat([]string{"---"}, len(t.head)))
	for _, row := range t.rows {
		line(row)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if t.note != "" {
		fmt.Fprintf(w, "\n%s\n", t.note)
	}
	_, err := fmt.Fprintln(w)
	return err
}
