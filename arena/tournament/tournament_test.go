package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"pommego/arena/ledger"
	"pommego/env"
	"pommego/env/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unraced skips a test with -short, as under the race detector: it is of one goroutine, or plays many
// games as others play few.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing runs in parallel that does not elsewhere")
	}
}

// TestWorkers: the number of games played at a time does not show.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		id     string
		config Config
	}{
		{ffaID, gauntlet()},
		{duelID, Config{Format: RoundRobin, Agents: []string{"random", "static", "simple"}, Games: 10}},
		{teamID, Config{Format: TwoAgainstTwo, Agents: []string{"random", "simple"}, Games: 10}},
	} {
		tour, err := New(game(t, test.id), test.config)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		for _, workers := range []int{1, 2, 7, 100} {
			onCores(t, workers)
			report, err := tour.Run(context.Background(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := asJSON(t, report.Results)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s, %s: %d workers give other results:\n%s\n%s", test.id, test.config.Format, workers, got, want)
			}
		}
	}
}

// TestStopped stops a tournament again and again, resumes it each time, and
// compares with one that was left alone.
func TestStopped(t *testing.T) {
	c := gauntlet()
	c.Games = 60
	tour, err := New(game(t, ffaID), c)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := tour.Run(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	stops, last := 0, 0
	onCores(t, 2)
	for {
		ctx, stop := context.WithCancel(context.Background())
		report, err := tour.Run(ctx, Options{Log: path, Progress: func(p Progress) {
			if p.Done < last || p.Resumed < last && p.Done == p.Resumed {
				t.Errorf("%d games done, %d resumed, when there were %d", p.Done, p.Resumed, last)
			}
			if last = p.Done; p.Done >= p.Resumed+5 {
				stop()
			}
		}})
		stop()
		if err == nil {
			if asJSON(t, report.Results) != asJSON(t, alone.Results) {
				t.Errorf("stopped %d times: other results than without", stops)
			}
			break
		}
		if !errors.Is(err, ledger.ErrStopped) {
			t.Fatal(err)
		}
		stops++
	}
	if stops < 2 {
		t.Errorf("stopped %d times only", stops)
	}
}

// TestSimpleAgainstSimple: the same agent in all seats wins as often as not
// more than one of four can, and is rated like its opponent.
func TestSimpleAgainstSimple(t *testing.T) {
	unraced(t)
	tour, err := New(game(t, ffaID),
		Config{Format: OneAgainstThree, Agents: []string{"simple", "static"}, Against: "simple", Games: 400, Seed: 100000})
	if err != nil {
		t.Fatal(err)
	}
	report, err := tour.Run(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	simple, static := report.Results.Agents[0], report.Results.Agents[1]
	if simple.Win.Low > 0.25 || simple.Win.High < 0.15 {
		t.Errorf("simple wins %+v against three of its kind", simple.Win)
	}
	if simple.Rating.Low > 0 || simple.Rating.High < 0 {
		t.Errorf("simple is rated %+v against itself", simple.Rating)
	}
	if static.Wins > simple.Wins || static.Rating.Value > simple.Rating.Value {
		t.Errorf("static wins %d and is rated %v, simple %d and %v", static.Wins, static.Rating, simple.Wins, simple.Rating)
	}
}

// TestRecords: a record names who sat where, and nobody made more moves than
// the game has steps.
func TestRecords(t *testing.T) {
	tour := newQuick(t)
	report, err := tour.Run(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range report.Records {
		f := tour.schedule.game(i)
		if err := tour.schedule.check(&r); err != nil {
			t.Error(err)
		}
		won := 0
		for seat, result := range r.Result {
			if paid := r.Outcome[seat]; result == env.Won {
				won++
			} else if paid != -1 {
				t.Errorf("game %d: seat %d has %s and was paid %v, want -1", i, seat, result, paid)
			}
		}
		if r.Game != i || !slices.Equal(r.Agents, f.Agents) || won > 1 || r.Steps < 1 ||
			slices.Max(r.Moves) > r.Steps || len(r.Gone) != 4 {
			t.Errorf("game %d: %+v", i, r)
		}
	}
}

// TestExperiment: levels and repetitions, stopped and resumed, give
// what they give in one go; counts are in the results.
func TestExperiment(t *testing.T) {
	// More games than the list of finished ones holds, so that it can be stopped between them.
	tour, err := New(game(t, ffaID), Config{
		Format: OneAgainstThree, Agents: []string{"simple", "random"}, Against: "simple", Games: 40, Repetitions: 4, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := tour.Run(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	ctx, stop := context.WithCancel(context.Background())
	onCores(t, 1)
	_, err = tour.Run(ctx, Options{Log: path, Progress: func(p Progress) {
		if p.Done > 4 {
			stop()
		}
	}})
	if stop(); !errors.Is(err, ledger.ErrStopped) {
		t.Fatal(err)
	}
	resumed, err := tour.Run(context.Background(), Options{Log: path})
	if err != nil {
		t.Fatal(err)
	}
	if asJSON(t, resumed.Results) != asJSON(t, alone.Results) {
		t.Error("resumed it has other results")
	}
	for i := range alone.Records {
		a, b := &alone.Records[i], &resumed.Records[i]
		if asJSON(t, a.Counts) != asJSON(t, b.Counts) {
			t.Errorf("game %d: counts %v, resumed %v", i, a.Counts, b.Counts)
		}
		if a.Repetition != i/2%4 || a.Seed.Value != 3+uint64(i/8) {
			t.Errorf("game %d has seed %d and repetition %d", i, a.Seed, a.Repetition)
		}
	}
	for _, a := range alone.Results.Agents {
		for i, c := range a.Counts {
			if c.Name != game(t, ffaID).Spec().Counts[i].Name || c.Low > c.Value || c.High < c.Value {
				t.Errorf("%s: %+v", a.Agent, c)
			}
		}
		if bombs := a.Counts[3]; bombs.Name != "bombs" || bombs.Value <= 0 {
			t.Errorf("%s: %+v", a.Agent, a.Counts)
		}
	}
}

// TestProgramsEnd: when a tournament has ended, so have its programs.
func TestProgramsEnd(t *testing.T) {
	short, err := catalog.Variant(duelID, json.RawMessage(`{"max_steps": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	tour, err := New(short, Config{Agents: []string{"exec:echo $$ >'" + file +
		`'; for i in 1 2; do read -r x; echo "{\"id\": $i, \"action\": 0}"; done; cat >/dev/null`, "random"}, Games: 1})
	if err == nil {
		_, err = tour.Run(t.Context(), Options{})
	}
	text, unread := os.ReadFile(file)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	program, unfound := os.FindProcess(pid)
	if err = errors.Join(err, unread, unfound); err != nil || pid == 0 || program.Signal(syscall.Signal(0)) == nil {
		t.Errorf("program %q goes on, or %v", text, err)
	}
}

// absent is a game whose agents are there once and never again.
type absent struct {
	env.Game
	made int
}

var errAbsent = errors.New("not there any more")

func (g *absent) NewAgent(name string) (env.Agent, error) {
	if g.made++; g.made > 3 {
		return nil, errAbsent
	}
	return g.Game.NewAgent(name)
}

// stopping is a game whose agents end a context in the middle of their first
// game.
type stopping struct {
	env.Game
	stop func()
}

type stopper struct {
	env.Agent
	stop  func()
	moves int
}

func (g *stopping) NewAgent(name string) (env.Agent, error) {
	agent, err := g.Game.NewAgent(name)
	return &stopper{Agent: agent, stop: g.stop}, err
}

func (s *stopper) Act(m env.Match, seat int, action []uint8) {
	if s.moves++; s.moves == 5 {
		s.stop()
	}
	s.Agent.Act(m, seat, action)
}

// TestStoppedInAGame: a game that was running does not count, and to be stopped
// is no failure.
func TestStoppedInAGame(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	tour, err := New(&stopping{game(t, ffaID), func() { stop(errors.New("the client is gone")) }}, quick())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	onCores(t, 2)
	_, err = tour.Run(ctx, Options{Log: path})
	if !errors.Is(err, ledger.ErrStopped) || !strings.Contains(err.Error(), "after 0 of 16 games") {
		t.Errorf("got %v, want that it was stopped after 0 of 16 games", err)
	}
	log, err := os.ReadFile(path)
	if err != nil || bytes.Count(log, []byte("\n")) != 1 {
		t.Errorf("the log holds more than its first line (%v):\n%s", err, log)
	}
}

// TestPlayerMissing: a game that cannot be played ends the run, with its number.
func TestPlayerMissing(t *testing.T) {
	tour, err := New(&absent{Game: game(t, ffaID)}, quick())
	if err != nil {
		t.Fatal(err)
	}
	onCores(t, 1)
	_, err = tour.Run(context.Background(), Options{})
	if !errors.Is(err, errAbsent) {
		t.Errorf("got %v, want %v", err, errAbsent)
	}
}
