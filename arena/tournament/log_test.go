package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/env"
	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

// quick is a tournament of the quickest games.
func quick() Config {
	return Config{Format: OneAgainstThree, Agents: []string{"random", "static"}, Against: "random", Games: 8, Seed: 1}
}

func newQuick(t testing.TB) *Tournament {
	t.Helper()
	tour, err := New(game(t, ffaID), quick())
	if err != nil {
		t.Fatal(err)
	}
	return tour
}

// resume goes on with a log that holds the given bytes and returns the results,
// how many games had been in it, and what it holds then.
func resume(t *testing.T, tour *Tournament, held []byte) (results string, resumed int, log []byte, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games.jsonl")
	if err := os.WriteFile(path, held, 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Log: path, Program: "test", Progress: func(p Progress) { resumed = p.Resumed }}
	report, err := tour.Run(context.Background(), o)
	log, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if err != nil {
		return "", 0, log, err
	}
	for line := range bytes.Lines(log) {
		if !bytes.HasPrefix(line, []byte(`{"crc32":"`)) || !json.Valid(line) {
			t.Errorf("in the end the log holds a bad line: %.80q", line)
		}
	}
	return asJSON(t, report.Results), resumed, log, nil
}

// TestCutLog cuts a whole log off at many places and resumes: all whole lines
// count, no game is lost or there twice, and the results are the same bytes.
func TestCutLog(t *testing.T) {
	tour := newQuick(t)
	want, _, whole, err := resume(t, tour, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Count(whole, []byte("\n"))
	if lines != 1+tour.Games() {
		t.Fatalf("the log has %d lines for %d games", lines, tour.Games())
	}
	for cut := 0; cut <= len(whole); cut += 1 + len(whole)/50 {
		checkCut(t, tour, whole, cut, want)
	}
	at := 0
	for line := range bytes.Lines(whole) {
		checkCut(t, tour, whole, at+1, want)
		at += len(line)
		checkCut(t, tour, whole, at-1, want)
		checkCut(t, tour, whole, at, want)
	}
}

// gameOf is the number of the game that a line is about: with several workers
// games do not end in order.
func gameOf(t *testing.T, line []byte) int {
	t.Helper()
	var record struct{ Game int }
	if err := json.Unmarshal(line, &record); err != nil {
		t.Fatal(err)
	}
	return record.Game
}

func checkCut(t *testing.T, tour *Tournament, whole []byte, cut int, want string) {
	t.Helper()
	got, resumed, log, err := resume(t, tour, whole[:cut])
	if err != nil {
		t.Fatalf("cut at byte %d: %v", cut, err)
	}
	if held := max(0, bytes.Count(whole[:cut], []byte("\n"))-1); resumed != held {
		t.Errorf("cut at byte %d: %d games resumed, want %d", cut, resumed, held)
	}
	if got != want {
		t.Errorf("cut at byte %d: other results", cut)
	}
	if bytes.Count(log, []byte("\n")) != 1+tour.Games() {
		t.Errorf("cut at byte %d: %d lines in the end", cut, bytes.Count(log, []byte("\n")))
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(log) {
		_, rest, _ := strings.Cut(string(line), `",`)
		key, _, _ := strings.Cut(rest, ",")
		if seen[key] {
			t.Errorf("cut at byte %d: %s is there twice", cut, key)
		}
		seen[key] = true
	}
}

// TestDamagedLog: what a crash can leave at the end is dropped; damage before
// good lines is an error that says where, and changes nothing.
func TestDamagedLog(t *testing.T) {
	tour := newQuick(t)
	want, _, whole, err := resume(t, tour, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	join := func(parts ...[][]byte) []byte {
		var all []byte
		for _, p := range parts {
			all = append(all, bytes.Join(p, nil)...)
		}
		return all
	}
	flipped := func(number int) []byte {
		line := bytes.Clone(lines[number])
		line[len(line)/2] ^= 1
		return line
	}
	one := func(line []byte) [][]byte { return [][]byte{line} }
	for _, test := range []struct {
		held    []byte
		resumed int    // games, where it can be resumed
		err     string // else
		reason  string
	}{
		{join(lines[:9], one(make([]byte, 500))), 8, "", "a hole of zeros at the end"},
		{join(lines[:9], one([]byte("{\n\n\x00\n"))), 8, "", "several bad lines at the end"},
		{join(lines[:16], one(make([]byte, 5000))), 15, "", "more zeros at the end than the last game takes"},
		{join(lines[:16], one(flipped(16))), 15, "", "a changed last line"},
		{join(lines[:5], one(flipped(5)), lines[6:]), 0, "line 6 is damaged: its checksum is wrong",
			"a changed line in the middle"},
		{join(lines[:5], one([]byte("\n")), lines[5:]), 0, "line 6 is damaged", "an empty line in the middle"},
		{join(one(flipped(0)), lines[1:]), 0, "the first line of its log is no header", "a changed header"},
		{join(lines[1:]), 0, "the first line of its log is no header", "no header"},
		{join(lines, lines[3:4]), 0, fmt.Sprintf("game %d is there twice", gameOf(t, lines[3])), "a game twice"},
		{[]byte("{\"my\": \"notes\"}\n"), 0, "the first line of its log is no header", "some other file"},
		{[]byte("my notes"), 0, "the first line of its log is no header", "some other file without a line feed"},
	} {
		got, resumed, log, err := resume(t, tour, test.held)
		switch {
		case test.err == "" && (err != nil || got != want || resumed != test.resumed):
			t.Errorf("%s: %d games resumed, error %v, the same results: %v; want %d", test.reason, resumed, err, got == want,
				test.resumed)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.err)
		case test.err != "" && !bytes.Equal(log, test.held):
			t.Errorf("%s: the file was changed", test.reason)
		}
	}
}

// TestOtherTournament: a log is only resumed with the configuration, game and
// build that began it.
func TestOtherTournament(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	begin := Options{Log: path, Program: "v1"}
	if _, err := newQuick(t).Run(context.Background(), begin); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		id     string
		change func(c *Config, o *Options)
		want   string
	}{
		{ffaID, func(c *Config, o *Options) { c.Games = 7 }, "this run asks for 14 games"},
		{ffaID, func(c *Config, o *Options) { c.Seed = 2 }, "with these settings: seed is 1, not 2"},
		{ffaID, func(c *Config, o *Options) { c.Agents = []string{"static", "random"} },
			`agents is ["random","static"], not ["static","random"]`},
		{ffaID, func(c *Config, o *Options) { c.Against = "static" }, `against is "random", not "static"`},
		{ffaID, func(c *Config, o *Options) { c.Mirrored = true }, "mirrored is left out, not true"},
		{"PommeFFA2018-v0", func(c *Config, o *Options) {}, `env is "PommeFFACompetition-v0", not "PommeFFA2018-v0"`},
	} {
		c, o := quick(), begin
		test.change(&c, &o)
		tour, err := New(game(t, test.id), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tour.Run(context.Background(), o); !errors.Is(err, ledger.ErrOther) ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
	begin.Program = "v2"
	if _, err := newQuick(t).Run(context.Background(), begin); !errors.Is(err, ledger.ErrProgram) ||
		!strings.Contains(err.Error(), `"v1", this one is "v2"`) {
		t.Errorf("another build gives %v, want ledger.ErrProgram", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the log was changed (%v)", err)
	}
}

// TestOtherFile: a log is not resumed with another file in the place of one that an agent names; it is resumed with the
// same.
func TestOtherFile(t *testing.T) {
	file, c := filepath.Join(t.TempDir(), "weights.json"), quick()
	c.Agents[0], c.Games = "champion:level=1,weights="+file, 4
	start := func(weights string, held []byte) ([]byte, error) {
		if err := os.WriteFile(file, []byte(weights), 0o600); err != nil {
			t.Fatal(err)
		}
		tour, err := New(game(t, ffaID), c)
		if err != nil {
			t.Fatal(err)
		}
		_, _, log, err := resume(t, tour, held)
		return log, err
	}
	log, err := start(`{"kill": 2500}`, nil)
	if err == nil {
		_, err = start(`{"kill": 2500}`, log)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(`{"kill": 2600}`, log); !errors.Is(err, ledger.ErrOther) ||
		!strings.Contains(err.Error(), file+" has changed") {
		t.Errorf("with other weights: %v, want %v and the file", err, ledger.ErrOther)
	}
}

// TestExtended asks for more games than the log was begun with: those in it are
// not played again, and the results are those of one run.
func TestExtended(t *testing.T) {
	want := asJSON(t, func() *Results {
		c := quick()
		c.Games = 14
		tour, err := New(game(t, ffaID), c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tour.Run(context.Background(), Options{Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Results
	}())
	_, _, held, err := resume(t, newQuick(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := quick()
	for i, games := range []int{11, 14} {
		c.Games = games
		tour, err := New(game(t, ffaID), c)
		if err != nil {
			t.Fatal(err)
		}
		got, resumed, log, err := resume(t, tour, held)
		if err != nil {
			t.Fatal(err)
		}
		if before := []int{16, 22}[i]; resumed != before || !bytes.HasPrefix(log, held) {
			t.Errorf("%d games a table: %d games resumed, want %d, and the log to go on", games, resumed, before)
		}
		if held = log; games == 14 && got != want {
			t.Errorf("the results are\n%s\nwant\n%s", got, want)
		}
	}
	if _, _, log, err := resume(t, newQuick(t), held); !errors.Is(err, ledger.ErrOther) || !bytes.Equal(log, held) {
		t.Errorf("fewer games than the log holds: error %v, want %v and the log as it was", err, ledger.ErrOther)
	}
}

// TestParts: progress counts the games of the part alone; the log keeps those of another part.
func TestParts(t *testing.T) {
	log, tour := filepath.Join(t.TempDir(), "games.jsonl"), newQuick(t)
	for _, part := range []ledger.Part{{First: 4, Last: 7}, {First: 0, Last: 3}, {First: 8, Last: 11}} {
		var last Progress
		o := Options{Log: log, Part: &part, Progress: func(p Progress) { last = p }}
		if _, err := tour.Run(t.Context(), o); err != nil || last.Done != 4 || last.Resumed != 0 {
			t.Errorf("%+v: %+v, %v, want 4 games", part, last, err)
		}
	}
	if kept, err := Read(log, find); err != nil || len(kept.Records) != 12 {
		t.Errorf("%+v, %v, want 12 games", kept, err)
	}
}

// TestImpossibleRecord: a line can be sound and yet not be of this schedule.
func TestImpossibleRecord(t *testing.T) {
	tour := newQuick(t)
	for _, test := range []struct {
		change func(r *Record)
		want   string
	}{
		{func(r *Record) { r.Game = 16 }, "its game is 16, want 0 to 15"},
		{func(r *Record) { r.Game = -1 }, "its game is -1"},
		{func(r *Record) { r.Seed.Value++ }, "has seed 2"},
		{func(r *Record) { r.Agents[1] = "static" }, "game 0 has seed 1 and agents"},
		{func(r *Record) { r.Ticks = nil }, "a list with 0 seats, want 4"},
		{func(r *Record) { r.Errors = []string{"x"} }, "a list with 1 seats"},
		{func(r *Record) { r.Counts = env.Counts{"bombs": {1}} }, "a list with 1 seats"},
		{func(r *Record) { r.Actions = []byte{0} }, "1 bytes of actions for 100 steps"},
		{func(r *Record) { r.Steps, r.Actions = 1<<62, []byte{} }, "0 bytes of actions for 4611686018427387904 steps"},
	} {
		r := recorded(tour.schedule, 0)[0]
		if err := tour.schedule.check(&r); err != nil {
			t.Fatal(err)
		}
		test.change(&r)
		if err := tour.schedule.check(&r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
}

// TestLogInUse: two runs must not write to one log.
func TestLogInUse(t *testing.T) {
	tour := newQuick(t)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	o := Options{Log: path, Program: "test"}
	held := run{t: tour, o: o, records: make([]Record, tour.Games())}
	if err := held.open(disk.OS); err != nil {
		t.Fatal(err)
	}
	if _, err := tour.Run(context.Background(), o); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("while the log is held: %v, want %v", err, disk.ErrInUse)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tour.Run(context.Background(), o); err != nil {
		t.Errorf("once it is free: %v", err)
	}
}

// TestFullDisk: a game that cannot be kept ends the run with the reason, and
// the games after it are not played in vain.
func TestFullDisk(t *testing.T) {
	c := quick()
	c.Games = 2000
	tour, err := New(game(t, ffaID), c)
	if err != nil {
		t.Fatal(err)
	}
	r := run{t: tour, o: Options{Log: filepath.Join(t.TempDir(), "games.jsonl")}, records: make([]Record, tour.Games())}
	if err := r.open(&disktest.Disk{Fault: disktest.Fail, Only: "write", At: 10}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Play(context.Background(), tour.Game, 3, r.play); !errors.Is(err, disktest.ErrFault) {
		t.Errorf("playing with a full disk gives %v, want %v", err, disktest.ErrFault)
	}
	if r.played > 9 {
		t.Errorf("%d games were played", r.played)
	}
}
