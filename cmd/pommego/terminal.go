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

	"pommego/internal/terminal"
)

// onTerminal reports whether a person looks at the stream.
func onTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && f.Name() != os.DevNull
}

// fitting cuts pictures to the size that a terminal has when they are shown.
func fitting(f *os.File) func(picture []byte) []byte {
	return func(picture []byte) []byte {
		cols, rows := terminal.Size(f)
		return terminal.Crop(picture, cols, rows)
	}
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

// progress shows how far long work has come, on standard error: on a terminal by a
// line of its own that is rewritten now and then, elsewhere by a line every ten
// seconds.
type progress struct {
	out   io.Writer
	live  bool // a terminal
	every time.Duration
	shown bool // on the terminal
	last  time.Time
}

func newProgress() *progress {
	p := &progress{out: os.Stderr, live: onTerminal(os.Stderr), every: 10 * time.Second, last: time.Now()}
	if p.live {
		p.every = 100 * time.Millisecond
	}
	return p
}

// show writes the line, unless it was written just now.
func (p *progress) show(format string, args ...any) {
	if time.Since(p.last) < p.every {
		return
	}
	p.last, p.shown = time.Now(), p.live
	if p.live {
		fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
		return
	}
	fmt.Fprintf(p.out, "progress: "+format+"\n", args...)
}

// erase takes the line away from the terminal.
func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
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
	ended bool
	done  chan struct{}
}

func newLive[P any](describe func(at P, then, now time.Duration) string) *live[P] {
	l := &live[P]{describe: describe, line: newProgress(), start: time.Now(), done: make(chan struct{})}
	go l.count()
	return l
}

// tell takes the news of a run.
func (l *live[P]) tell(at P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.then, l.told = at, time.Since(l.start), true
	l.show()
}

// count looks every second whether the line is due.
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
	if !l.ended {
		l.line.show("%s", l.describe(l.at, l.then, time.Since(l.start)))
	}
}

// end takes the line away.
func (l *live[P]) end() {
	close(l.done)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.line.erase()
}
