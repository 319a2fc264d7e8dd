package vec_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramOutside runs the program of the page "For Go programs" in a module outside
// the tree, by the page's commands. The network is not asked: what the program needs is
// in the module cache, or this test could not have been built.
func TestProgramOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	text, err := os.ReadFile("../docs/maintainers/go.md")
	if err != nil {
		t.Fatal(err)
	}
	section, folder := string(text), t.TempDir()
	printed := between(t, section, "It prints `", "`")
	write(t, filepath.Join(folder, "main.go"), between(t, section, "\n```go\n", "\n```\n"))
	for line := range strings.SplitSeq(between(t, section, "\n```text\n", "\n```\n"), "\n") {
		line, ok := strings.CutPrefix(line, "$ ")
		if !ok || strings.HasPrefix(line, "mkdir ") {
			continue // made already
		}
		if got := runGo(t, folder, line); line == "go run ." && got != printed {
			t.Errorf("the program prints %q, the page says %q", got, printed)
		}
	}
}

// between is what stands between two texts.
func between(t *testing.T, text, open, end string) string {
	t.Helper()
	_, rest, opened := strings.Cut(text, open)
	inside, _, ended := strings.Cut(rest, end)
	if !opened || !ended {
		t.Fatalf("the page has nothing between %q and %q", open, end)
	}
	return inside
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runGo runs a command line of the page, with this checkout in the place of
// ../pommego, and returns its last line.
func runGo(t *testing.T, folder, line string) string {
	t.Helper()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(line, "../pommego", checkout))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
