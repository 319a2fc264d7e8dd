package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// onTerminal tells whether a person looks at the stream.
func onTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && f.Name() != os.DevNull
}

// inColour tells whether to write colours: to a person who has not set NO_COLOR.
func inColour() bool { return onTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" }

// printJSON writes one JSON object, indented.
func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// progress shows how far long work has come, on a line of the terminal's own
// that is rewritten now and then. Where nobody looks it does nothing.
type progress struct {
	shown bool
	last  time.Time
	on    bool
}

func newProgress() *progress { return &progress{on: onTerminal(os.Stderr), last: time.Now()} }

// show writes the line, unless it was written just now.
func (p *progress) show(format string, args ...any) {
	if !p.on || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(os.Stderr, "\r\x1b[K"+format, args...)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
		p.shown = false
	}
}
