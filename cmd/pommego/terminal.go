package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
	"unicode/utf16"

	"golang.org/x/term"
)

// onTerminal reports whether a person looks at the stream.
func onTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }

// interruptible is a context that the first SIGINT or SIGTERM ends. A second one
// is not held back.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

var controls = regexp.MustCompile(`[^\P{C}\n\t]`)

// printed is a text in which names, notes and results out of files, which come from anyone, cannot
// control a terminal. What could stands there as in JSON, in which it is the same.
func printed(text []byte) []byte {
	return controls.ReplaceAllFunc(bytes.ToValidUTF8(text, []byte("\ufffd")), func(c []byte) (escaped []byte) {
		for _, unit := range utf16.Encode([]rune(string(c))) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
		return escaped
	})
}

// printer is an output for printed text.
type printer struct{ io.Writer }

func (p printer) Write(text []byte) (int, error) {
	_, err := p.Writer.Write(printed(text))
	return len(text), err
}

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

func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// counting shows a progress line that goes on counting between reports of a run, which
// can be minutes apart. tell takes a report, and end removes the line. describe writes
// the report that came at time then, as it is at time now.
func counting[P any](describe func(at P, then, now time.Duration) string) (tell func(P), end func()) {
	line, start := newProgress(), time.Now()
	news, stop, done := make(chan P), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer line.erase()
		second := time.NewTicker(time.Second)
		defer second.Stop()
		var last *P
		var then time.Duration
		for {
			select {
			case <-stop:
				return
			case at := <-news:
				last, then = &at, time.Since(start)
			case <-second.C:
			}
			if last != nil {
				line.show("%s", describe(*last, then, time.Since(start)))
			}
		}
	}()
	tell = func(at P) {
		select {
		case news <- at:
		case <-done:
		}
	}
	return tell, func() {
		close(stop)
		<-done
	}
}
