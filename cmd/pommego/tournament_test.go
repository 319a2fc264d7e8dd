package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/tournament"
)

// marathon is a tournament that takes long enough to be stopped a few times.
var marathon = strings.Fields("tournament --agents simple,random,static --games 240 --seed 3")

func with(args []string, more ...string) []string { return append(slices.Clone(args), more...) }

func TestTournamentUsage(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	for _, tc := range []struct{ args, want string }{
		{"extra", "got 1 arguments [extra]"},
		{"--env Pomme-v9", `unknown environment "Pomme-v9"`},
		{"--format knock-out", `format is "knock-out", want one of round-robin, one-against-three, two-against-two`},
		{"--agents nobody", `no agent is called "nobody", there are: static, random, simple`},
		{"--agents simple,simple", `"simple" is named twice`},
		{"--against nobody", `no agent is called "nobody"`},
		{"--games 0", "games is 0, want 1 to"},
		{"--limit -1s", "the limit for a move is -1s"},
		{"--format round-robin --agents simple,random", "2 agents, want 4 or more"},
		{"--format round-robin --agents simple --against random", "the agents play each other"},
		{"--env PommeTeam-v0 --format one-against-three", "has teams"},
		{"--games 3x", "want a number, or BOARDSxREPETITIONS"},
		{"--games -3x-2", "want a number, or BOARDSxREPETITIONS"},
		{"--mirrored --games 6", "games is 6, want a multiple of 4: mirrored boards are played from each of the 4 sides"},
		{"--sprt 0,50", "PommeFFACompetition-v0 has 4 sides, want a game with two for a sequential test"},
		{"--sprt 5 --env OneVsOne-v0", "--sprt is [5], want ELO0,ELO1, two numbers such as 0,10"},
		{"--sprt 0,1,2 --env OneVsOne-v0", "--sprt is [0 1 2], want ELO0,ELO1"},
		{"--sprt few,10 --env OneVsOne-v0", `--sprt is "few,10", want numbers with commas between`},
		{"--sprt 10,0 --env OneVsOne-v0", "Elo differences of 10 and 0, want a lower and a higher one, from -800 to 800"},
		{"--sprt 0,NaN --env OneVsOne-v0", "Elo differences of 0 and NaN, want a lower and a higher one"},
		{"--sprt 0,inf --env OneVsOne-v0", "Elo differences of 0 and +Inf, want a lower and a higher one"},
		{"--sprt 0,10 --env OneVsOne-v0 --agents simple,random", `two agents, not ["simple" "random"] against "simple"`},
		{"--sprt 0,10 --env PommeTeam-v0 --agents simple,random,static", "a sequential test compares two agents"},
		{"--sprt 0,10 --env OneVsOne-v0 --games 5", "games is 5, want a multiple of 2"},
		{"--sprt 0,10 --env OneVsOne-v0 --games 4x2", "wants mirrored games without repetitions"},
		{"--sprt 0,10 --env OneVsOne-v0 --part 0-3 --out part", "--part and --sprt exclude each other"},
		{"--wait -1s", "the wait for a player is -1s"},
		{"--games 3 --out " + folder, "the log has game 3, and this run asks for 3 games; want as many as before or more"},
	} {
		if strings.Contains(tc.args, "--out") {
			pommego(t, strings.Fields("tournament --games 4 --out "+folder)...).want(t, exitOK)
		}
		t.Run(tc.args, func(t *testing.T) {
			r := pommego(t, with([]string{"tournament"}, strings.Fields(tc.args)...)...)
			r.want(t, exitUsage)
			if !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 || r.out != "" {
				t.Errorf("stderr %q, stdout %.200q; want one line with %q on stderr", r.errors, r.out, tc.want)
			}
		})
	}
}

