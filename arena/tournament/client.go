package tournament

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pommego/arena/match"
)

// isClient reports whether an agent is played by whoever gives Options.Client.
func isClient(name string) bool { return strings.HasPrefix(name, "client:") }

// takeClient takes over the games that the client has played.
func (r *run) takeClient() error {
	var taken []json.RawMessage
	for lines := json.NewDecoder(r.o.Client); ; {
		var text json.RawMessage
		err := lines.Decode(&text)
		if err == nil {
			err = r.takeOver(text)
		}
		switch {
		case err == nil:
			taken = append(taken, text)
		case errors.Is(err, io.EOF) && r.log != nil:
			return keep(r.log, taken)
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, errTwice):
			return fmt.Errorf("the client's games: %w", err)
		}
	}
}

// asked are the games that the client has still to play, without outcomes.
func (r *run) asked() (games []Record) {
	for _, i := range r.todo {
		f := r.t.schedule.game(i)
		names := r.t.schedule.names(&f)
		if slices.ContainsFunc(names, isClient) {
			none := match.Result{Seats: make([]match.SeatReport, len(names))}
			games = append(games, newRecord(&f, names, &none))
		}
	}
	return games
}
