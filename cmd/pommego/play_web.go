package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"pommego/arena/human"
	"pommego/arena/match"
	"pommego/arena/web"
	"pommego/arena/web/play"
	"pommego/env"
)

// openTable opens the page on which people play, and says where it is.
func (s *seated) openTable(ctx context.Context, o *playOptions, out io.Writer) error {
	fragment := url.Values{"seat": {strconv.Itoa(s.people.First())}}
	p, err := openPage("127.0.0.1:0", "play.html", web.Config{Games: s.table, Handlers: s.table.Handlers()}, fragment)
	if err != nil {
		return err
	}
	if o.asJSON {
		out = os.Stderr
	}
	for _, seat := range s.people.List() {
		address := strings.Replace(p.address, fragment.Encode(), url.Values{"seat": {strconv.Itoa(seat)}, "token": fragment["token"]}.Encode(), 1)
		if _, err := fmt.Fprintf(out, "play in seat %d, in the browser: %s\n", seat, address); err != nil {
			return errors.Join(err, p.ln.Close())
		}
	}
	pageCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.closeTable = func(how string) {
		s.table.End(how)
		s.table.Gone(ctx) // so that the whole game can be looked at
		stop()
	}
	go p.serve(pageCtx)
	return nil
}

// person makes the player of a person, at the table or at the terminal.
func (s *seated) person(o *playOptions, seat int, name string, out io.Writer, leave context.CancelCauseFunc) (match.Player, error) {
	if s.table == nil {
		return human.NewPlayer(s.game, name, s.openConsole(o, out, leave))
	}
	speed, err := human.Speed(name)
	if err != nil {
		return nil, err
	}
	return s.table.Seat(seat, name, speed), nil
}

// howEnded says how a match ended, to those who played in it.
func (s *seated) howEnded(p *played, err error) string {
	if err != nil {
		return "The match was stopped: " + err.Error()
	}
	return inWords(env.Status{Over: true, Result: p.Result.Result, Winners: p.Winners, Steps: p.Steps}, s.names)
}

// newTable makes the table of people who play in the browser.
func (s *seated) newTable(leave context.CancelCauseFunc) {
	s.table = play.NewTable(s.game, s.names, func() { leave(human.ErrLeft) })
}
