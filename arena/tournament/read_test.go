package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/record"
	"pommego/internal/disk"
)

func find(id string, _ json.RawMessage) (env.Game, error) { return catalog.Game(id) }

// TestReadsWhatIsPlayed: a log is read while it is written, with results once it is
// complete, and its games come out again as they were.
func TestReadsWhatIsPlayed(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	tour, err := New(game, Config{Agents: []string{"simple", "random"}, Format: RoundRobin, Games: 4, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	report, err := tour.Run(context.Background(), Options{Log: log, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Read(log, find)
	if err != nil {
		t.Fatal(err)
	}
	writeResults(t, log, report.Results)
	sameResults(t, kept, report.Results)
	for i := range kept.Records {
		r, positions := &kept.Records[i], 0
		replay, err := kept.Replay(r.Game)
		if err == nil {
			err = replay.Follow(func(record.Moment) error { positions++; return nil })
		}
		if err != nil || positions != r.Steps+1 {
			t.Errorf("game %d: %d positions (%v), want %d", i, positions, err, r.Steps+1)
			continue
		}
		status := replay.Status()
		if got := status.SeatResults(game.Spec().Teams, 0b11); !slices.Equal(got, r.Result) {
			t.Errorf("game %d: the replay ends with %v, want %v", i, got, r.Result)
		}
	}
	if _, err := kept.Replay(4); !errors.Is(err, trace.ErrNoGame) {
		t.Errorf("game 4: %v, want %v", err, trace.ErrNoGame)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, text[:len(text)-7], 0o600); err != nil { // half a line
		t.Fatal(err)
	}
	kept, err = Read(log, find)
	if err != nil || len(kept.Records) != 3 || kept.Games() != 4 {
		t.Fatalf("of a log under way %+v was read (%v)", kept, err)
	}
	if results := kept.Results(); results != nil {
		t.Errorf("results of a part are %v", results)
	}
}

// writeResults writes what the command keeps beside a log.
func writeResults(t *testing.T, log string, r *Results) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(log), "results.json"), []byte(asJSON(t, r)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func sameResults(t *testing.T, kept *Kept, want *Results) {
	t.Helper()
	if got := kept.Results(); got == nil || got.Played != want.Played || asJSON(t, got.Agents) != asJSON(t, want.Agents) {
		t.Errorf("results are %+v, want %+v", got, want)
	}
}

// TestReadFailures: a program that is ready for its first game alone ends no tournament, and replays of its games say
// how they were counted.
func TestReadFailures(t *testing.T) {
	tour, err := New(game(t, duelID), Config{Agents: []string{`exec:read -r x; echo '{"id": 1}'`, "random"},
		Format: RoundRobin, Games: 2})
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	onCores(t, 1)
	if _, err := tour.Run(t.Context(), Options{Log: log}); err != nil {
		t.Fatal(err)
	}
	kept, err := Read(log, find)
	if err != nil || len(kept.Records) != 2 {
		t.Fatalf("%+v, %v", kept, err)
	}
	for i, r := range kept.Records {
		replay, err := kept.Replay(i)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := replay.Info().Note, fmt.Sprintf("the tournament has counted it as %v", r.Result); got != want {
			t.Errorf("game %d: the note is %q, want %q", i, got, want)
		}
	}
}

// TestReadExtended: a log that a later run has extended is read whole, with results and games, and has no results while
// the later run plays.
func TestReadExtended(t *testing.T) {
	log, games := filepath.Join(t.TempDir(), "log.jsonl"), game(t, duelID)
	c := Config{Agents: []string{"simple", "random"}, Against: "static", Format: OneAgainstThree, Games: 2, Seed: 3}
	var want *Report
	for _, c.Games = range []int{2, 6} {
		tour, err := New(games, c)
		if err != nil {
			t.Fatal(err)
		}
		if want, err = tour.Run(context.Background(), Options{Log: log, Program: "test", Progress: func(at Progress) {
			if kept, err := Read(log, find); err != nil ||
				at.Resumed < at.Done && at.Done < at.Total && kept.Results() != nil {
				t.Errorf("after %d of %d games it is finished (%v)", at.Done, at.Total, err)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		writeResults(t, log, want.Results)
	}
	kept, err := Read(log, find)
	if err != nil {
		t.Fatal(err)
	}
	sameResults(t, kept, want.Results)
	if _, err := kept.Replay(11); err != nil {
		t.Errorf("the last game: %v", err)
	}
}

// TestReadEndedEarlier: a tournament for which fewer games were asked at last has the results beside its log.
func TestReadEndedEarlier(t *testing.T) {
	folder, games := t.TempDir(), game(t, duelID)
	log := filepath.Join(folder, "games.jsonl")
	c := Config{Agents: []string{"simple"}, Against: "static", Format: OneAgainstThree, Games: 6, Seed: 3}
	for _, c.Games = range []int{6, 2} {
		tour, err := New(games, c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		onCores(t, 1)
		r, err := tour.Run(ctx, Options{Log: log, Program: "test", Progress: func(at Progress) {
			if at.Done == 2 {
				stop()
			}
		}})
		stop()
		if c.Games == 6 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		writeResults(t, log, r.Results)
	}
	kept, err := Read(log, find)
	if err != nil || kept.Games() != 6 {
		t.Fatalf("%+v was read (%v)", kept, err)
	}
	if r := kept.Results(); r == nil || r.Played != len(kept.Records) {
		t.Errorf("results %+v, want those of %d games", r, len(kept.Records))
	}
}

// TestReadRelease: the log of a tournament that release 0.1.0 played is read. It has no actions.
func TestReadRelease(t *testing.T) {
	kept, err := Read("testdata/0.1.0.jsonl", find)
	if err != nil {
		t.Fatal(err)
	}
	if won := kept.Records[0].Result[0]; len(kept.Records) != 4 || won != env.Won {
		t.Errorf("%d games, the first %v for its first seat, want 4, and won", len(kept.Records), won)
	}
	if _, err := kept.Replay(0); !errors.Is(err, ErrNoMoves) {
		t.Errorf("error %v, want %v", err, ErrNoMoves)
	}
}

// TestReadStartsNothing: games of agents outside the program are shown, and what a log says is not run, connected to or
// opened. The pipe would keep whoever opens it.
func TestReadStartsNothing(t *testing.T) {
	made, pipe := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"exec:touch " + made, "library:" + pipe, "http://127.0.0.1:1", "client:me",
		"llm:http://127.0.0.1:1,model=x", "net:weights=" + pipe, "champion:weights=" + pipe, "ppo-ffa:weights=" + pipe} {
		c := Config{Agents: []string{name}, Against: "random", Format: OneAgainstThree, Games: 1, Seed: 3}
		s := newSchedule(&c, game(t, ffaID).Spec())
		r := recorded(s, 0)[0]
		r.Steps, r.Actions = 2, make([]byte, 8)
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := writeRecords(path, ledger.NewHeader(logFormat, "test", s.spec, c), r); err != nil {
			t.Fatal(err)
		}
		kept, err := Read(path, find)
		if err != nil {
			t.Fatal(err)
		}
		replay, err := kept.Replay(0)
		if err == nil {
			err = replay.Follow(func(record.Moment) error { return nil })
		}
		if err != nil || replay.Info().Policies[0] != name {
			t.Errorf("%s: %v, want the game", name, err)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the agent was started")
	}
}

func writeRecords(path string, header any, records ...Record) error {
	log, err := disk.OpenLog(disk.OS, path, disk.LogOptions{Header: header})
	if err != nil {
		return err
	}
	for i := range records {
		err = errors.Join(err, log.Add(&records[i]))
	}
	return errors.Join(err, log.Close())
}

// TestReadOrder: games come in the order of their numbers, and are checked again when they are shown.
func TestReadOrder(t *testing.T) {
	c, path := quick(), filepath.Join(t.TempDir(), "log.jsonl")
	s := newSchedule(&c, game(t, ffaID).Spec())
	h, r := ledger.NewHeader(logFormat, "test", s.spec, c), recorded(s, 0, 0)
	write := func(records ...Record) {
		if err := errors.Join(disk.Remove(disk.OS, path), writeRecords(path, h, records...)); err != nil {
			t.Fatal(err)
		}
	}
	write(r[1], r[0])
	kept, err := Read(path, find)
	if err != nil || kept.Records[0].Game != 0 {
		t.Fatalf("%+v, %v", kept, err)
	}
	r[0].Seed.Value++
	write(r[0])
	if _, err := kept.Replay(0); err == nil || !strings.Contains(err.Error(), "has seed 2") {
		t.Errorf("a game that has changed: %v", err)
	}
	h.Version++
	write()
	if _, err := Read(path, find); err == nil || !strings.Contains(err.Error(), "its games are of version") {
		t.Errorf("games of another version: %v", err)
	}
}

func TestReadMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for _, text := range []string{"", "{}\n", `{"format":"pommerman-trace/1"}` + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, find); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want an error that names the file", text, err)
		}
	}
}
