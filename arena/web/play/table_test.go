package play_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
)

// line is what a page gets, with whole positions.
type line struct {
	Head *scene.Head
	Step *scene.Step
	Ask  *struct {
		Step  int
		Needs []bool
		Speed float64
	}
	End  string
	Game int
}

// lines reads what a page gets, as one does that knows the documentation alone.
func lines(from io.Reader) (next func() (line, error)) {
	in, position := json.NewDecoder(from), map[string]json.RawMessage{}
	return func() (l line, err error) {
		got := struct {
			*line
			Step map[string]json.RawMessage
		}{line: &l}
		if err = in.Decode(&got); err != nil || got.Step == nil {
			return l, err
		}
		for _, key := range []string{"changed", "actions", "rewards", "events", "thoughts"} {
			delete(position, key)
		}
		maps.Copy(position, got.Step)
		text, err := json.Marshal(position)
		if err == nil {
			err = json.Unmarshal(text, &l.Step)
		}
		if err != nil {
			return l, err
		}
		for cell, kind := range l.Step.Changed {
			l.Step.Ground[cell] = kind[0]
		}
		position["ground"], err = json.Marshal(l.Step.Ground)
		return l, err
	}
}

// serve answers a table's pages.
func serve(t *testing.T, table *play.Table) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, answer := range table.Handlers() {
		mux.HandleFunc(pattern, answer)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// post sends a page's words and returns the status.
func post(t *testing.T, server *httptest.Server, what, body string) int {
	t.Helper()
	address := strings.TrimSuffix(server.URL+"/api/play/"+what, "/")
	answer, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// TestAPersonPlays plays a game in fog as a page does: each position has what the seat
// sees and no more, the moves are the person's, and in the end everything is shown.
func TestAPersonPlays(t *testing.T) {
	game, err := catalog.Game("PommeTeamCompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	names := []string{"simple", "human", "simple", "simple"}
	table := play.NewTable(nil)
	table.Deal(game, names, "Be the last.", cancel)
	players := make([]match.Player, len(names))
	for seat, name := range names {
		if name == "human" {
			players[seat], err = table.Seat(seat, name)
		} else {
			players[seat], err = match.NewPlayer(game, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	server := serve(t, table)

	var moves []uint8
	go func() {
		_, err := match.Play(ctx, game, players, env.Seed{Value: 4}, match.Rules{Events: true}, func(at match.Moment) error {
			if at.Actions != nil {
				moves = append(moves, at.Actions[1])
			}
			return table.Watch(at)
		})
		table.End(fmt.Sprint("over ", err))
	}()
	answer, err := http.Get(server.URL + "/api/play?seat=1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var given []uint8
	fogged, pace := 0, 0
	for next := lines(answer.Body); ; {
		l, err := next()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Step != nil && slices.Contains(l.Step.Status.In, 1):
			fogged += strings.Count(string(l.Step.Ground), "?")
			wantSeen(t, l.Step)
		case l.Step != nil && pace == 0:
			pace = post(t, server, "", `{"seat": 1, "speed": 60}`) // without the person
		case l.Ask != nil:
			choice := uint8(l.Ask.Step*5) % 5 // it stays, so that the game is long
			given = append(given, choice)
			for body, want := range map[string]int{
				`{"seat": 1, "step": 9999, "action": [0]}`: 409, `{"seat": 0, "step": 0, "action": [0]}`: 404,
				`{"seat": 1, "step": 0, "action": [6]}`: 400,
				`{"seat": 1, "step": 0, "action": []}`:  400, `{"seat": 1, "moves": 1}`: 400,
			} {
				if got := post(t, server, "", body); l.Ask.Step == 3 && got != want {
					t.Errorf("%s is answered %d, want %d", body, got, want)
				}
				if l.Ask.Step != 3 {
					break
				}
			}
			if got := post(t, server, "",
				fmt.Sprintf(`{"seat": 1, "step": %d, "action": [%d]}`, l.Ask.Step, choice)); got != http.StatusNoContent {
				t.Fatalf("the move of step %d is answered %d", l.Ask.Step, got)
			}
		case l.End != "":
			if l.End != "over <nil>" {
				t.Errorf("the match is %s", l.End)
			}
			checkEnd(t, table, given, moves, fogged)
			return
		}
	}
}

// wantSeen checks that a position shows nothing that seat 1 does not see.
func wantSeen(t *testing.T, s *scene.Step) {
	t.Helper()
	if s.Sight != nil || s.Counts != nil {
		t.Errorf("step %d shows what others see, or what all have counted", s.Step)
	}
	size := 11
	for _, b := range s.Bombs {
		if s.Ground[b.At[0]*size+b.At[1]] == env.GroundFog || b.Owners != 0 {
			t.Errorf("step %d shows the bomb %+v", s.Step, b)
		}
	}
	for _, a := range s.Agents {
		if a.Seat != 1 && (s.Ground[a.At[0]*size+a.At[1]] == env.GroundFog || a.Ammo != 0) {
			t.Errorf("step %d shows the agent %+v", s.Step, a)
		}
	}
	for seat, action := range s.Actions {
		if seat != 1 && action != nil {
			t.Errorf("step %d shows the action %v of seat %d", s.Step, action, seat)
		}
	}
}

func checkEnd(t *testing.T, table *play.Table, given, moves []uint8, fogged int) {
	t.Helper()
	if len(given) < 5 || fogged == 0 {
		t.Fatalf("%d moves were given, %d cells were in fog", len(given), fogged)
	}
	for i, choice := range given {
		if moves[i] != choice {
			t.Errorf("move %d was %d, want %d", i, moves[i], choice)
		}
	}
	whole, err := table.Game(1)
	if err != nil || len(whole.Steps) != len(moves)+1 || whole.Steps[0].Sight == nil {
		t.Errorf("the whole game has %d steps (%v), want %d", len(whole.Steps), err, len(moves)+1)
	}
}
