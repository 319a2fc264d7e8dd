package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pommego/arena/dataset"
	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/arena/tournament"
	"pommego/arena/tournament/report"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
)

const duelID = "OneVsOne-v0"

// duel is a short game of two.
func duel(t *testing.T) env.Game {
	t.Helper()
	game, err := catalog.Variant(duelID, json.RawMessage(`{"max_steps": 12}`))
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// thinkers counts the thoughts of a game by seat. They are of seats that were in, and their
// visits and values go together.
func thinkers(t *testing.T, g *scene.Timeline) map[int]int {
	t.Helper()
	by, status := map[int]int{}, g.Steps[0].Status
	for _, s := range g.Steps {
		for _, thought := range s.Thoughts {
			by[thought.Seat]++
			if !slices.Contains(status.In, thought.Seat) || len(thought.Visits) != 6 || len(thought.Values) != 6 {
				t.Errorf("step %d: seat %d, of %v in the game, thought %+v", s.Step, thought.Seat, status.In, thought)
			}
		}
		if s.Status != nil {
			status = s.Status
		}
	}
	return by
}

// agrees checks a game against its entry in a listing.
func agrees(t *testing.T, e *Entry, g *scene.Timeline) {
	t.Helper()
	var end *scene.Status
	for _, s := range g.Steps {
		if s.Status != nil {
			end = s.Status
		}
	}
	if last := g.Steps[len(g.Steps)-1]; e.Steps != last.Step || !slices.Equal(e.Agents, g.Names) || e.Seed != g.Seed ||
		end.Over && !slices.Equal(winners(e), end.Winners) {
		t.Errorf("game %d is listed as %+v, and has %d steps of %q, seed %d, %+v", e.Game, e, last.Step, g.Names, g.Seed, end)
	}
}

func TestDataSet(t *testing.T) {
	game, folder := duel(t), filepath.Join(t.TempDir(), "set")
	if _, _, err := dataset.Generate(t.Context(), game, dataset.Config{
		Agents: []string{"champion:level=1", "static"}, Games: 3, Seed: 5, Layout: dataset.Steps,
	}, folder, dataset.Options{Version: "test", Build: "test"}); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	games := DataSet(set, game)
	list, err := games.Listing()
	if err != nil || len(list.Games) != 3 || list.Kind != "dataset" || list.Title != "set" || len(list.Notes) != 1 {
		t.Fatalf("listed is %+v, %v", list, err)
	}
	for i := range list.Games {
		g, err := games.Game(list.Games[i].Game)
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, &list.Games[i], g)
		if by := thinkers(t, g); by[0] < 5 || by[1] != 0 {
			t.Errorf("game %d has thoughts of %v, want some of seat 0 alone", i, by)
		}
	}
	for _, number := range []int{-1, 3} {
		if _, err := games.Game(number); !errors.Is(err, ErrNoGame) {
			t.Errorf("game %d: %v, want %v", number, err, ErrNoGame)
		}
	}
}

