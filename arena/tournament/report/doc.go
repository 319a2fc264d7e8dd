// Package report writes down what a tournament showed: as tables in Markdown, whose
// columns are aligned for terminals, and as JSON.
//
//	err := report.Text(os.Stdout, r.Results)
//	err := report.WriteFolder("out", r)
//
// Times are in tables and files of their own ([Timing], timing.md, timing.json). The other
// files have the same bytes whenever the results are the same.
package report
