package tournament

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"pommego/arena/match"
	"pommego/env"
)

// isClient reports whether Options.Client has the games of an agent.
func isClient(name string) bool { return strings.HasPrefix(name, "client:") }

// takeClient adds the games that the client has played, all or none.
func (r *run) takeClient() error {
	var played []Record
	lines := json.NewDecoder(r.o.Client)
	for line := 1; ; line++ {
		var text json.RawMessage
		err := lines.Decode(&text)
		if errors.Is(err, io.EOF) {
			break
		}
		var record Record
		if err == nil {
			record, err = r.readPlayed(text)
		}
		if err != nil {
			return fmt.Errorf("the client's games: line %d: %w", line, err)
		}
		played = append(played, record)
	}
	for i := range played {
		if r.Has(played[i].Game) {
			continue
		}
		if _, err := r.Keep(&played[i]); err != nil {
			return err
		}
	}
	return nil
}

// readPlayed reads a game that the client has played. It returns an error if the game is impossible.
func (r *run) readPlayed(text []byte) (Record, error) {
	var played struct {
		Record
		Game *int `json:"game"` // replaces Record's, to find that it is absent
	}
	if err := json.Unmarshal(text, &played); err != nil {
		return played.Record, err
	}
	s, games := r.t.schedule, r.t.Games()
	switch {
	case played.Game == nil:
		return played.Record, fmt.Errorf("it has no key game, want the number of the game, 0 to %d", games-1)
	case *played.Game < 0 || *played.Game >= games:
		return played.Record, fmt.Errorf("game is %d, want 0 to %d", *played.Game, games-1)
	case played.Result == nil:
		return played.Record, errors.New("it has no result, want won, lost or tied for each seat")
	case played.Steps < 1 || played.Steps > s.spec.MaxSteps:
		return played.Record, fmt.Errorf("steps is %d, want 1 to %d", played.Steps, s.spec.MaxSteps)
	}
	played.Record.Game = *played.Game
	if err := s.check(&played.Record); err != nil {
		return played.Record, err
	}
	if !slices.ContainsFunc(played.Agents, isClient) {
		return played.Record, fmt.Errorf("game %d is between %q, want a game with an agent of the client", *played.Game,
			played.Agents)
	}
	return played.Record, s.checkEnding(&played.Record, r.t.Game.Endings())
}

// checkEnding returns an error if the game cannot end this way.
func (s *schedule) checkEnding(r *Record, endings []env.Ending) error {
	for _, list := range [][]int{r.Moves, r.Late, r.Failed, r.Gone} {
		for _, n := range list {
			if n < 0 || n > math.MaxInt32 {
				return fmt.Errorf("it has a count of %d, want 0 to %d", n, math.MaxInt32)
			}
		}
	}
	for _, team := range s.spec.Teams {
		for _, seat := range team {
			result, outcome, first := r.Result[seat], r.Outcome[seat], r.Result[team[0]]
			if result != first {
				return fmt.Errorf("seats %d and %d are a team with the results %q and %q, want one", team[0], seat, first, result)
			}
			if !slices.ContainsFunc(endings, func(e env.Ending) bool { return e.Result == result && e.Outcome == outcome }) {
				return fmt.Errorf("seat %d has the result %q and the outcome %v: no game of %s ends so", seat, result, outcome,
					s.spec.ID)
			}
		}
	}
	return nil
}

// asked lists the games that the client still has to play, without outcomes.
func (r *run) asked() (games []Record) {
	for i := r.First; i <= r.Last; i++ {
		asked := Record{Played: r.t.schedule.game(i).Played}
		if !r.Has(i) && slices.ContainsFunc(asked.Agents, isClient) {
			asked.take(&match.Report{Seats: make([]match.SeatReport, len(asked.Agents))})
			games = append(games, asked)
		}
	}
	return games
}
