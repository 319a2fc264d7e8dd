package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/term"

	"pommego/arena/picture"
	"pommego/arena/scene"
)

type screen struct {
	out     io.Writer
	live    bool // a person looks at it
	colours picture.Colours
	pause   time.Duration // between pictures, when live
	still   bool          // until a key says otherwise
	below   string        // a line below the picture
	shown   bool
}

// newScreen makes a screen that shows fps pictures a second, 0: all at once.
func newScreen(out io.Writer, fps float64) *screen {
	s := &screen{out: out, live: onTerminal(os.Stdout), colours: colours()}
	if s.live {
		s.out = os.Stdout // as it is: the pictures control it
	}
	if fps > 0 && s.live {
		s.pause = time.Duration(float64(time.Second) / fps)
	}
	return s
}

func colours() picture.Colours {
	depth := os.Getenv("COLORTERM")
	switch {
	case !onTerminal(os.Stdout), os.Getenv("NO_COLOR") != "":
		return picture.NoColours
	case depth == "truecolor", depth == "24bit", strings.HasSuffix(os.Getenv("TERM"), "-direct"):
		return picture.TrueColour
	}
	return picture.Colours16
}

// show shows a picture. On a terminal it writes over the last one, line by line. Lines for
// which there is no room are cut off, and what stood there before can be scrolled back to.
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
			frame = bytes.Repeat([]byte("\r\n"), rows)
		}
	}
	s.shown = true
	frame = append(frame, "\x1b[H\x1b[?7l"...) // lines do not wrap
	for _, line := range lines {
		frame = append(append(frame, line...), "\x1b[K\r\n"...)
	}
	_, err := s.out.Write(append(append(frame, s.below...), "\x1b[J\x1b[?7h"...))
	return err
}

func (s *screen) rest(ctx context.Context, keys <-chan string) (key string, more bool) {
	due := time.After(s.pause)
	if s.still {
		due = nil
	}
	select {
	case <-ctx.Done():
	case key = <-keys:
	case <-due:
	}
	return key, ctx.Err() == nil
}

// aKey is a character, or the escape sequence of an arrow and its like.
var aKey = regexp.MustCompile(`(?s)\x1b[\[O][0-9;]*.|.`)

func (s *screen) pressed() (keys chan string, restore func()) {
	in := int(os.Stdin.Fd())
	before, err := term.GetState(in)
	if !s.live || err != nil {
		return nil, func() {}
	}
	term.MakeRaw(in)
	s.below = "space: pause, arrows: step, v: view, 0-9: speed, q: quit "
	keys = make(chan string)
	go func() {
		text := make([]byte, 64)
		for n, err := os.Stdin.Read(text); err == nil; n, err = os.Stdin.Read(text) {
			for _, key := range aKey.FindAllString(string(text[:n]), -1) {
				keys <- key
			}
		}
	}()
	return keys, func() {
		term.Restore(in, before)
		fmt.Fprint(s.out, "\r\x1b[K")
	}
}

// viewing shows a recorded game as the keys say.
type viewing struct {
	*screen
	title string
	game  scene.Timeline // its steps are whole
	at    int            // the step that is shown
	seat  int            // whose view; env.NoSeat: the whole game
}

// run shows the game to its end, or until the person has seen enough.
func (v *viewing) run(ctx context.Context) error {
	keys, restore := v.pressed()
	defer restore()
	for v.at < len(v.game.Steps) {
		text := picture.AppendText([]byte(v.title+"\n"), &v.game.Head, &v.game.Steps[v.at], v.seat, v.colours)
		if err := v.show(text); err != nil {
			return err
		}
		if key, more := v.rest(ctx, keys); !more || !v.press(key) {
			return nil
		}
	}
	return nil
}

// paces are the pauses that the keys 0 to 9 choose, in milliseconds: from 0.5 to 60 steps a
// second, as on the page.
var paces = [10]time.Duration{2000, 1000, 500, 250, 167, 100, 67, 40, 25, 17}

func (v *viewing) press(key string) bool {
	last := len(v.game.Steps) - 1
	moves := map[string]int{"\x1b[D": v.at - 1, "\x1b[C": v.at + 1, "\x1b[H": 0, "\x1b[F": last}
	to, moved := moves[strings.Replace(key, "O", "[", 1)]
	switch {
	case moved:
		v.at, v.still = max(0, min(to, last)), true
	case key == "":
		v.at++
	case key == " ":
		v.still = !v.still
	case key == "v":
		v.seat = (v.seat+2)%(len(v.game.Colours)+1) - 1
	case key >= "0" && key <= "9":
		v.pause = paces[key[0]-'0'] * time.Millisecond
	}
	return key != "q" && key != "\x03" && key != "\x04" // Ctrl-C, Ctrl-D
}
