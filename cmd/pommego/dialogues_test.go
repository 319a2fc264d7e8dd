package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pommego/arena/tournament"
	"pommego/env"
)

// chatServer is an OpenAI-compatible server whose model says one line after the other; instead of "401" it refuses.
func chatServer(t *testing.T, lines ...string) string {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPost {
			line := lines[int(n.Add(1))%len(lines)]
			if line == "401" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprintf(w, `{"choices": [{"message": {"content": %q}}], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}`,
				line)
		}
	}))
	t.Cleanup(s.Close)
	return "llm:" + s.URL + "/v1,model=m:1,frame_ticks=3"
}

// A model's answers are in the results, the recorded game and the dialogues, which are checked and
// never written over.
func TestPlayModel(t *testing.T) {
	model, dir := chatServer(t, "hide", "Up!", "huh", "hunt for 2"), t.TempDir()
	talks, record := filepath.Join(dir, "d.jsonl"), filepath.Join(dir, "match.jsonl")
	args := []string{"play", "--env", "PommeTeamCompetition-v0", "--agents", model + ",simple," + model + ",static",
		"--seed", "3", "--record", record, "--record-dialogues", talks}
	r := pommego(t, append(args, "--json")...)
	r.want(t, exitOK)
	var got playReport
	r.decodes(t, &got)
	a := got.Seats[0].Answers
	if a.Legal*a.Repaired*a.Illegal == 0 || a.TokensIn != 7*a.TokensOut || a.Late != 0 ||
		got.Seats[1].Answers.TokensIn > 0 {
		t.Errorf("the answers are %+v and %+v", a, got.Seats[1].Answers)
	}
	r = pommego(t, "verify", talks, record)
	r.want(t, exitOK)
	if last := lastLine(r.out); !strings.HasPrefix(last, fmt.Sprintf("2 games, %d steps, 0 mismatches", 2*got.Steps)) {
		t.Errorf("checked was %q of %d steps", last, got.Steps)
	}
	text, err := os.ReadFile(record)
	if err != nil || bytes.Count(text, []byte(`"read":"Last answer: `)) < a.Legal-1 || !bytes.Contains(text, []byte(`"said":"Up!"`)) {
		t.Errorf("the recorded game lacks what the models read and said: %v", err)
	}
	args[len(args)-3] = filepath.Join(dir, "other.jsonl")
	if r := pommego(t, args...); r.code != exitUsage || !strings.Contains(r.errors, "d.jsonl exists") {
		t.Errorf("again it ended with %+v", r)
	}
}

