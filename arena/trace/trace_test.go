package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pommego/env/record"
	"pommego/internal/disk"
)

// counter is a checker of made-up records {"format": "toy/1", "steps": N,
// "bad": K}: it finds K differences in N steps.
func counter(line []byte) (record.Report, error) {
	r := record.Report{Counts: record.Counts{Games: 1}}
	var format string
	if _, err := fmt.Sscanf(string(line), `{"format":%q,"steps":%d,"bad":%d}`, &format, &r.Steps,
		&r.Mismatches); err != nil {
		return record.Report{}, fmt.Errorf("not a toy record: %w", err)
	}
	if r.Steps == 13 {
		panic("thirteen")
	}
	for i := range r.Mismatches {
		r.Differences = append(r.Differences, record.Difference{Step: i, Field: "x", Expected: "1", Got: "2"})
	}
	return r, nil
}

var toy = Formats{{Name: "toy/1", Check: counter}, {Name: "other/1", Check: counter}}

func recordOf(steps, bad int) string {
	return fmt.Sprintf(`{"format":"toy/1","steps":%d,"bad":%d}`, steps, bad)
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

func readAll(name string, data []byte) (lines []string, err error) {
	r, err := NewReader(name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for {
		line, err := r.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestReader(t *testing.T) {
	long := `"` + strings.Repeat("a", 300_000) + `"` // several buffers
	for _, tc := range []struct {
		reason string
		name   string
		data   []byte
		want   []string
	}{
		{"plain", "a.jsonl", []byte("{}\n[1]\n"), []string{"{}", "[1]"}},
		{"compressed", "a.jsonl.gz", zipped("{}\n[1]\n"), []string{"{}", "[1]"}},
		{"compression is seen from the bytes, not the name", "a.jsonl", zipped("{}\n"), []string{"{}"}},
		{"compressed files may be joined", "a.gz", append(zipped("{}\n"), zipped("[]\n")...), []string{"{}", "[]"}},
		{"a whole last record without its line feed", "a", []byte("{}\n[1]"), []string{"{}", "[1]"}},
		{"lines longer than the buffer between short ones", "a", []byte("1\n" + long + "\n2\n" + long + "\n"),
			[]string{"1", long, "2", long}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := readAll(tc.name, tc.data)
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("read %d lines %.80q, %v; want %d lines %.80q", len(got), got, err, len(tc.want), tc.want)
			}
		})
	}
}

func TestDamagedFiles(t *testing.T) {
	whole := zipped(recordOf(1, 0) + "\n" + strings.Repeat(recordOf(2, 0)+"\n", 1000))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for _, tc := range []struct {
		reason string
		name   string
		data   []byte
		want   error // nil: any
		text   string
	}{
		{"empty", "g.jsonl", nil, ErrEmpty, "g.jsonl: the file is empty"},
		{"empty once unpacked", "g.gz", zipped(""), ErrEmpty, "g.gz: the file is empty"},
		{"compressed data cut in the middle", "g.gz", whole[:len(whole)/2], ErrTruncated, "g.gz: line "},
		{"compressed data without its checksum", "g.gz", whole[:len(whole)-8], ErrTruncated, "g.gz: line 1002"},
		{"compressed data without its last byte", "g.gz", whole[:len(whole)-1], ErrTruncated, "g.gz: line 1002"},
		{"compressed header cut", "g.gz", whole[:5], ErrTruncated, "g.gz: "},
		{"wrong checksum", "g.gz", flipped, gzip.ErrChecksum, "g.gz: line 1002"},
		{"rubbish after the compressed data", "g.gz", append(bytes.Clone(whole), "rubbish rubbish"...), gzip.ErrHeader,
			"g.gz: line 1002"},
		{"plain under the name .gz", "g.gz", []byte("{}\n"), nil, "not compressed"},
		{"last line cut", "g.jsonl", []byte("{}\n{\"a\":1"), ErrTruncated, "g.jsonl: line 2"},
		{"only line cut", "g.jsonl", []byte(`{"a"`), ErrTruncated, "g.jsonl: line 1"},
		{"blank line", "g.jsonl", []byte("{}\n\n{}\n"), ErrBlank, "g.jsonl: line 2"},
		{"blank first line", "g.jsonl", []byte("\n{}\n"), ErrBlank, "g.jsonl: line 1"},
		{"blank last line", "g.jsonl", []byte("{}\n\n"), ErrBlank, "g.jsonl: line 2"},
		{"line of spaces", "g.jsonl", []byte("{}\n \t\r\n{}\n"), ErrBlank, "g.jsonl: line 2"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := readAll(tc.name, tc.data)
			var at *Error
			if !errors.As(err, &at) || at.File != tc.name {
				t.Fatalf("got %v, want an *Error about %s", err, tc.name)
			}
			if tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %q, want %v with the text %q", err, tc.want, tc.text)
			}
		})
	}
}

