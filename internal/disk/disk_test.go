package disk_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

var (
	before = []byte("what was there before")
	after  = bytes.Repeat([]byte("what is to be there. "), 40_000) // several writes
)

func writeAfter(d disk.FS, path string) error {
	return disk.WriteFile(d, path, func(w io.Writer) error {
		_, err := w.Write(after)
		return err
	})
}

// TestWholeOrNotThere breaks a write at every operation, in every way, and
// looks at what stands under the name.
func TestWholeOrNotThere(t *testing.T) {
	var intact disktest.Disk
	if err := writeAfter(&intact, filepath.Join(t.TempDir(), "file")); err != nil {
		t.Fatal(err)
	}
	operations := intact.Count()
	if operations < 6 {
		t.Fatalf("a write has %d operations, want open, writes, sync, close, rename and sync of the folder", operations)
	}
	for _, old := range [][]byte{nil, before} {
		for _, fault := range []disktest.Fault{disktest.Crash, disktest.Fail} {
			for at := 1; at <= operations; at++ {
				path := filepath.Join(t.TempDir(), "file")
				if old != nil {
					if err := os.WriteFile(path, old, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if err := writeAfter(&disktest.Disk{Fault: fault, At: at}, path); !errors.Is(err, disktest.ErrFault) {
					t.Fatalf("fault %d at operation %d: error %v, want %v", fault, at, err, disktest.ErrFault)
				}
				got, err := os.ReadFile(path)
				there := err == nil
				if there != (old != nil) && !bytes.Equal(got, after) || there && !bytes.Equal(got, old) &&
					!bytes.Equal(got, after) {
					t.Fatalf("fault %d at operation %d: the file has %d bytes (%v), want all of the new, or what was there", fault, at,
						len(got), err)
				}
			}
		}
	}
}

func TestAfterAnErrorNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	broken := errors.New("broken")
	err := disk.WriteFile(disk.OS, filepath.Join(folder, "file"), func(w io.Writer) error {
		_, err := w.Write(after)
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want the writer's", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v), want nothing", left, err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := disk.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Lock(path); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("a second lock: error %v, want %v", err, disk.ErrInUse)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = disk.Lock(path)
	if err != nil {
		t.Fatalf("after unlocking: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}
