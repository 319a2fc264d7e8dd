package main

import (
	"bytes"
	"context"
	"io"
	"time"

	"pommego/env"
)

// screen shows one picture after another: on a terminal in the same place, at a pace;
// elsewhere one below the other, at once.
type screen struct {
	out   io.Writer
	live  bool          // a person looks at it
	pause time.Duration // between pictures, when live
}

// newScreen makes a screen that shows fps pictures a second, 0: all at once.
func newScreen(out io.Writer, live bool, fps float64) *screen {
	s := &screen{out: out, live: live}
	if fps > 0 && live {
		s.pause = time.Duration(float64(time.Second) / fps)
	}
	return s
}

// drawn draws a match as text.
func drawn(game env.Game, m env.Match, t env.Tracker) func(dst []byte, colour bool) []byte {
	return func(dst []byte, colour bool) []byte {
		return env.AppendText(dst, game.Spec(), m, t, env.NoSeat, colour)
	}
}

// show shows a picture and waits. It returns false once ctx has ended or nobody reads any more.
func (s *screen) show(ctx context.Context, title string, draw func(dst []byte, colour bool) []byte) bool {
	picture := draw(append([]byte(title), '\n'), s.live && inColour())
	picture = append(bytes.TrimRight(picture, "\n"), '\n')
	if s.live {
		picture = append([]byte("\x1b[H\x1b[2J"), picture...)
	} else {
		picture = append(picture, '\n')
	}
	_, err := s.out.Write(picture)
	if s.pause > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(s.pause):
		}
	}
	return err == nil && ctx.Err() == nil
}