// A folder with files of the user's that have the names of a report's is refused.
func TestTournamentOverwritesNothing(t *testing.T) {
	for _, name := range []string{"results.md", "results.json", "timing.md", "timing.json"} {
		folder := t.TempDir()
		mine := filepath.Join(folder, name)
		if err := os.WriteFile(mine, []byte("years of work"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := pommego(t, "tournament", "--games", "4", "--out", folder)
		r.want(t, exitUsage)
		if !strings.Contains(r.errors, mine+" exists") {
			t.Errorf("stderr %q, want the name of the file that is there", r.errors)
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "years of work" {
			t.Errorf("the file is now %q (%v)", text, err)
		}
	}
}

// TestTournamentOutput plays small tournaments and looks at what they print.
func TestTournamentOutput(t *testing.T) {
	for _, tc := range []struct {
		args   string
		format tournament.Format
		played int
		lines  []string
	}{
		{"--agents simple,random --games 8", tournament.OneAgainstThree, 16,
			[]string{"one-against-three against simple", "Row against column", "simple is 0"}},
		{"--env PommeTeam-v0 --agents simple,random,static --games 4", tournament.TwoAgainstTwo, 12,
			[]string{"two-against-two: 4 games at each of 3 tables", "the mean is 0", "seats 0 2"}},
		{"--env PommeTeam-v0 --agents random,static --against simple --games 4", tournament.TwoAgainstTwo, 8,
			[]string{"two-against-two against simple"}},
		{"--env OneVsOne-v0 --format round-robin --agents simple,random,static --games 6", tournament.RoundRobin, 18,
			[]string{"round-robin: 6 games at each of 3 tables"}},
		{"--env BaseWar-v0 --agents simple,random --games 4", tournament.TwoAgainstTwo, 4, []string{"seats 0 2 4"}},
		{"--env BaseWarSides-v0 --agents static,random --games 4", tournament.OneAgainstThree, 8, []string{"against simple"}},
		{"--env SuiteBot-v0 --agents simple,random --games 4", tournament.OneAgainstThree, 8,
			[]string{"against simple", "Counted in a game", "points"}},
		{"--env PommeFFAJava-v0 --agents java-osla:omniscient=1,java-osla --games 4", tournament.OneAgainstThree, 8,
			[]string{"java-osla:omniscient=1 "}},
		{"--agents simple,random --games 2x4", tournament.OneAgainstThree, 16,
			[]string{"2 boards with 4 repetitions each", "team kills"}},
		{"--env OneVsOne-v0 --agents simple --against random --games 2x2 --mirrored", tournament.OneAgainstThree, 8,
			[]string{"mirrored: 2 boards, each from every side, 2 boards with 2 repetitions each"}},
	} {
		t.Run(tc.args, func(t *testing.T) {
			args := with([]string{"tournament"}, strings.Fields(tc.args)...)
			text := pommego(t, args...)
			text.want(t, exitOK)
			for _, line := range append(tc.lines, "Standings", "Wins by seat") {
				if !strings.Contains(text.out, line) {
					t.Errorf("the text does not hold %q:\n%s", line, text.out)
				}
			}
			if strings.Contains(text.out, "Thinking time") {
				t.Error("thinking times are printed where no terminal is")
			}
			var r tournament.Results
			out := pommego(t, with(args, "--json")...)
			out.want(t, exitOK)
			out.decodes(t, &r)
			if r.Format != tc.format || r.Played != tc.played || len(r.Agents) != len(r.Config.Agents) ||
				!strings.Contains(r.Program, "-") {
				t.Errorf("results: format %v, %d games, %d agents, program %q", r.Format, r.Played, len(r.Agents), r.Program)
			}
		})
	}
}

// outcome is all that a tournament leaves and that must not depend on anything
// but its configuration: what it printed and its files.
func outcome(t *testing.T, printed, folder string) string {
	t.Helper()
	all := printed
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, "timing.") || name == tournamentLog {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all += "\n" + name + "\n" + string(content)
	}
	return all
}

// alone plays the marathon without interruption.
func alone(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	r := pommego(t, with(marathon, "--out", folder)...)
	r.want(t, exitOK)
	return outcome(t, r.out, folder)
}

// gamesKept is how many games a log holds.
func gamesKept(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return max(0, bytes.Count(content, []byte("\n"))-1)
}

// interrupt starts the marathon, waits until some games more are in the log,
// and sends it a signal. It returns its exit code, which is -1 if the signal
// killed it, 0 if it was done before, and what it printed.
func interrupt(t *testing.T, folder string, signal os.Signal, workers string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program(), with(marathon, "--out", folder)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+workers)
	cmd.Stdout, cmd.Stderr = &out, &errs
	log := filepath.Join(folder, "games.jsonl")
	enough := gamesKept(log) + 60
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
		case <-time.After(time.Millisecond):
			if gamesKept(log) >= enough {
				cmd.Process.Signal(signal) // it may be gone by now
				enough = 1 << 30
			}
		}
	}
}

