package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pommego/arena/tournament"
	"pommego/internal/disk"
)

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
