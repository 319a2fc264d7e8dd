// Package report writes down what a tournament showed: as tables in Markdown, whose
// columns are aligned for terminals, and as JSON.
//
//	err := report.Text(os.Stdout, r.Results)
//	err := report.WriteFolder("out", r)
//
// What the clock says is in tables and files of its own ([Timing], timing.md,
// timing.json): the others are the same bytes whenever the results are.
package report
