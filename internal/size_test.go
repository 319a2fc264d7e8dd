package internal

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// area is a part of the repository, what it is for, and how many lines of production
// code it may have. A commit that raises a ceiling says why in a sentence.
type area struct {
	folder  string // below the repository's root; "" is everything else
	purpose string
	ceiling int
}

// areas covers every source file of the repository. The first that fits holds.
var areas = []area{
	{"env", "games: rules, observations, built-in agents", 22734},
	{"vec", "many games stepped together, in batches", 3814},
	{"bridge", "the server and its wire protocol", 5533},
	{"arena", "whole games: matches, tournaments, data sets, pictures, pages", 14643},
	{"llm", "seats of language models: texts, answers, OpenEnv and MCP", 3976},
	{"cmd", "the command pommego", 3747},
	{"internal", "crash-safe files, names of enumerations", 731},
	{"python_client", "the Python client, its adapters and the original's API", 15486},
	{"benchmarks", "what measures speed and strength", 1001},
	{"docs", "scripts that write the games' pages, the pictures and the site", 333},
	{"tools", "what makes and verifies a release", 121},
	{"", "anything else", 0},
}

// What does not count: tests, what stands beside, which has a ceiling of its own, and what tools write.
var (
	tests       = []string{"testdata", "tests", "integration_tests"}
	beside      = []string{"envtest", "disktest", "tracetest", "oracle", "examples"} // what tests use, and examples
	notOurs     = []string{"bin", "dist", "runs", "site", "node_modules", "__pycache__", "build"}
	sourceFiles = []string{".go", ".py", ".js", ".css", ".html", ".s"}
)

const (
	longestLine     = 120 // columns of a Go file; a tab is one
	longestFunction = 60  // lines of a Go function, from func to its last brace
	longestReadme   = 150 // lines
	besideCeiling   = 8034
)

// production reports whether a file counts towards the ceilings.
func production(file string) bool {
	name := path.Base(file)
	return slices.Contains(sourceFiles, path.Ext(name)) && !strings.HasSuffix(name, "_test.go") &&
		!(path.Ext(name) == ".py" && (strings.HasPrefix(name, "test_") || name == "conftest.py"))
}

// count is as what a file counts.
type count int

const (
	nothing count = iota
	source
	besides
)

// walk calls visit for each file of the repository by its path from the root.
func walk(t *testing.T, visit func(file string, as count)) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", file)
		if err != nil {
			return err
		}
		rel, name := filepath.ToSlash(rel), d.Name()
		if d.IsDir() && rel != "." {
			if strings.HasPrefix(name, ".") || slices.Contains(notOurs, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			in := func(folders []string) bool {
				return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(dir string) bool {
					return slices.Contains(folders, dir)
				})
			}
			switch {
			case !production(rel) || in(tests):
				visit(rel, nothing)
			case in(beside):
				visit(rel, besides)
			default:
				visit(rel, source)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestCeilings counts the production lines of each area. With -v it prints them.
func TestCeilings(t *testing.T) {
	lines, all, outside := make([]int, len(areas)), 0, 0
	walk(t, func(file string, as count) {
		if as == besides {
			outside += bytes.Count(read(t, file), []byte("\n"))
		}
		if as != source {
			return
		}
		i := slices.IndexFunc(areas, func(a area) bool { return a.folder == "" || strings.HasPrefix(file, a.folder+"/") })
		n := bytes.Count(read(t, file), []byte("\n"))
		lines[i] += n
		all += n
	})
	for i, a := range areas {
		t.Logf("%6d lines of at most %6d  %-13s %s", lines[i], a.ceiling, a.folder, a.purpose)
		if lines[i] > a.ceiling {
			t.Errorf("%q has %d production lines, want at most %d: take some out, or raise the ceiling and say why in the "+
				"commit",
				a.folder, lines[i], a.ceiling)
		}
	}
	t.Logf("%6d lines in all", all)
	t.Logf("%6d lines of at most %6d beside them: what tests use, and examples", outside, besideCeiling)
	if outside > besideCeiling {
		t.Errorf("%d lines of what tests use and of examples, want at most %d", outside, besideCeiling)
	}
}

// TestLengths bounds Go's lines and functions, tests included, and the README.
func TestLengths(t *testing.T) {
	walk(t, func(file string, _ count) {
		if path.Ext(file) == ".go" && !strings.Contains(file, "testdata/") {
			checkLengths(t, file, read(t, file))
		}
	})
	if n := bytes.Count(read(t, "README.md"), []byte("\n")); n > longestReadme {
		t.Errorf("README.md has %d lines, want at most %d", n, longestReadme)
	}
}

func checkLengths(t *testing.T, file string, text []byte) {
	for i, line := range strings.Split(string(text), "\n") {
		raw := strings.Contains(line, "`") // tags and raw text cannot be broken
		if n := len([]rune(line)); n > longestLine && !raw {
			t.Errorf("%s:%d: %d columns, want at most %d", file, i+1, n, longestLine)
		}
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || strings.HasSuffix(file, "_test.go") {
			continue
		}
		if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > longestFunction {
			t.Errorf("%s: %s has %d lines, want at most %d", file, f.Name.Name, n, longestFunction)
		}
	}
}