// TestTournamentKilled kills a tournament again and again, without warning, and
// resumes it with another number of workers: in the end no game is missing or
// there twice, and everything it leaves is the same, byte for byte, as from one
// that was left alone.
func TestTournamentKilled(t *testing.T) {
	want := alone(t)
	folder := filepath.Join(t.TempDir(), "out")
	kills := 0
	for try := 0; ; try++ {
		r := interrupt(t, folder, syscall.SIGKILL, []string{"1", "3", "2"}[try%3])
		if r.code == exitOK {
			if got := outcome(t, r.out, folder); got != want {
				t.Errorf("killed %d times: other results\n%.3000s\nwant\n%.3000s", kills, got, want)
			}
			break
		}
		if r.code != -1 || !strings.HasPrefix(want, r.out) { // it can be killed while it prints what came out
			t.Fatalf("exit code %d, stdout %q, stderr %q; want it killed", r.code, r.out, r.errors)
		}
		kills++
	}
	if kills < 3 {
		t.Errorf("killed %d times only", kills)
	}
	checkGames(t, folder)
}

// TestTournamentExtended resumes a finished tournament with more games: what it leaves
// is the same as from one run.
func TestTournamentExtended(t *testing.T) {
	args := strings.Fields("tournament --agents simple,random,static --seed 3")
	run := func(folder, games string) string {
		r := pommego(t, with(args, "--out", folder, "--games", games)...)
		r.want(t, exitOK)
		return outcome(t, r.out, folder)
	}
	want, folder := run(filepath.Join(t.TempDir(), "whole"), "50"), filepath.Join(t.TempDir(), "out")
	run(folder, "20")
	log := filepath.Join(folder, "games.jsonl")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if run(folder, "50") != want {
		t.Error("20 games a table and then 50 have other results than 50")
	}
	if after, err := os.ReadFile(log); err != nil || !bytes.HasPrefix(after, before) || gamesKept(log) != 150 {
		t.Errorf("the log holds %d games (error %v), want 150, the old ones first", gamesKept(log), err)
	}
}

// TestTournamentMirrored: levels are boards, and each is played from both sides.
func TestTournamentMirrored(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	r := pommego(t, strings.Fields("tournament --env OneVsOne-v0 --format round-robin --agents simple,random --games "+
		"3x1 --mirrored --out "+folder)...)
	r.want(t, exitOK)
	for _, want := range []string{"6 games at each of 1 table, mirrored: 3 boards, each from every side,",
		"prior: one more game for each agent", "(n "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the report does not say %q:\n%s", want, r.out)
		}
	}
	kept, err := tournament.Read(filepath.Join(folder, tournamentLog), variantOf)
	if err != nil || len(kept.Records) != 6 {
		t.Fatalf("the log cannot be read: %v", err)
	}
	for i := 0; i < len(kept.Records); i += 2 {
		if a, b := kept.Records[i], kept.Records[i+1]; a.Seed != b.Seed || a.Agents[0] == b.Agents[0] {
			t.Errorf("games %d and %d have seeds %d and %d, and %s and %s in seat 0, want one seed and both", i, i+1, a.Seed,
				b.Seed, a.Agents[0], b.Agents[0])
		}
	}
}

// TestTournamentSPRT: a difference is shown and the games end; the same command finds the result there, with
// other bounds it is another tournament, and agents that play alike show no difference.
func TestTournamentSPRT(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	args := strings.Fields("tournament --env PommeTeam-v0 --agents simple --against random --json --sprt")
	read := func(more ...string) (r tournament.Results) {
		t.Helper()
		got := pommego(t, with(args, more...)...)
		got.want(t, exitOK)
		got.decodes(t, &r)
		return r
	}
	first := read("0,50", "--out", folder)
	if first.Test.Accepted != "H1" || first.Played > 200 || first.Test.Elo.Low < 50 || !first.Mirrored {
		t.Errorf("simple against random: %d games, %+v", first.Played, first.Test)
	}
	written, err := os.ReadFile(filepath.Join(folder, "results.md"))
	if err != nil || !strings.Contains(string(written), "H0: Elo 0 or less, H1: Elo 50 or more. Accepted: H1. LLR +") {
		t.Errorf("results.md is %.400s (%v)", written, err)
	}
	kept := gamesKept(filepath.Join(folder, "games.jsonl"))
	if again := read("0,50", "--out", folder); again.Played != first.Played || again.Test.LLR != first.Test.LLR ||
		gamesKept(filepath.Join(folder, "games.jsonl")) != kept {
		t.Errorf("the same command gives %d games, %+v", again.Played, again.Test)
	}
	other := pommego(t, with(args, "0,60", "--out", folder)...)
	if other.code != exitUsage || !strings.Contains(other.errors, "it cannot be continued with these settings") {
		t.Errorf("with other bounds: %+v", other)
	}
	if same := read("0,50", "--against", "simple"); same.Test.Accepted != "H0" || same.Test.Elo.Value != 0 {
		t.Errorf("simple against itself: %+v", same.Test)
	}
}