// Wherever a compressed file is cut, that is an error.
func TestCutAnywhere(t *testing.T) {
	whole := zipped(strings.Repeat(recordOf(2, 0)+"\n", 3))
	for n := range whole {
		if lines, err := readAll("g.gz", whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes read as %d whole lines", n, len(whole), len(lines))
		}
	}
}

func TestReaderBounds(t *testing.T) {
	for _, tc := range []struct {
		reason string
		length int
		ok     bool
	}{
		{"as long as allowed, with its line feed", 1 << 20, true},
		{"one more", 1<<20 + 1, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			r, err := NewReader("g", strings.NewReader(strings.Repeat("1", tc.length-1)+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			r.max = 1 << 20
			_, err = r.Next()
			if tc.ok != (err == nil) || !tc.ok && !errors.Is(err, ErrLong) {
				t.Errorf("got %v, want ok %v", err, tc.ok)
			}
			if _, again := r.Next(); !tc.ok && again != err {
				t.Errorf("then got %v, want the same error again", again)
			}
		})
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.jsonl")
	if _, err := Open(path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want one that names %s", err, path)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened as a file")
	}
}

func TestFormat(t *testing.T) {
	for _, tc := range []struct {
		reason, line, want, text string
	}{
		{"first", `{"format":"a/1","x":[1,2]}`, "a/1", ""},
		{"later", `{"x":{"format":"inner"},"y":[{}],"format":"a/1"}`, "a/1", ""},
		{"missing", `{"x":1}`, "", "no key"},
		{"not a string", `{"format":3}`, "", "not a string"},
		{"not an object", `[1]`, "", "not a JSON object"},
		{"cut", `{"x":`, "", "not JSON"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := FormatOf([]byte(tc.line))
			if got != tc.want || tc.text == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %q, %v; want %q and an error with %q", got, err, tc.want, tc.text)
			}
		})
	}
}

func verifyText(t *testing.T, text string, keep int) (FileReport, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("g.jsonl", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return toy.Verify("g.jsonl", keep)
}

// The report is the same for any number of workers, its differences in the
// order of the file.
func TestVerify(t *testing.T) {
	var text strings.Builder
	want := FileReport{File: "g.jsonl", Format: "toy/1"}
	for i := range 200 {
		bad := 0
		if i%40 == 7 {
			bad = 2
		}
		text.WriteString(recordOf(20+i, bad) + "\n")
		want.Games, want.Steps, want.Mismatches = want.Games+1, want.Steps+20+i, want.Mismatches+bad
		for k := range bad {
			want.Differences = append(want.Differences,
				record.Difference{Game: i + 1, Step: k, Field: "x", Expected: "1", Got: "2"})
		}
	}
	want.Differences = want.Differences[:7]
	for _, workers := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(workers)
		got, err := verifyText(t, text.String(), 7)
		if runtime.GOMAXPROCS(before); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("with %d workers: got %+v, %v; want %+v", workers, got, err, want)
		}
	}
}

func TestKeepNone(t *testing.T) {
	if got, err := verifyText(t, recordOf(1, 3)+"\n", 0); err != nil || got.Mismatches != 3 ||
		len(got.Differences) != 0 {
		t.Errorf("got %+v, %v; want 3 mismatches and none listed", got, err)
	}
}

// shown is a record.Replay that knows which record it was made of.
type shown struct {
	record.Replay
	line string
}

func TestOpen(t *testing.T) {
	formats := Formats{
		{Name: "toy/1", Open: func(line []byte) (record.Replay, error) { return shown{line: string(line)}, nil }},
		{Name: "other/1", Open: func([]byte) (record.Replay, error) { return nil, errors.New("refused") }},
		{Name: "decision/1"},
	}
	path := filepath.Join(t.TempDir(), "g.jsonl")
	write(t, path, recordOf(1, 0), recordOf(2, 0), `{"format":"other/1"}`, `{"format":"nope/1"}`,
		`{"format":"decision/1"}`)
	for game, want := range map[int]string{1: recordOf(1, 0), 2: recordOf(2, 0)} {
		got, err := formats.Open(path, game)
		if err != nil || got.(shown).line != want {
			t.Errorf("game %d: got %v, %v; want %s", game, got, err, want)
		}
	}
	for game, want := range map[int]string{
		3: "line 3: refused", 4: `line 4: no known format: "nope/1", want one of toy/1, other/1, decision/1`,
		5: `line 5: records of format "decision/1" can be checked, not shown`,
		6: "no such game in the file: it has 5 games, want game 6",
	} {
		if _, err := formats.Open(path, game); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("game %d: got %v, want %q", game, err, want)
		}
	}
}

