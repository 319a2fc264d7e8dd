package main

import (
	"bytes"
	"cmp"
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

func onTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }

// endings returns the signals that ask the program to end. SIGHUP, of a terminal that closes, is none after nohup.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// interruptible returns a context that the first of these signals ends. A second one ends the process.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(parent, endings()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

var controls = regexp.MustCompile(`[^\P{C}\n\t]`)

// printed replaces control characters by JSON escapes, so that untrusted names, notes and results from
// files cannot control a terminal. In JSON the escapes mean the same.
func printed(text []byte) []byte {
	return controls.ReplaceAllFunc(bytes.ToValidUTF8(text, []byte("\ufffd")), func(c []byte) (escaped []byte) {
		for _, unit := range utf16.Encode([]rune(string(c))) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
		return escaped
	})
}

// printer is an output that writes text by printed, and keeps the first error.
type printer struct {
	io.Writer
	err error
}

func (p *printer) Write(text []byte) (int, error) {
	_, err := p.Writer.Write(printed(text))
	p.err = cmp.Or(p.err, err)
	return len(text), err
}

func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// say prints a value as JSON or, for people, a text.
func say(w io.Writer, asJSON bool, v any, text string) error {
	if asJSON {
		return printJSON(w, v)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// progress shows how far long work has come, on standard error: a terminal has one line that is rewritten every
// second, other outputs get a line every ten seconds. tell takes a report; minutes may pass between reports. end
// removes the line. describe makes the line at time now from the report that came at time then.
func progress[P any](describe func(at P, then, now time.Duration) string) (tell func(P), end func()) {
	format, erase, every := "progress: %s\n", "", 10*time.Second
	if onTerminal(os.Stderr) {
		format, erase, every = "\r\x1b[K%s", "\r\x1b[K", time.Second
	}
	start, stop, done, news := time.Now(), make(chan struct{}), make(chan struct{}), make(chan P)
	go func() {
		defer close(done)
		due := time.Tick(every)
		var last *P
		var then time.Duration
		for {
			select {
			case <-stop:
				fmt.Fprint(os.Stderr, erase)
				return
			case at := <-news:
				last, then = &at, time.Since(start)
			case <-due:
				if last != nil {
					fmt.Fprintf(os.Stderr, format, describe(*last, then, time.Since(start)))
				}
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

type screen struct {
	out     io.Writer
	live    bool // the output is a terminal
	colours bool
	pause   time.Duration // the time between pictures, when live
	shown   bool
}

// newScreen makes a screen that shows fps pictures per second; 0: all at once.
func newScreen(out io.Writer, fps float64) *screen {
	s := &screen{out: out, live: onTerminal(os.Stdout)}
	s.colours = s.live && os.Getenv("NO_COLOR") == ""
	if s.live {
		s.out = os.Stdout // unfiltered: pictures have escape sequences
	}
	if fps > 0 && s.live {
		s.pause = time.Duration(float64(time.Second) / fps)
	}
	return s
}

// show shows a picture. On a terminal it writes over the last one, line by line, and cuts off lines
// that do not fit. Text that was on the terminal before can be scrolled back to.
func (s *screen) show(text []byte) error {
	text = bytes.TrimRight(text, "\n")
	if !s.live {
		_, err := s.out.Write(append(text, "\n\n"...))
		return err
	}
	frame, lines := []byte(nil), bytes.Split(text, []byte("\n"))
	if _, rows, err := term.GetSize(int(os.Stdout.Fd())); err == nil && rows > 0 {
		lines = lines[:min(len(lines), rows-1)]
		if !s.shown {
			frame = bytes.Repeat([]byte("\n"), rows)
		}
	}
	s.shown = true
	frame = append(frame, "\x1b[H\x1b[?7l"...) // lines do not wrap
	for _, line := range lines {
		frame = append(append(frame, line...), "\x1b[K\n"...)
	}
	_, err := s.out.Write(append(frame, "\x1b[J\x1b[?7h"...))
	return err
}

// rest waits until the next picture is due. It returns false if the user has ended the show.
func (s *screen) rest(ctx context.Context) (more bool) {
	select {
	case <-ctx.Done():
	case <-time.After(s.pause):
	}
	return ctx.Err() == nil
}