// Tournaments tell of answers in their tables, and the dialogues of games that are played at a
// time stand in one file.
func TestTournamentOfModels(t *testing.T) {
	model, dir := chatServer(t, "hide", "Up!", "bomb for 9", "huh"), t.TempDir()
	talks := filepath.Join(dir, "d.jsonl")
	r := pommego(t, "tournament", "--env", "OneVsOne-v0", "--format", "round-robin", "--agents", model+",simple",
		"--games", "6", "--rules", `{"max_steps": 60}`, "--out", filepath.Join(dir, "out"), "--record-dialogues", talks)
	r.want(t, exitOK)
	if !strings.Contains(r.out, "Answers of language models") {
		t.Errorf("it printed %s", r.out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", tournamentLog))
	if err != nil || bytes.Count(text, []byte(`"answers":[{`)) != 6 {
		t.Errorf("the log is %s, %v", text, err)
	}
	r = pommego(t, "verify", talks)
	r.want(t, exitOK)
	if !strings.Contains(r.out, "6 games") {
		t.Errorf("checked was %s", r.out)
	}
}

// A model whose server refuses ends a match, a tournament and a data set: nobody has lost, and each says so and exits
// with 3.
func TestModelsThatCannotBeScored(t *testing.T) {
	dir := t.TempDir()
	record := filepath.Join(dir, "match.jsonl")
	r := pommego(t, "play", "--env", "OneVsOne-v0", "--agents", chatServer(t, "401", "hide for 3")+",simple", "--json",
		"--record", record)
	var got playReport
	if r.decodes(t, &got); r.code != exitVoid || !strings.Contains(got.Void, "401 Unauthorized") ||
		!strings.Contains(r.errors, "the game cannot be scored: seat 0, llm:") || got.Result[1] != env.Undecided {
		t.Errorf("play: %+v", r)
	}
	pommego(t, "verify", record).want(t, exitOK)
	model := chatServer(t, "401")
	r = pommego(t, "tournament", "--env", "OneVsOne-v0", "--agents", model, "--games", "40", "--json")
	if r.code != exitVoid || r.out != "" || !strings.Contains(r.errors, "3 of 3 games: the game cannot be scored") {
		t.Errorf("tournament: %+v", r)
	}
	r = pommego(t, "tournament", "--env", "OneVsOne-v0", "--agents", model, "--games", "2", "--json")
	if r.code != exitVoid || !strings.Contains(r.errors, "2 of 2 games: the game cannot be scored") {
		t.Errorf("tournament of two games: %+v", r)
	}
	r = pommego(t, "generate", "--env", "OneVsOne-v0", "--agents", model+",simple", "--games", "2", "--out",
		filepath.Join(dir, "data"))
	if r.code != exitVoid {
		t.Errorf("generate: %+v", r)
	}
}

// A tournament leaves out the few games that cannot be scored and says how many they are; the same command plays them.
func TestTournamentLeavesOutGames(t *testing.T) {
	lines := slices.Repeat([]string{"stop"}, 500)
	lines[5] = "401"
	args := []string{"tournament", "--env", "OneVsOne-v0", "--agents", chatServer(t, lines...), "--games", "24",
		"--rules", `{"max_steps": 9}`, "--out", filepath.Join(t.TempDir(), "out")}
	for _, void := range []int{1, 0} {
		var got struct {
			Played int `json:"games_played"`
			Void   int `json:"games_void"`

			Balanced bool `json:"balanced"`
		}
		r := pommego(t, append(args, "--json")...)
		r.want(t, exitOK)
		if r.decodes(t, &got); got.Void != void || got.Played != 24-void || got.Balanced != (void == 0) {
			t.Errorf("%d games cannot be scored, want %d: %s", got.Void, void, r.out)
		}
		if void == 1 {
			text, err := os.ReadFile(filepath.Join(args[len(args)-1], "results.md"))
			if err != nil || !strings.Contains(string(text), "Not counted, as they cannot be scored: 1 game.") {
				t.Errorf("the report is %s, %v", text, err)
			}
		}
	}
}

// A model whose server always refuses the same few games does not keep a tournament from its end: a run that goes on
// counts the games of those before. What is printed and shown counts the games that could be scored.
func TestTournamentGoesOnWithoutSomeGames(t *testing.T) {
	var made atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made.Add(1)
		if asked, _ := io.ReadAll(r.Body); crc32.ChecksumIEEE(asked)%16 == 7 {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, `{"choices": [{"message": {"content": "stop"}}]}`)
	}))
	t.Cleanup(s.Close)
	folder := filepath.Join(t.TempDir(), "out")
	args := []string{"tournament", "--env", "OneVsOne-v0", "--agents", "llm:" + s.URL + "/v1,model=m", "--games", "60",
		"--rules", `{"max_steps": 1}`, "--out", folder}
	r := pommego(t, append(args, "--part", "0-59")...)
	r.want(t, exitOK)
	kept := gamesKept(filepath.Join(folder, tournamentLog))
	want := fmt.Sprintf("%s: %d games, of 0 to 59; %d cannot be scored\n", folder, kept, 60-kept)
	if kept > 57 || r.out != want {
		t.Fatalf("the part says %q, want %q and three games or more that cannot be scored", r.out, want)
	}
	before := made.Load()
	pommego(t, args...).want(t, exitOK)
	if again := made.Load() - before; again > 20 {
		t.Errorf("the server was asked %d times by a run of %d games", again, 60-kept)
	}
	log, err := tournament.Read(filepath.Join(folder, tournamentLog), variantOf)
	if err != nil {
		t.Fatal(err)
	}
	if results := log.Results(); results == nil || results.Played != kept || results.Void != 60-kept ||
		len(results.Agents) != 1 || results.Agents[0].Games != kept {
		t.Errorf("the log has results %+v, want those of %d games", results, kept)
	}
}

