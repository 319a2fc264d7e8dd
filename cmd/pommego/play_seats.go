package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pommego/arena/match"
	"pommego/arena/start"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
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
