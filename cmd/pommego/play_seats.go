package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pommego/arena/match"
	"pommego/arena/start"
	"pommego/arena/web"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/words"
)

// seated is a match that is ready to be played.
type seated struct {
	game    env.Game
	names   []string
	players []match.Player
	people  env.SeatSet // seats of people

	table *play.Table // where people play; nil without people
}

// release closes the players that seat has opened.
func (s *seated) release() {
	for _, p := range s.players {
		p.Close()
	}
}

// seat makes the game and its players. Call release after it, even after an error.
func (o *playOptions) seat(table *play.Table, leave context.CancelCauseFunc) (*seated, error) {
	s := &seated{names: o.names, table: table}
	game, err := o.begin()
	if err != nil {
		return s, err
	}
	s.game = game
	seats := game.Spec().Seats
	if len(s.names) == 1 {
		s.names = slices.Repeat(s.names, seats)
	}
	if len(s.names) != seats {
		return s, usagef("--agents names %d agents, want %d for %s, or one for all seats", len(s.names), seats,
			game.Spec().ID)
	}
	if table != nil {
		table.Deal(game, s.names, goal(game), func() { leave(errLeft) })
	}
	for seat, name := range s.names {
		var p match.Player
		if play.Human(name) {
			s.people = s.people.With(seat)
			p, err = s.table.Seat(seat, name)
		} else {
			p, err = match.NewPlayer(game, name)
		}
		if err != nil {
			return s, usagef("--agents: %w", err)
		}
		s.players = append(s.players, p)
	}
	return s, nil
}

// begin makes the game, and reads the saved game from which its match begins. A recorded game
// names its environment itself.
func (o *playOptions) begin() (env.Game, error) {
	if o.start == "" {
		return o.chosenGame.game()
	}
	if inDataSet(o.start) != "" || tournamentAt(o.start) != "" {
		return nil, usagef("--start is %s, a data set or a tournament: want recorded games or a saved game", o.start)
	}
	saved, err := start.Read(o.start, formats)
	if err != nil {
		return nil, err
	}
	var game env.Game
	if o.chosen || saved.ID == "" {
		game, err = o.chosenGame.game()
	} else if game, err = catalog.Played(saved.ID, saved.Rules); err != nil {
		err = fmt.Errorf("%s: %w; name an environment with --env", o.start, err)
	}
	if err == nil {
		o.match.From, err = saved.In(game)
	}
	return game, err
}

// agentNames splits a list of names at commas. The text after a comma belongs to the
// name before it if it is an option, as in "mcts:ticks=200,depth=8,simple" and
// "llm:http://host/v1,model=x:8b,simple", or if a backslash comes before the comma.
func agentNames(list string) []string {
	var names []string
	joined := false // the text belongs to the name before
	for _, part := range strings.Split(list, ",") {
		key, _, isOption := strings.Cut(part, "=")
		isOption = isOption && !strings.Contains(key, ":")
		if n := len(names); n > 0 && (joined || isOption) {
			names[n-1] += "," + part
		} else {
			names = append(names, strings.TrimSpace(part))
		}
		last := &names[len(names)-1]
		if joined = strings.HasSuffix(*last, `\`); joined {
			*last = strings.TrimSuffix(*last, `\`)
		}
	}
	return names
}

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
	if o.web {
		fmt.Fprintf(said, "choose a match, in the browser: %s\n", p.address("play.html", url.Values{"env": {o.id}}))
	}
	for asked := o.web; ; asked, o.seeded = true, false { // whether a page asks for the match
		var order *play.Order
		if asked {
			if order = table.Next(ctx); order == nil {
				return err
			}
			if err != nil {
				fmt.Fprintln(said, match.OneLine(err.Error()))
			}
			o.take(order)
		}
		begun := false
		err = o.once(ctx, out, table, func(s *seated, err error) error {
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
