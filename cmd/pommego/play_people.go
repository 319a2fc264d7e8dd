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
	"sync"

	"pommego/arena/web"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/words"
)

// offers are the games of the start page. Ids in a row with the same description are one game.
var offers = sync.OnceValue(func() (all []play.Offer) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if n := len(all); err == nil && n > 0 && all[n-1].About == game.Spec().Description {
			all[n-1].IDs = append(all[n-1].IDs, id)
		} else if err == nil {
			all = append(all, play.OfferOf(game, goal(game)))
		}
	}
	return all
})

// goal is the goal in the short rules. Pages say step for tick.
func goal(game env.Game) string {
	text, _, _ := strings.Cut(words.Rules(game.Spec()), "\n")
	text = strings.NewReplacer("Goal: ", "", "Tick ", "Step ", "tick ", "step ").Replace(text)
	return strings.ToUpper(text[:1]) + text[1:]
}

// host serves the page on which people play: first the match of the command line, or one that
// the page chooses, then the matches that the page asks for, until all pages are closed. With --json
// addresses and errors go to standard error.
func (o *playOptions) host(ctx context.Context, out io.Writer) error {
	said := out
	if o.asJSON {
		said = os.Stderr
	}
	table := play.NewTable(offers)
	p, err := openPage("127.0.0.1:0", web.Config{Listing: table.Listing, Game: table.Game, Handlers: table.Handlers()})
	if err != nil {
		return err
	}
	pageCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go serveHTTP(pageCtx, p.ln, p.handler)
	var order *play.Order
	if o.web {
		fmt.Fprintf(said, "choose a match, in the browser: %s\n", p.address("play.html", url.Values{"env": {o.id}}))
		if order = table.Next(ctx); order == nil {
			return nil
		}
	}
	for ; ; o.seeded = false {
		if order != nil {
			o.take(order)
		}
		begun := false
		err := o.once(ctx, out, table, func(s *seated, err error) error {
			if begun = err == nil; order != nil {
				order.Answer(err)
			} else if begun {
				s.invite(p, said)
			}
			return err
		})
		switch {
		case begun:
			o.record, o.talks.Log = "", nil // only the first match is recorded
		case order == nil:
			return err
		default:
			table.End(err.Error())
			err = nil // the page shows the error
		}
		if order = table.Next(ctx); order == nil {
			return err
		}
		if err != nil {
			fmt.Fprintln(said, oneLine(err.Error()))
		}
	}
}

// invite prints the page's address for each person.
func (s *seated) invite(p *page, out io.Writer) {
	for _, seat := range s.people.List() {
		address := p.address("play.html", url.Values{"seat": {strconv.Itoa(seat)}})
		fmt.Fprintf(out, "play in seat %d, in the browser: %s\n", seat, address)
	}
	if s.people == 0 {
		fmt.Fprintf(out, "watch the match, in the browser: %s\n",
			p.address("play.html", url.Values{"seat": {strconv.Itoa(env.NoSeat)}}))
	}
}

// take sets the options of the next match to what a page has ordered.
func (o *playOptions) take(order *play.Order) {
	if order.Env != "" {
		o.chosenGame, o.start, o.match.From, o.names = chosenGame{id: order.Env}, "", nil, order.Agents
	}
	if !order.Same && !o.seeded {
		o.drawSeed()
	}
}

var errLeft = errors.New("human has left before the match was over")

// howEnded says how a match ended, for the page.
func (s *seated) howEnded(p *played, err error) string {
	if err != nil {
		return "The match was stopped: " + err.Error()
	}
	if p.Void != "" {
		return "The match cannot be scored: " + p.Void
	}
	return inWords(p.End, s.names)
}