func TestVerifyErrors(t *testing.T) {
	for _, tc := range []struct {
		reason, text, want string
		games              int // checked before the error
	}{
		{"unknown format", `{"format":"nope/1"}` + "\n",
			`g.jsonl: line 1: no known format: "nope/1", want one of toy/1, other/1`, 0},
		{"no format", "{}\n", "g.jsonl: line 1: no known format", 0},
		{"second format in one file", recordOf(1, 0) + "\n" + `{"format":"other/1","steps":1,"bad":0}` + "\n",
			`g.jsonl: line 2: format is "other/1", but the file began with "toy/1"`, 1},
		{"record the checker refuses", recordOf(1, 0) + "\n" + `{"format":"toy/1"}` + "\n" + recordOf(1, 0) + "\n",
			"g.jsonl: line 2: not a toy record", 1},
		{"blank line among good ones", recordOf(1, 0) + "\n\n" + recordOf(1, 0) + "\n", "g.jsonl: line 2: blank line", 1},
		{"checker that panics", recordOf(1, 0) + "\n" + recordOf(13, 0) + "\n",
			"g.jsonl: line 2: the check panicked: thirteen", 1},
		{"cut at the end", recordOf(1, 0) + "\n" + recordOf(2, 0)[:20], "g.jsonl: line 2: the file is cut short", 1},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := verifyText(t, tc.text, 10)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if got.Games != tc.games {
				t.Errorf("%d games counted before the error, want %d", got.Games, tc.games)
			}
		})
	}
}

func TestWriter(t *testing.T) {
	for _, name := range []string{"g.jsonl", "g.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			write(t, path, recordOf(3, 0), recordOf(4, 1))
			got, err := toy.Verify(path, 10)
			if err != nil || got.Games != 2 || got.Steps != 7 || got.Mismatches != 1 {
				t.Errorf("read back as %+v, %v; want 2 games, 7 steps, 1 mismatch", got, err)
			}
		})
	}
}

func write(t *testing.T, path string, records ...string) {
	t.Helper()
	var lines [][]byte
	for _, r := range records {
		lines = append(lines, []byte(r))
	}
	if err := Write(path, lines...); err != nil {
		t.Fatal(err)
	}
}

// The file appears as a whole or not at all, nothing else is left in its folder, and a file that is there stays.
func TestWriteIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.jsonl")
	if err := Write(path, []byte(recordOf(2, 0)), []byte("[]")); err == nil {
		t.Error("what is no record was written")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after an error there is a file (%v)", err)
	}
	write(t, path, recordOf(2, 0))
	if err := Write(path, []byte(recordOf(1, 0))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v, want %v", err, fs.ErrExist)
	}
	if after, _ := os.ReadFile(path); string(after) != recordOf(2, 0)+"\n" {
		t.Errorf("the file holds %q", after)
	}
	if err := Writable(path); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left in the folder, want 1: %v", len(files), files)
	}
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	for _, tc := range []struct{ reason, record string }{
		{"two lines", "{\n}"},
		{"not JSON", "{"},
		{"not an object", "[]"},
		{"nothing", ""},
	} {
		if err := Write(path, []byte(tc.record)); err == nil {
			t.Errorf("%s: %q was written", tc.reason, tc.record)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "no", "such", "folder")} {
		if Writable(path) == nil || Write(path) == nil {
			t.Errorf("%s is found writable", path)
		}
	}
}

// Whatever the bytes, reading ends, and either every byte is in the lines or
// there is an error.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n[1]\n"))
	f.Add([]byte("{}\n{"))
	f.Add(zipped("{}\n"))
	f.Add(zipped("{}\n")[:12])
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := readAll("g", data)
		if err != nil || bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return
		}
		text := strings.Join(lines, "\n")
		if text != string(data) && text+"\n" != string(data) {
			t.Errorf("%q was read as %q without an error", data, lines)
		}
	})
}

// TestFolderLinks reads nothing through links in a folder of states.
func TestFolderLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"001.json", "game_state.json"} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "000.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder); !errors.Is(err, disk.ErrLink) {
			t.Errorf("%s is a link: error %v, want ErrLink", name, err)
		}
	}
}
