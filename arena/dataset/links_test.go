package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

// noting notes the names that are written to in a folder.
type noting struct {
	disk.FS
	folder string
	mu     sync.Mutex
	names  map[string]bool
}

func (n *noting) note(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if name, err := filepath.Rel(n.folder, path); err == nil {
		n.names[name] = true
	}
}

func (n *noting) Within(folder string) disk.FS {
	n.FS, n.folder = disk.OS.Within(folder), folder
	return n
}

func (n *noting) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	n.note(path)
	return n.FS.OpenFile(path, flag, perm)
}

func (n *noting) MkdirAll(path string) error {
	n.note(path)
	return n.FS.MkdirAll(path)
}

func (n *noting) Rename(from, to string) error {
	n.note(to)
	return n.FS.Rename(from, to)
}

// TestLinksAreNotFollowed puts a link in the place of every name that is written, in a folder
// that is new or interrupted. Nothing outside changes, and the data set is the same or is refused.
func TestLinksAreNotFollowed(t *testing.T) {
	n := &noting{names: map[string]bool{filepath.Join(WorkFolder, "lock"): true}}
	o := testOptions(1)
	o.Disk = n
	want := contents(t, generate(t, ffa, tiny(), o))
	if len(n.names) < 12 || !n.names[filepath.Join(WorkFolder, logName)] {
		t.Fatalf("written were %q, want all there is", slices.Sorted(maps.Keys(n.names)))
	}
	refused := 0
	for name := range n.names {
		for _, c := range []struct {
			reason string
			begin  func(folder string)
		}{
			{"new", func(folder string) {
				if err := os.MkdirAll(filepath.Join(folder, WorkFolder), 0o755); err != nil {
					t.Fatal(err)
				}
			}},
			{"interrupted", func(folder string) {
				o := testOptions(1)
				o.Disk = &disktest.Disk{Only: "rename", At: 3}
				if _, _, err := Generate(context.Background(), gameOf(t, ffa), tiny(), folder, o); err == nil {
					t.Fatal("it was to crash")
				}
			}},
		} {
			for _, target := range []string{"moved", "file"} {
				folder, outside := filepath.Join(t.TempDir(), "set"), t.TempDir()
				c.begin(folder)
				plant(t, filepath.Join(folder, name), outside, target)
				before := contents(t, outside)
				_, _, err := Generate(context.Background(), gameOf(t, ffa), tiny(), folder, testOptions(2))
				what := fmt.Sprintf("%s, %s is a link to %s", c.reason, name, target)
				sameContents(t, what, contents(t, outside), before)
				if err == nil {
					sameContents(t, what, contents(t, folder), want)
					continue
				}
				if refused++; !errors.Is(err, disk.ErrLink) || !strings.Contains(err.Error(), filepath.Join(folder, name)) {
					t.Errorf("%s: error %v, want %v, and the name", what, err, disk.ErrLink)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// plant replaces what has a name by a link to a file outside, or to where it was moved, if it was there.
func plant(t *testing.T, path, outside, target string) {
	t.Helper()
	err := os.WriteFile(filepath.Join(outside, "file"), []byte("somebody's work"), 0o644)
	if target == "moved" {
		if e := os.Rename(path, filepath.Join(outside, target)); e != nil && !errors.Is(e, fs.ErrNotExist) {
			t.Fatal(e)
		}
	}
	err = errors.Join(err, os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o755),
		os.Symlink(filepath.Join(outside, target), path))
	if err != nil {
		t.Fatal(err)
	}
}

// TestLinkedFilesAreNotRead reads a data set with a file, or a folder, that is a link to the same outside.
func TestLinkedFilesAreNotRead(t *testing.T) {
	for _, name := range []string{ManifestName, dataFolder, dataFolder + "/games-00001.parquet"} {
		folder, outside := generate(t, ffa, small(), testOptions(1)), t.TempDir()
		path := filepath.Join(folder, filepath.FromSlash(name))
		plant(t, path, outside, "moved")
		named := func(problem string) bool { return strings.HasPrefix(problem, path+": it is a link") }
		r, err := Verify(folder, VerifyOptions{})
		if err != nil || !slices.ContainsFunc(r.Problems, named) {
			t.Errorf("%s: verify finds %+v (%v), want the link", name, r, err)
		}
		set, err := Open(folder)
		if err == nil {
			into := filepath.Join(t.TempDir(), "merged")
			_, err = Merge(gameOf(t, ffa), []*Set{set}, Config{}, Filter{}, into, testOptions(1))
		}
		if !errors.Is(err, disk.ErrLink) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: merge gives %v, want %v and the name", name, err, disk.ErrLink)
		}
	}
}
