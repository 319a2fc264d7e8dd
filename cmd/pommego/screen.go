package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"pommego/env"
)

// screen shows one picture after another: on a terminal in the same place, at
// a pace or at the press of a key; elsewhere one below the other, at once.
type screen struct {
	out    io.Writer
	live   bool // a person looks at it
	colour bool
	pause  time.Duration // between pictures, when live
	keys   *bufio.Reader // asked after each picture; nil: not
}

// newScreen makes a screen that shows fps pictures a second, 0: all at once.
func newScreen(out io.Writer, live bool, fps float64, keys io.Reader) *screen {
	s := &screen{out: out, live: live, colour: live && inColour()}
	if fps > 0 && live {
		s.pause = time.Duration(float64(time.Second) / fps)
	}
	if keys != nil {
		s.keys, s.pause = bufio.NewReader(keys), 0
	}
	return s
}

// drawn draws a match as text.
func drawn(game env.Game, m env.Match, t env.Tracker) func(dst []byte, colour bool) []byte {
	return func(dst []byte, colour bool) []byte {
		return env.AppendText(dst, game.Spec(), m, t, env.NoSeat, colour)
	}
}

// show shows a picture and waits. It returns false once the person has seen
// enough.
func (s *screen) show(ctx context.Context, title string, draw func(dst []byte, colour bool) []byte) bool {
	picture := draw(append([]byte(title), '\n'), s.colour)
	picture = append(bytes.TrimRight(picture, "\n"), '\n')
	if s.live {
		picture = append([]byte("\x1b[H\x1b[2J"), picture...)
	} else {
		picture = append(picture, '\n')
	}
	_, err := s.out.Write(picture)
	return err == nil && s.wait(ctx)
}

// wait waits for the next picture's time, or for a line: q ends the show.
func (s *screen) wait(ctx context.Context) bool {
	switch {
	case s.keys != nil:
		if s.live {
			fmt.Fprint(s.out, "Enter: next, q: quit ")
		}
		line, err := s.keys.ReadString('\n')
		return err == nil && !strings.HasPrefix(strings.TrimSpace(line), "q") && ctx.Err() == nil
	case s.pause > 0:
		select {
		case <-ctx.Done():
		case <-time.After(s.pause):
		}
	}
	return ctx.Err() == nil
}
