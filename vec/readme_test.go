package vec_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramOutside makes modules outside the tree in both ways that the page "For Go
// programs" names, and runs its program in them. The network is not asked: what the
// program needs is in the module cache, or this test could not have been built.
func TestProgramOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program twice")
	}
	text, err := os.ReadFile("../docs/maintainers/go.md")
	if err != nil {
		t.Fatal(err)
	}
	section := string(text)
	commands := between(t, section, "\n```text\n", "\n```\n")
	program := between(t, section, "\n```go\n", "\n```\n")
	printed := between(t, section, "prints `", "`")
	workspace := between(t, section, "A workspace also works: `", "`")
	for _, way := range []struct {
		name     string
		commands []string
		flags    string
	}{
		{"a replace directive", strings.Split(commands, "\n"), "-mod=mod"},
		{"a workspace", []string{"$ go mod init learn", "$ " + workspace, "$ go run ."}, ""},
	} {
		t.Run(way.name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, filepath.Join(folder, "main.go"), program)
			for _, line := range way.commands {
				line, ok := strings.CutPrefix(line, "$ ")
				if !ok || strings.HasPrefix(line, "mkdir ") {
					continue // made already
				}
				if line == "go mod tidy" { // wants the tests of all that is imported; the sums are what the program lacks
					sums, err := os.ReadFile("../go.sum")
					if err != nil {
						t.Fatal(err)
					}
					write(t, filepath.Join(folder, "go.sum"), string(sums))
					continue
				}
				got := runGo(t, folder, way.flags, line)
				if line == "go run ." && got != printed {
					t.Errorf("the program prints %q, the page says %q", got, printed)
				}
			}
		})
	}
}

// between is what stands between two texts.
func between(t *testing.T, text, open, end string) string {
	t.Helper()
	_, rest, opened := strings.Cut(text, open)
	inside, _, ended := strings.Cut(rest, end)
	if !opened || !ended {
		t.Fatalf("the README's section \"From Go\" has nothing between %q and %q", open, end)
	}
	return inside
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runGo runs a command line of the README, with this checkout in the place of
// ../pommego, and returns its last line.
func runGo(t *testing.T, folder, flags, line string) string {
	t.Helper()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(line, "../pommego", checkout))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS="+flags, "GOWORK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
