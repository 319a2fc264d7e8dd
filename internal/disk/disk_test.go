package disk_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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

// TestSynced: a file and a new log are on the disk, with their names, before anybody relies on them.
func TestSynced(t *testing.T) {
	for _, operation := range []string{"sync", "syncfolder"} {
		file, begun := &disktest.Disk{Only: operation}, &disktest.Disk{Only: operation}
		err := writeAfter(file, filepath.Join(t.TempDir(), "file"))
		log, _, unopened := openLog(begun, filepath.Join(t.TempDir(), "log"))
		if err = errors.Join(err, unopened); err != nil {
			t.Fatal(err)
		}
		if log.Close(); file.Count() != 1 || begun.Count() != 1 {
			t.Errorf("%s: %d of a file, %d of a log, want one each", operation, file.Count(), begun.Count())
		}
	}
}

// TestPipeForAFolder: nobody waits for a writer of a pipe that is named for a folder.
func TestPipeForAFolder(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	if _, err := disk.OpenIn(pipe, "file"); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("error %v, want that it is no folder", err)
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
	noName := &disktest.Disk{Fault: disktest.Fail, At: 1, Only: "rename"}
	if err := writeAfter(noName, filepath.Join(folder, "file")); !errors.Is(err, disktest.ErrFault) {
		t.Errorf("error %v, want that of the name", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v), want nothing", left, err)
	}
}

// TestNewFiles: what stands under the name stays. After an error nothing does, unless the whole file does.
func TestNewFiles(t *testing.T) {
	path, broken := filepath.Join(t.TempDir(), "file"), errors.New("broken")
	if err := disk.WriteNew(disk.OS, path, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want the writer's", err)
	}
	for _, want := range []error{disktest.ErrFault, fs.ErrExist} {
		faulty := &disktest.Disk{Fault: disktest.Fail, At: 1, Only: "syncfolder"}
		err := disk.WriteNew(faulty, path, func(w io.Writer) error { _, err := w.Write(after); return err })
		if text, _ := os.ReadFile(path); !errors.Is(err, want) || !bytes.Equal(text, after) {
			t.Errorf("error %v, want %v, and %d bytes, want %d", err, want, len(text), len(after))
		}
	}
}

// TestFolderWithoutSync: that a folder cannot be synced is no error.
func TestFolderWithoutSync(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc, whose folders cannot be synced")
	}
	if err := disk.OS.SyncFolder("/proc"); err != nil {
		t.Error(err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := disk.Lock(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Lock(disk.OS, path); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("a second lock: error %v, want %v", err, disk.ErrInUse)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = disk.Lock(disk.OS, path)
	if err != nil {
		t.Fatalf("after unlocking: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestForeignPart: a file of the user's that is called like a part of another is not touched.
func TestForeignPart(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "file.part")
	if err := os.WriteFile(mine, before, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeAfter(disk.OS, strings.TrimSuffix(mine, ".part")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(mine); err != nil || !bytes.Equal(got, before) {
		t.Errorf("the file is %.30q (%v), want it as before", got, err)
	}
}

// TestLinks plants links where files are written and read: nothing outside the folder is.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		reason string
		do     func(d disk.FS, folder string) error
		name   string // of the link
		want   error
	}{
		{"what an earlier attempt left", func(d disk.FS, folder string) error {
			return writeAfter(d, filepath.Join(folder, "file"))
		}, "file.pommego-part", nil},
		{"the file that is replaced", func(d disk.FS, folder string) error {
			return writeAfter(d, filepath.Join(folder, "file"))
		}, "file", nil},
		{"a log", func(d disk.FS, folder string) error {
			_, _, err := openLog(d, filepath.Join(folder, "log"))
			return err
		}, "log", disk.ErrLink},
		{"a lock", func(d disk.FS, folder string) error {
			_, err := disk.Lock(d, filepath.Join(folder, "lock"))
			return err
		}, "lock", disk.ErrLink},
		{"a folder that is made", func(d disk.FS, folder string) error {
			return d.Within(folder).MkdirAll(filepath.Join(folder, "sub"))
		}, "sub", disk.ErrLink},
		{"a folder that is written to", func(d disk.FS, folder string) error {
			return writeAfter(d.Within(folder), filepath.Join(folder, "sub", "file"))
		}, "sub", errAny},
		{"a folder that is moved to", func(d disk.FS, folder string) error {
			p, err := disk.Begin(d.Within(folder), filepath.Join(folder, "sub", "file"), folder)
			if err != nil {
				return err
			}
			return p.Commit()
		}, "sub", errAny},
		{"a folder that is removed from", func(d disk.FS, folder string) error {
			return d.Within(folder).Remove(filepath.Join(folder, "sub", "file"))
		}, "sub", errAny},
		{"a file that is read", func(_ disk.FS, folder string) error {
			_, err := disk.OpenIn(folder, "file")
			return err
		}, "file", disk.ErrLink},
		{"a folder that is read from", func(_ disk.FS, folder string) error {
			_, err := disk.OpenIn(folder, filepath.Join("sub", "file"))
			return err
		}, "sub", disk.ErrLink},
	} {
		for _, d := range []disk.FS{disk.OS, &disktest.Disk{}} {
			for _, target := range []string{"file", "nothing", "."} {
				folder, outside := t.TempDir(), t.TempDir()
				if err := os.WriteFile(filepath.Join(outside, "file"), before, 0o644); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(outside, target), filepath.Join(folder, c.name)); err != nil {
					t.Fatal(err)
				}
				err := c.do(d, folder)
				if (err == nil) != (c.want == nil) || c.want != errAny && !errors.Is(err, c.want) ||
					errors.Is(err, disk.ErrLink) && !strings.Contains(err.Error(), filepath.Join(folder, c.name)+": ") {
					t.Errorf("%s, a link to %s: error %v, want %v, and the link's name", c.reason, target, err, c.want)
				}
				left, err := os.ReadDir(outside)
				got, also := os.ReadFile(filepath.Join(outside, "file"))
				if err := errors.Join(err, also); err != nil || len(left) != 1 || !bytes.Equal(got, before) {
					t.Errorf("%s, a link to %s: outside are %v, %.30q (%v), want them as before", c.reason, target, left, got, err)
				}
			}
		}
	}
}

// errAny stands for every error.
var errAny = errors.New("any")
