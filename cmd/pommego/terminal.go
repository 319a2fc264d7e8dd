package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// onTerminal reports whether a person looks at the stream.
func onTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && f.Name() != os.DevNull
}

// inColour reports whether to write colours: on a terminal, unless NO_COLOR is set.
func inColour() bool { return onTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" }

// interruptible is a context that the first SIGINT or SIGTERM ends. A second one
// is not held back.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// printJSON writes one JSON object, indented.
func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// progress shows how far long work has come, on a line of the terminal's own
// that is rewritten now and then. Without a terminal it does nothing.
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

// erase takes the line away.
func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
		p.shown = false
	}
}

// live is a progress line that goes on counting between the news of a run,
// which can be minutes apart.
type live[P any] struct {
	describe func(at P, then, now time.Duration) string // what was told after then, seen now

	mu    sync.Mutex
	line  *progress
	start time.Time
	at    P
	then  time.Duration
	told  bool
	done  chan struct{}
}

func newLive[P any](describe func(at P, then, now time.Duration) string) *live[P] {
	l := &live[P]{describe: describe, line: newProgress(), start: time.Now(), done: make(chan struct{})}
	if l.line.on {
		go l.count()
	}
	return l
}

// tell takes the news of a run.
func (l *live[P]) tell(at P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.then, l.told = at, time.Since(l.start), true
	l.show()
}

// count rewrites the line every second.
func (l *live[P]) count() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-second.C:
			l.mu.Lock()
			if l.told {
				l.show()
			}
			l.mu.Unlock()
		}
	}
}

func (l *live[P]) show() {
	if l.line.on {
		l.line.show("%s", l.describe(l.at, l.then, time.Since(l.start)))
	}
}

// end takes the line away.
func (l *live[P]) end() {
	close(l.done)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line.on = false
	l.line.erase()
}