// TestTournamentWait: a program that starts slowly plays if it may take the time.
func TestTournamentWait(t *testing.T) {
	t.Parallel() // it waits for a slow program
	slow := `exec:sleep 0.5; read -r begin; echo '{"id": 1}'; cat > /dev/null`
	args := with(strings.Fields("tournament --env OneVsOne-v0 --against random --games 1 --limit 10ms --json"), "--agents",
		slow, "--wait")
	r := pommego(t, with(args, "10ms")...)
	if r.code != exitError || !strings.Contains(r.errors, "is not there to play") {
		t.Errorf("with too short a wait: %+v", r)
	}
	var got tournament.Results
	r = pommego(t, with(args, "30s")...)
	r.want(t, exitOK)
	r.decodes(t, &got)
	if a := got.Agents[0]; a.Moves == 0 {
		t.Errorf("with a long one: %+v", a)
	}
}

// checkGames looks for every game, once.
func checkGames(t *testing.T, folder string) {
	t.Helper()
	if n := gamesKept(filepath.Join(folder, "games.jsonl")); n != 3*240 {
		t.Errorf("the log holds %d games, want %d", n, 3*240)
	}
}

// TestTournamentInterrupted: asked to stop, it stops at once, says how far it
// is and how to go on, and goes on.
func TestTournamentInterrupted(t *testing.T) {
	want := alone(t)
	folder := filepath.Join(t.TempDir(), "out")
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		r := interrupt(t, folder, signal, "2")
		if r.code != exitError || r.out != "" || !strings.Contains(r.errors, "of 720 games; finished games are in "+folder) ||
			!strings.Contains(r.errors, "the same command continues") {
			t.Fatalf("%v: exit code %d, stdout %q, stderr %q", signal, r.code, r.out, r.errors)
		}
	}
	r := pommego(t, with(marathon, "--out", folder)...)
	r.want(t, exitOK)
	if outcome(t, r.out, folder) != want {
		t.Error("interrupted twice: other results")
	}
	checkGames(t, folder)
	again := pommego(t, with(marathon, "--out", folder)...)
	again.want(t, exitOK)
	if again.out != r.out {
		t.Error("resumed when all was done: other results")
	}
}

func TestDescribeProgress(t *testing.T) {
	type games = ledger.Progress
	for _, tc := range []struct {
		at        games
		test      *tournament.Test
		then, now time.Duration
		want      string
		reason    string
	}{
		{games{Total: 200}, nil, 0, 0, "0 of 200 games, 0 %, 0s", "nothing to go by yet"},
		{games{Total: 200}, nil, 0, 7 * time.Second, "0 of 200 games, 0 %, 7s", "a first game that takes long"},
		{games{Done: 50, Total: 200}, nil, 10 * time.Second, 10 * time.Second,
			"50 of 200 games, 25 %, 10s, 300.0 games a minute, 30s left", "all in this run"},
		{games{Done: 50, Total: 200}, nil, 10 * time.Second, 14 * time.Second,
			"50 of 200 games, 25 %, 14s, 300.0 games a minute, 26s left", "between two games"},
		{games{Done: 50, Total: 200}, nil, 10 * time.Second, time.Minute,
			"50 of 200 games, 25 %, 1m0s, 300.0 games a minute, 0s left", "a game that takes longer than all were thought to"},
		{games{Done: 150, Total: 200, Resumed: 140}, nil, time.Minute, time.Minute,
			"150 of 200 games, 75 %, 1m0s, 10.0 games a minute, 5m0s left", "games of earlier runs took none of its time"},
		{games{Done: 12, Total: 200}, &tournament.Test{LLR: -0.5, Bound: 3.18, Score: tournament.Estimate{
			Value: 0.5, Low: 0.4, High: 0.6}, Elo: tournament.Estimate{Low: -70, High: 70}}, 0, time.Second,
			"12 games, LLR -0.50 (-3.18 to 3.18), score 50.0 % (40.0 to 60.0), Elo +0 (-70 to +70), 1s", "a sequential test"},
		{games{Done: 140, Total: 200, Resumed: 140}, nil, time.Second, time.Minute, "140 of 200 games, 70 %, 1m0s",
			"none in this run yet"},
	} {
		if got := describeProgress(tournament.Progress{Progress: tc.at, Test: tc.test}, tc.then, tc.now); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
		}
	}
}
