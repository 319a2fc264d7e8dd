package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
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
	results, err := kept.Results()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(report.Results)
	if got, _ := json.Marshal(results); string(got) != string(want) {
		t.Errorf("results are %s, want %s", got, want)
	}
	for i := range kept.Records {
		steps := 0
		if err := kept.Replay(context.Background(), &kept.Records[i],
			func(match.Moment) error { steps++; return nil }); err != nil || steps != kept.Records[i].Steps+1 {
			t.Errorf("game %d: %d positions (%v), want %d", i, steps, err, kept.Records[i].Steps+1)
		}
	}
	other := kept.Records[0]
	other.Steps++
	if err := kept.Replay(context.Background(), &other,
		func(match.Moment) error { return nil }); !errors.Is(err, ErrNotAgain) {
		t.Errorf("a game that is another now is shown (%v)", err)
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
	if results, err := kept.Results(); results != nil || err != nil {
		t.Errorf("results of a part are %v (%v)", results, err)
	}
}

// TestReadRelease: the log of a tournament that release 0.1.0 played is read, and its games are shown.
func TestReadRelease(t *testing.T) {
	kept, err := Read("testdata/0.1.0.jsonl", find)
	if err != nil {
		t.Fatal(err)
	}
	if results, err := kept.Results(); err != nil || results.Played != 4 || results.Agents[0].Wins != 2 {
		t.Errorf("results %+v (%v), want those of four games", results, err)
	}
	for i := range kept.Records {
		err := kept.Replay(context.Background(), &kept.Records[i], func(match.Moment) error { return nil })
		if err != nil {
			t.Error(err)
		}
	}
}

// TestReadStartsNothing: what a log says must not be run, connected to or opened. The pipe
// would keep whoever opens it.
func TestReadStartsNothing(t *testing.T) {
	made, pipe := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"exec:touch " + made, "library:" + pipe, "http://127.0.0.1:1", "client:me",
		"llm:http://127.0.0.1:1,model=x", "net:weights=" + pipe, "champion:weights=" + pipe, "ppo-ffa:weights=" + pipe} {
		err := replay(t, context.Background(), "PommeFFACompetition-v0", name)
		if !errors.Is(err, ErrNotAgain) || !strings.Contains(err.Error(), "outside this program") {
			t.Errorf("%s: error %v, want %v", name, err, ErrNotAgain)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the agent was started")
	}
}

// TestReadGone: a log that names an agent that there was is read, and its games say what to use in its place.
func TestReadGone(t *testing.T) {
	err := replay(t, context.Background(), "PommeFFACompetition-v0", "champion-net")
	if !errors.Is(err, ErrNotAgain) || !strings.Contains(err.Error(), `"champion-net" is gone, use ppo-ffa`) {
		t.Errorf("error %v, want %v, and that the agent is gone", err, ErrNotAgain)
	}
}

// TestReplayEnds: a game of agents that search for hours is left when the context ends.
func TestReplayEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := replay(t, ctx, "PommeFFACompetition-v0", "uct:ticks=1000000000"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

// replay plays a game again that a log has of an agent.
func replay(t *testing.T, ctx context.Context, id, agent string) error {
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Agents: []string{agent}, Against: "random", Format: OneAgainstThree, Games: 2, Seed: 3}
	k := &Kept{Tournament: &Tournament{Game: game, Config: c}}
	k.schedule = newSchedule(&k.Config, game.Spec())
	return k.Replay(ctx, &Record{Agents: []string{agent, "random", "random", "random"}}, nil)
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
