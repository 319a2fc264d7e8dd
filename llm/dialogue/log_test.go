package dialogue_test

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/record"
	"pommego/llm/dialogue"
	"pommego/llm/orders"
	"pommego/llm/words"
)

var formats = trace.Formats(append(catalog.Formats(), dialogue.Formats(catalog.Formats())...))

// verify checks lines, and returns what it says.
func verify(t *testing.T, text []byte) (ok bool, said string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	total, err := formats.VerifyAll(&out, []string{path}, 3)
	return err == nil && total.OK, fmt.Sprint(out.String(), err)
}

// recorded is the dialogues of a game of so many ticks, in which seat 0 is told more every other
// tick.
func recorded(t *testing.T, ticks int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.jsonl")
	if err := play(t, dialogue.NewLog(path), ticks, "up"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// play records a game of so many ticks, in which seat 0 gives one answer.
func play(t *testing.T, log *dialogue.Log, ticks int, answer string) error {
	t.Helper()
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 3})
	w := words.New(game, game.Spec(), m)
	r := log.Begin(game, m, record.Info{EnvID: "OneVsOne-v0", Seed: 3, Policies: []string{"model", "static"}})
	for tick := range ticks {
		if tick%2 == 0 {
			r.Turn(0, turn(t, w, m, tick, answer))
		}
		actions := []uint8{uint8(tick % 5), 0}
		in := m.Status().In
		m.Step(actions)
		r.Step(in, actions)
	}
	return r.End()
}

func turn(t *testing.T, w *words.Writer, m env.Match, tick int, answer string) *dialogue.Turn {
	t.Helper()
	step := scene.Describe(m.(record.Match).Game().Spec(), m, nil, nil)
	seat := dialogue.NewSeat(w, m, 0, words.Form{Detail: "short"})
	if tick > 0 {
		seat.Last = words.Last{Reading: "legal", Read: answer, Ticks: 2}
	}
	view, _ := seat.View(&step)
	return &dialogue.Turn{Tick: tick, Form: seat.Form, Answer: &answer, Reading: "legal", Last: seat.Last,
		Messages: []dialogue.Message{{Role: "user", Content: view}}}
}

// TestGamesAreChecked: a game that was stopped is checked as far as it came, one whose end is missing is not
// counted, and no line can do harm.
func TestGamesAreChecked(t *testing.T) {
	text := recorded(t, 9)
	for _, name := range []string{"dialogue/2", "dialogue/1"} { // the form of release 0.1 is read, too
		ok, said := verify(t, bytes.ReplaceAll(text, []byte("dialogue/2"), []byte(name)))
		if !ok || !strings.Contains(said, "1 games, 9 steps, 0 mismatches") || bytes.Count(text, []byte("\n")) != 6 {
			t.Errorf("%s\n%s", said, text)
		}
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if ok, said := verify(t, bytes.Join(lines[:5], nil)); ok || !strings.Contains(said, "0 games") {
		t.Errorf("without the game: %s", said)
	}
	if ok, said := verify(t, text[:len(text)-9]); ok || !strings.Contains(said, "the last line ends inside its record") {
		t.Errorf("torn: %s", said)
	}
	for old, changed := range map[string]string{
		`"seat":0`: `"seat":"a"`, `"tick":2`: `"tick":2.5`, `"messages":[{`: `"messages":7,"x":[{`, `"actions":[[`: `"actions":[7,[`,
		`pommego-dialogue/2`: `pommego-dialogue/3`, `"game":{`: `"game":7,"g":{`, `"turns":5`: `"turns":5,"tick":1`,
		`"steps":[{"actions":[0`: `"steps":[{"actions":[4`, `"format":"pommerman-trace/1"`: `"format":"pommego-dialogue/2"`,
	} {
		altered := bytes.Replace(text, []byte(old), []byte(changed), 1)
		if ok, said := verify(t, altered); ok || strings.Contains(said, "panic") || bytes.Equal(altered, text) {
			t.Errorf("with %s for %s: %s", changed, old, said)
		}
	}
}

// TestNothingIsWrittenOver: a file that is there stays as it is, which is an error; without a name
// nothing is recorded.
func TestNothingIsWrittenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{})
	info := record.Info{EnvID: "OneVsOne-v0", Policies: []string{"static", "static"}}
	for i := range 2 {
		if err := dialogue.NewLog(path).Begin(game, m, info).End(); (err == nil) != (i == 0) {
			t.Errorf("file %d: %v", i, err)
		}
	}
	if err := dialogue.NewLog("").Begin(game, m, info).End(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: what has no room leaves no trace, and once there is room again recording goes on. The file is for
// its user alone.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	log := dialogue.NewLog(path)
	if err := play(t, log, 4, "up"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	signal.Ignore(unix.SIGXFSZ) // what a process gets whose file grows too long
	defer signal.Reset(unix.SIGXFSZ)
	var usual unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int64{100, 1000} { // in the first turn, and in a later one
		limit := unix.Rlimit{Cur: uint64(info.Size() + room), Max: usual.Max}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		err = play(t, log, 6, "down")
		if unix.Setrlimit(unix.RLIMIT_FSIZE, &usual); err == nil {
			t.Error("a game on a full disk is recorded")
		}
	}
	if err := play(t, log, 2, "left"); err != nil {
		t.Errorf("with room again: %v", err)
	}
	text, err := os.ReadFile(path)
	if ok, said := verify(t, text); err != nil || !ok || !strings.Contains(said, "2 games") || !bytes.Contains(text, []byte(`"left"`)) {
		t.Errorf("%v, %s\n%s", err, said, text)
	}
}

// TestLongAnswer: of an answer what is read is recorded.
func TestLongAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	if err := play(t, dialogue.NewLog(path), 1, strings.Repeat("x", 1<<19)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) > 16<<10 {
		t.Errorf("%d bytes are recorded: %v", len(text), err)
	}
}

// TestCount: each answer counts once, by how it was read.
func TestCount(t *testing.T) {
	var all match.Readings
	for _, r := range []orders.Reading{orders.Legal, orders.Repaired, orders.Repaired, orders.Illegal} {
		dialogue.Count(&all, r)
	}
	if all != (match.Readings{Legal: 1, Repaired: 2, Illegal: 1}) {
		t.Errorf("counts are %+v", all)
	}
}
