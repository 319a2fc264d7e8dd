package disk_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

type entry struct{ N int }

// openLog opens a log of entries and returns those it holds.
func openLog(d disk.FS, path string) (*disk.Log, []int, error) {
	var o disk.LogOptions
	var held []int
	o.Header = map[string]string{"about": "numbers"}
	o.Accept = func(header []byte) error {
		if string(header) != `{"about":"numbers"}` {
			return errors.New("not of numbers")
		}
		return nil
	}
	o.Take = func(record []byte) error {
		var e entry
		err := json.Unmarshal(record, &e)
		held = append(held, e.N)
		return err
	}
	l, err := disk.OpenLog(d, path, o)
	return l, held, err
}

// logOf writes a log of the numbers 0 to n-1 and returns what it holds.
func logOf(t *testing.T, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	l, _, err := openLog(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := l.Add(entry{i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestLogDamage goes on with logs that are cut off, changed or foreign.
func TestLogDamage(t *testing.T) {
	whole := logOf(t, 3)
	lines := bytes.SplitAfter(whole, []byte("\n"))[:4]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	flipped := func(line []byte) []byte {
		line = bytes.Clone(line)
		line[len(line)-4] ^= 1
		return line
	}
	for _, c := range []struct {
		reason  string
		content []byte
		held    []int
		says    string // of the error
	}{
		{"whole", whole, []int{0, 1, 2}, ""},
		{"empty", nil, nil, ""},
		{"half a header", whole[:9], nil, ""},
		{"half a line", whole[:len(whole)-5], []int{0, 1}, ""},
		{"zeros at the end", join(whole, make([]byte, 300)), []int{0, 1, 2}, ""},
		{"a changed last line", join(lines[0], lines[1], lines[2], flipped(lines[3])), []int{0, 1}, ""},
		{"a changed line in the middle", join(lines[0], lines[1], flipped(lines[2]), lines[3]), nil,
			"line 3 is damaged: its checksum is wrong"},
		{"another header", join(lines[1], lines[2]), nil, "line 1: not of numbers"},
		{"no log", []byte("my notes\n"), nil, "line 1: not of numbers"},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		l, got, err := openLog(disk.OS, path)
		if c.says != "" {
			left, _ := os.ReadFile(path)
			if err == nil || !strings.Contains(err.Error(), c.says) || !bytes.Equal(left, c.content) {
				t.Errorf("%s: error %v, want %q, and the file as it was", c.reason, err, c.says)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.held) {
			t.Errorf("%s: held %v, error %v, want %v", c.reason, got, err, c.held)
			continue
		}
		if err := l.Add(entry{7}); err != nil {
			t.Fatal(err)
		}
		l.Close()
		l, got, err = openLog(disk.OS, path)
		if err != nil || !slices.Equal(got, append(slices.Clone(c.held), 7)) {
			t.Errorf("%s, gone on with: held %v, error %v, want %v and 7", c.reason, got, err, c.held)
		}
		l.Close()
	}
}

// TestReadLog leaves out half a line at the end, which a writer may have left or be at. Any other damage is an error.
func TestReadLog(t *testing.T) {
	whole := logOf(t, 3)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	path := filepath.Join(t.TempDir(), "log")
	read := func(content []byte) (n int, err error) {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		err = disk.ReadLog(path, func([]byte) error { return nil }, func([]byte) error { n++; return nil })
		return n, err
	}
	for cut := len(lines[0]); cut <= len(whole); cut++ {
		if n, err := read(whole[:cut]); err != nil || n != bytes.Count(whole[:cut], []byte("\n"))-1 {
			t.Errorf("cut off at byte %d: %d records, error %v", cut, n, err)
		}
	}
	for line, at := 1, 0; line <= 4; line++ {
		at += len(lines[line-1])
		damaged := bytes.Clone(whole)
		damaged[at-4] ^= 1
		want := fmt.Sprintf("line %d is damaged: its checksum is wrong; cut", line)
		if n, err := read(damaged); n != max(0, line-2) || !errors.Is(err, disk.ErrDamaged) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("after %d records: error %v, want %q", n, err, want)
		}
	}
	for _, none := range [][]byte{[]byte("my notes\n"), nil, lines[0][:len(lines[0])-1]} {
		if _, err := read(none); err == nil || !strings.Contains(err.Error(), "it is no log") {
			t.Errorf("%q is no log: error %v", none, err)
		}
	}
}

// TestLogCutAnywhere cuts a log off at every byte: all whole lines count.
func TestLogCutAnywhere(t *testing.T) {
	whole := logOf(t, 3)
	for cut := range whole {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		l, got, err := openLog(disk.OS, path)
		if want := max(0, bytes.Count(whole[:cut], []byte("\n"))-1); err != nil || len(got) != want {
			t.Fatalf("cut off at byte %d: held %v, error %v, want %d", cut, got, err, want)
		}
		l.Close()
	}
}

func TestLogRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _, err := openLog(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := openLog(disk.OS, path); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("opened twice: error %v, want %v", err, disk.ErrInUse)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing it: %v", err)
	}
}

// TestLogFaults breaks the work on a log at every operation; what Sync has
// returned from is found again, and nothing is there twice.
func TestLogFaults(t *testing.T) {
	work := func(d disk.FS, path string) (synced int, err error) {
		l, held, err := openLog(d, path)
		if err != nil {
			return 0, err
		}
		defer l.Close()
		for i := len(held); i < 4; i++ {
			if err := l.Add(entry{i}); err != nil {
				if again := l.Add(entry{i}); again == nil {
					t.Error("after an error the log takes more")
				}
				return i, err
			}
			if err := l.Sync(); err != nil {
				return i, err
			}
		}
		return 4, nil
	}
	var intact disktest.Disk
	if _, err := work(&intact, filepath.Join(t.TempDir(), "log")); err != nil {
		t.Fatal(err)
	}
	for _, fault := range []disktest.Fault{disktest.Crash, disktest.Fail} {
		for at := 1; at < intact.Count(); at++ {
			path := filepath.Join(t.TempDir(), "log")
			synced, err := work(&disktest.Disk{Fault: fault, At: at}, path)
			if !errors.Is(err, disktest.ErrFault) {
				t.Fatalf("fault %d at operation %d: error %v, want %v", fault, at, err, disktest.ErrFault)
			}
			l, held, err := openLog(disk.OS, path)
			if err != nil || len(held) < synced || !slices.Equal(held, []int{0, 1, 2, 3}[:len(held)]) {
				t.Fatalf("fault %d at operation %d: held %v, error %v, want at least %d", fault, at, held, err, synced)
			}
			l.Close()
		}
	}
}
