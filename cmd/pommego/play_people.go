package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"pommego/arena/web"
	"pommego/env"
)

// openTable serves the page on which people play, and prints its address for each of them.
// With --json the addresses go to standard error.
func (s *seated) openTable(ctx context.Context, o *playOptions, out io.Writer) error {
	if o.asJSON {
		out = os.Stderr
	}
	p, err := openPage("127.0.0.1:0", web.Config{Games: s.table, Handlers: s.table.Handlers()})
	if err != nil {
		return err
	}
	for _, seat := range s.people.List() {
		address := p.address("play.html", url.Values{"seat": {strconv.Itoa(seat)}})
		if _, err := fmt.Fprintf(out, "play in seat %d, in the browser: %s\n", seat, address); err != nil {
			return errors.Join(err, p.ln.Close())
		}
	}
	pageCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.closeTable = func(how string) {
		s.table.End(how)
		s.table.Gone(ctx) // so that people can look at the whole game
		stop()
	}
	go p.serve(pageCtx)
	return nil
}

// errLeft says that a person has left the match.
var errLeft = errors.New("human has left before the match was over")

// howEnded says how a match ended, to those who played in it.
func (s *seated) howEnded(p *played, err error) string {
	if err != nil {
		return "The match was stopped: " + err.Error()
	}
	return inWords(env.Status{Over: true, Result: p.Result.Result, Winners: p.Winners, Steps: p.Steps}, s.names)
}