// Where dialogues or the match cannot be recorded, it is played, printed and kept in the log all the same, and the
// error names the file. The system refuses files with so long a name, as it does when the disk is full.
func TestResultsWithoutDialogues(t *testing.T) {
	dir := t.TempDir()
	model, talks := chatServer(t, "hide"), filepath.Join(dir, strings.Repeat("x", 300))
	args := []string{"--env", "OneVsOne-v0", "--rules", `{"max_steps": 9}`, "--json", "--record-dialogues", talks}
	r := pommego(t, with([]string{"play", "--agents", model + ",static"}, args...)...)
	var got playReport
	missing := "dialogues are missing in " + talks
	if r.decodes(t, &got); r.code != exitError || got.Steps != 9 || !strings.Contains(r.errors, missing) {
		t.Errorf("play: %+v", r)
	}
	folder := filepath.Join(dir, "out")
	r = pommego(t, with([]string{"tournament", "--agents", model, "--games", "4", "--out", folder}, args...)...)
	var results tournament.Results
	if r.decodes(t, &results); r.code != exitError || results.Played != 4 ||
		gamesKept(filepath.Join(folder, tournamentLog)) != 4 || !strings.Contains(r.errors, missing) {
		t.Errorf("tournament: %+v", r)
	}
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		os.RemoveAll(gone)
		fmt.Fprint(w, `{"choices": [{"message": {"content": "stop"}}]}`)
	}))
	t.Cleanup(s.Close)
	r = pommego(t, with([]string{"play", "--agents", "llm:" + s.URL + "/v1,model=m,static", "--record",
		filepath.Join(gone, "match.jsonl")}, args[:5]...)...)
	if r.decodes(t, &got); r.code != exitError || got.Steps != 9 || !strings.Contains(r.errors, gone) {
		t.Errorf("play without room for the match: %+v", r)
	}
}

// A server that is killed leaves whole lines.
func TestDialoguesOfAKilledServer(t *testing.T) {
	talks := filepath.Join(t.TempDir(), "d.jsonl")
	s := serve(t, "--listen", "127.0.0.1:0", "--openenv", "--record-dialogues", talks)
	address := strings.TrimPrefix(s.address, "ws://")
	var answer struct{ Done bool }
	for range 5 {
		resp, err := http.Post("http://"+address+"/step", "application/json", strings.NewReader(`{"action": {"action": "up"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait()
	pommego(t, "verify", talks).want(t, exitOK)
	r := pommego(t, "serve", "--record-dialogues", filepath.Join(t.TempDir(), "d.jsonl"))
	if r.code != exitUsage || !strings.Contains(r.errors, "--record-dialogues needs --openenv") {
		t.Errorf("without --openenv it ended with %+v", r)
	}
}

// A server that could not record dialogues says so when it ends.
func TestDialoguesOfAServerAreMissing(t *testing.T) {
	talks := filepath.Join(t.TempDir(), "gone", "d.jsonl")
	if err := os.Mkdir(filepath.Dir(talks), 0o755); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--listen", "127.0.0.1:0", "--openenv", "--record-dialogues", talks)
	os.RemoveAll(filepath.Dir(talks))
	resp, err := http.Post(strings.Replace(s.address, "ws", "http", 1)+"/step", "application/json", strings.NewReader(`{"action": "up"}`))
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	s.cmd.Process.Signal(os.Interrupt)
	if s.cmd.Wait(); s.cmd.ProcessState.ExitCode() != exitError {
		t.Errorf("it ended with %v", s.cmd.ProcessState)
	}
}

// Names with options are told from lists of names.
func TestNamesOfModels(t *testing.T) {
	names := agentNames("llm:http://x/v1,model=a:8b,frame_ticks=5,simple,mcts:ticks=3,depth=4,llm:http://y/v1,model=b")
	want := []string{"llm:http://x/v1,model=a:8b,frame_ticks=5", "simple", "mcts:ticks=3,depth=4",
		"llm:http://y/v1,model=b"}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
