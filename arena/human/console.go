// Package human lets people play in matches, at a terminal or from a file of moves.
//
//	console := human.NewConsole(human.Options{In: os.Stdin, Out: os.Stdout, Leave: cancel})
//	player, err := human.NewPlayer(game, "human:speed=4", console)
//
// A player sees the game as its seat does (env.Seen). By default the match waits
// for its move. With a speed, so many decisions are made a second, and without a
// key in time it stays.
//
// A console hands out keys one by one, where a terminal has been told to
// (Options.Keys), or else lines, one for each move. All players of a match share
// one. The person who leaves, and the end of the input, end the match.
package human

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrLeft says that the person has left the match.
var ErrLeft = errors.New("human has left before the match was over")

// Options are how a console works.
type Options struct {
	In     io.Reader
	Out    io.Writer
	Keys   bool // In hands over each key at once; Out is a terminal
	Colour bool
	Fit    func(picture []byte) []byte // to the terminal; nil: as it is
	Leave  context.CancelCauseFunc     // ends the match
}

// Console is where people play. It belongs to one goroutine.
type Console struct {
	Options
	input chan input
}

// input is a key or a line.
type input struct {
	text string
	err  error
}

// NewConsole makes a console and begins to read.
func NewConsole(o Options) *Console {
	c := &Console{Options: o, input: make(chan input, 256)}
	go c.read()
	return c
}

// read hands out what comes in, up to its end.
func (c *Console) read() {
	in := bufio.NewReader(c.In)
	for {
		var next input
		if c.Keys {
			next.text, next.err = readKey(in)
		} else if next.text, next.err = in.ReadString('\n'); next.err == io.EOF && next.text != "" {
			next.err = nil
		}
		c.input <- next
		if next.err != nil {
			return
		}
	}
}

// arrows are the names of the keys that send a sequence of bytes.
var arrows = map[byte]string{'A': "up", 'B': "down", 'C': "right", 'D': "left"}

// endOfInput is what Ctrl-D sends where keys come one by one.
const endOfInput = "\x04"

// readKey reads a key: its letter, or the name of an arrow.
func readKey(in *bufio.Reader) (string, error) {
	r, _, err := in.ReadRune()
	if err != nil || r != '\x1b' {
		return string(r), err
	}
	if r, _, err = in.ReadRune(); err != nil || r != '[' && r != 'O' {
		return string(r), err // after the key Esc, which means nothing
	}
	b, err := in.ReadByte()
	return arrows[b], err
}

// next waits for input. It is empty, and ok false, at the deadline; a zero deadline
// never comes. What ends the match is an error.
func (c *Console) next(ctx context.Context, deadline time.Time) (text string, ok bool, err error) {
	var late <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		return "", false, ctx.Err()
	case <-late:
		return "", false, nil
	case in := <-c.input:
		if in.err != nil || in.text == endOfInput {
			return "", false, c.leave(fmt.Errorf("%w: the input has ended", ErrLeft))
		}
		if leaves(in.text) {
			return "", false, c.leave(ErrLeft)
		}
		return in.text, true, nil
	}
}

func leaves(text string) bool {
	text = strings.TrimSpace(text)
	return strings.EqualFold(text, "q") || strings.EqualFold(text, "quit")
}

// leave ends the match.
func (c *Console) leave(why error) error {
	if c.Leave != nil {
		c.Leave(why)
	}
	return why
}

// show shows a picture: on a terminal in place of the last.
func (c *Console) show(picture []byte) error {
	if c.Fit != nil {
		picture = c.Fit(picture)
	}
	if c.Keys {
		picture = append([]byte("\x1b[H\x1b[2J"), picture...)
	}
	_, err := c.Out.Write(picture)
	return err
}
