package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

type screen struct {
	out     io.Writer
	live    bool // the output is a terminal
	colours bool
	pause   time.Duration // the time between pictures, when live
	shown   bool
}

// newScreen makes a screen that shows fps pictures per second; 0: all at once.
func newScreen(out io.Writer, fps float64) *screen {
	s := &screen{out: out, live: onTerminal(os.Stdout), colours: colours()}
	if s.live {
		s.out = os.Stdout // unfiltered: pictures have escape sequences
	}
	if fps > 0 && s.live {
		s.pause = time.Duration(float64(time.Second) / fps)
	}
	return s
}

func colours() bool { return onTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" }

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
