package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
)

// writeEvents writes the events of matches to a file, one after the other. The
// file appears whole or not at all.
func writeEvents(path string, matches ...[]json.RawMessage) error {
	return disk.WriteFile(disk.OS, path, func(w io.Writer) error {
		for number, events := range matches {
			if err := match.WriteEvents(w, number, events); err != nil {
				return err
			}
		}
		return nil
	})
}

// countsLine is what a game counted, by seat.
func countsLine(spec *env.Spec, c env.Counts) string {
	var parts []string
	for _, name := range spec.Counts {
		if c != nil {
			parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(name.Name, "_", " "),
				strings.Trim(fmt.Sprint(c[name.Name]), "[]")))
		}
	}
	if parts == nil {
		return ""
	}
	return "by seat: " + strings.Join(parts, ", ")
}
