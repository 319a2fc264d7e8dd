package main

import (
	"context"
	"io"
	"os"

	"pommego/arena/human"
	"pommego/internal/terminal"
)

// openConsole opens the console of all people, once. What they see goes to standard
// error where standard output is to be JSON.
func (s *seated) openConsole(o *playOptions, out io.Writer, leave context.CancelCauseFunc) *human.Console {
	if s.console != nil {
		return s.console
	}
	screen := os.Stdout
	if o.asJSON {
		out, screen = os.Stderr, os.Stderr
	}
	if onTerminal(os.Stdin) && onTerminal(screen) {
		s.restore, _ = terminal.Keys(os.Stdin) // else it reads lines
	}
	live := s.restore != nil
	options := human.Options{In: os.Stdin, Out: out, Keys: live, Colour: live && inColour(), Leave: leave}
	if live {
		options.Fit = fitting(screen)
	}
	s.console = human.NewConsole(options)
	return s.console
}