func TestTournament(t *testing.T) {
	game, log := duel(t), filepath.Join(t.TempDir(), "log.jsonl")
	c := tournament.Config{Agents: []string{"champion:level=1", "random"}, Format: tournament.RoundRobin, Games: 4,
		Seed: 3}
	tour, err := tournament.New(game, c)
	if err != nil {
		t.Fatal(err)
	}
	games := Tournament("results", log, func() (*tournament.Kept, error) {
		return tournament.Read(log, func(string, json.RawMessage) (env.Game, error) { return game, nil })
	})
	if _, err := games.Listing(); !os.IsNotExist(err) {
		t.Errorf("before there is a log: %v", err)
	}
	if _, err := games.Game(0); !os.IsNotExist(err) {
		t.Errorf("before there is a log: %v", err)
	}
	result, err := tour.Run(t.Context(), tournament.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	list, err := games.Listing()
	if err != nil || len(list.Games) != 4 || list.Ratings != nil {
		t.Errorf("before there are results %+v is listed, %v", list, err)
	}
	if err := report.WriteFolder(filepath.Dir(log), result); err != nil {
		t.Fatal(err)
	}
	list, err = games.Listing()
	if err != nil || len(list.Games) != 4 || list.Ratings == nil || list.Title != "results" || len(list.Notes) != 1 {
		t.Fatalf("listed is %+v, %v", list, err)
	}
	thoughts := 0
	for i := range list.Games {
		g, err := games.Game(list.Games[i].Game)
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, &list.Games[i], g)
		by, searcher := thinkers(t, g), slices.Index(g.Names, c.Agents[0])
		thoughts += by[searcher]
		if by[1-searcher] != 0 {
			t.Errorf("game %d has thoughts of %v, want those of seat %d alone", i, by, searcher)
		}
	}
	if thoughts < 20 {
		t.Errorf("there are %d thoughts, want more", thoughts)
	}
	if _, err := games.Game(4); !errors.Is(err, ErrNoGame) {
		t.Errorf("game 4: %v, want %v", err, ErrNoGame)
	}

	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(log, []byte(strings.Join(lines[:len(lines)-2], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err = games.Listing()
	if err != nil || len(list.Games) != 3 || list.Ratings != nil || !strings.Contains(list.Notes[1], ": 3 games so far") {
		t.Errorf("of a tournament under way %+v, %v is listed", list, err)
	}
}

// TestThoughtsAreRecorded: the page of a match that was recorded has what its agents thought,
// and a record with thoughts of nobody is refused.
func TestThoughtsAreRecorded(t *testing.T) {
	path, game := filepath.Join(t.TempDir(), "match.jsonl"), duel(t)
	var players []match.Player
	for _, name := range []string{"random", "champion:level=1"} {
		p, err := match.NewPlayer(game, name)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		players = append(players, p)
	}
	rec, err := match.NewRecording(game, players, 0)
	if err != nil {
		t.Fatal(err)
	}
	want, asked := map[int]int{}, 0
	result, err := match.Play(t.Context(), game, players, env.Seed{Value: 4}, match.Rules{}, func(at match.Moment) error {
		for _, thought := range at.Thoughts() {
			want[thought.Seat]++
		}
		asked++
		return rec.Watch(at)
	})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := rec.Record(); err != nil || trace.Write(path, line) != nil {
		t.Fatal(err)
	}
	g, err := Recorded(path, formats).Game(1)
	if err != nil {
		t.Fatal(err)
	}
	if got := thinkers(t, g); want[1] < 5 || got[1] != want[1] || got[0]+want[0] != 0 {
		t.Errorf("of %d steps the thoughts of %v are recorded, want those of %v", result.End.Steps, got, want)
	}
	report, err := formats.Verify(path, 10)
	if err != nil || report.Mismatches != 0 || report.Steps != result.End.Steps {
		t.Errorf("the record is %+v, %v", report, err)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]string{{`"thoughts":[{"seat":1,`, `"thoughts":[{"seat":2,`}, {`"visits":[`, `"visits":[1,`}} {
		other := strings.Replace(string(line), wrong[0], wrong[1], 1)
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Recorded(path, formats).Game(1); err == nil || !strings.Contains(err.Error(), "thought") {
			t.Errorf("with %s the game is read: %v", wrong[1], err)
		}
	}
}

// TestErrorsAreAnswered: what cannot be listed or shown is answered in words.
func TestErrorsAreAnswered(t *testing.T) {
	h, path := serving(t)
	for _, content := range []string{`{"format": "none/1"}` + "\n", "{}\n\n{}\n", `{"format": `} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if w := ask(h, nil, "GET", "/api/game/1", nil); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("a game of %q is answered %d %s", content, w.Code, w.Body)
		}
	}
	if w := ask(h, nil, "GET", "/api/listing", nil); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a listing of a damaged file is answered %d %s", w.Code, w.Body)
	}
}

// TestScenarios: games of one environment name it once, and those that have names show them.
func TestScenarios(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	record := `{"format": "pommerman-trace/1", "variant": "x", "name": "%s", "note": "n", "policies": ["a"], "seed": 7, ` +
		`"steps": []}` + "\n"
	if err := os.WriteFile(path, fmt.Appendf(nil, record+record, "one", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Recorded(path, formats).Listing()
	if err != nil || list.Env != "x" || list.Games[0].Env != "" || list.Games[0].Note != "one" ||
		list.Games[1].Note != "n" || list.Games[1].Seed != 7 {
		t.Errorf("listed is %+v of %q, %v", list.Games, list.Env, err)
	}
}

// TestAppearingFile: games keep their numbers when a file appears whose name sorts before theirs, and when a file gets
// another game. A damaged file hides no other.
func TestAppearingFile(t *testing.T) {
	file := recordings(t)
	folder := filepath.Dir(file)
	if err := os.Chtimes(folder, time.Time{}, time.Unix(1e9, 0)); err != nil { // so that the change shows at once
		t.Fatal(err)
	}
	games := Recorded(folder, formats)
	before, err := games.Listing()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("earlier.jsonl", text)
	after, err := games.Listing()
	if err != nil || len(after.Games) != 2*len(before.Games) {
		t.Fatalf("listed are %d games after %d, %v", len(after.Games), len(before.Games), err)
	}
	for i, e := range after.Games {
		name := "games.jsonl"
		if i >= len(before.Games) {
			name = "earlier.jsonl"
		}
		if e.Game != i+1 || !strings.HasPrefix(e.Note, name) {
			t.Errorf("game %d is listed as %+v, want one of %s", i+1, e, name)
		}
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	write("a.jsonl", nil)
	write("b.jsonl.gz", text)
	write("c.jsonl", text[:len(first)+9])
	write("games.jsonl", fmt.Appendf(text, "%s\n", first)) // its folder does not change
	last, err := games.Listing()
	if n := len(after.Games); err != nil || len(last.Games) != n+2 || !slices.EqualFunc(after.Games, last.Games[:n],
		func(a, b Entry) bool { return a.place == b.place && a.Game == b.Game }) {
		t.Fatalf("listed is %+v, %v", last, err)
	}
	notes := strings.Join(last.Notes, "\n")
	for _, says := range []string{"a.jsonl: the file is empty", "b.jsonl.gz: not compressed", "c.jsonl: line 2: the"} {
		if !strings.Contains(notes, says) {
			t.Errorf("the notes are %q, want %q", notes, says)
		}
	}
	for _, g := range last.Games {
		if _, err := games.Open(g.Game); err != nil {
			t.Errorf("game %d: %v", g.Game, err)
		}
	}
}
