package benchmarks

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteTable writes the report for people to read.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%d games, %d workers, steps of games a second (median of %d rounds)\n\n", r.Games, r.Workers,
		rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "measurement\tmedian\tlowest\thighest\tlimit\tof limit\tallocs/step\t")
	for _, b := range r.Results {
		limit, ratio := "-", "-"
		if b.Limit > 0 {
			limit, ratio = millions(b.Limit), fmt.Sprintf("%.0f %%", 100*b.Median/b.Limit)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t\n", b.Name, millions(b.Median), millions(b.Min), millions(b.Max),
			limit, ratio, b.AllocsPerStep)
	}
	return t.Flush()
}

func millions(x float64) string { return fmt.Sprintf("%.3f M", x/1e6) }
