package env_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the project's import policy: what each package may use of the
// project's own. Imports go one way; vec and the conformance kit see only the
// contract, the bridge sees vec, and cmd wires.
var mayImport = map[string][]string{
	"env":                     {},
	"env/grid":                {},
	"env/observe":             {"env"},
	"env/record":              {"env"},
	"env/roster":              {"env"},
	"env/saved":               {"env"},
	"env/search":              {"env"},
	"env/envtest":             {"env", "env/grid"},
	"env/pommerman":           {"env", "env/grid", "env/observe", "env/record", "env/saved"},
	"env/pommerman/bots":      {"env", "env/grid", "env/pommerman", "env/roster", "env/search"},
	"env/basewar":             {"env", "env/grid", "env/observe", "env/record", "env/saved"},
	"env/basewar/bots":        {"env", "env/basewar", "env/grid", "env/roster", "env/search"},
	"env/suitebot":            {"env", "env/grid", "env/observe", "env/record", "env/saved"},
	"env/suitebot/bots":       {"env", "env/roster", "env/search", "env/suitebot"},
	"env/catalog":             {"env", "env/basewar", "env/basewar/bots", "env/pommerman", "env/pommerman/bots", "env/suitebot", "env/suitebot/bots"},
	"internal/chart":          {},
	"internal/disk":           {},
	"internal/gamestate":      {"env", "env/saved"},
	"internal/disk/disktest":  {"internal/disk"},
	"arena/match":             {"arena/trace", "env", "env/record"},
	"arena/tournament":        {"arena/match", "env", "internal/disk"},
	"arena/tournament/report": {"arena/tournament", "internal/chart", "internal/disk"},
	"arena/trace":             {"env/record", "internal/disk"},
	"arena/picture":           {"env"},
	"arena/dataset":           {"arena/match", "env", "internal/disk", "internal/gamestate"},
	"arena/dataset/card":      {"arena/dataset", "internal/chart"},
	"arena/dataset/joined":    {"arena/dataset", "env", "env/pommerman"},
	"vec":                     {"env", "env/saved", "internal/gamestate"},
	"bridge":                  {"arena/picture", "env", "vec"},
	"benchmarks":              {"env", "env/basewar", "env/catalog", "env/pommerman", "env/suitebot", "vec"},
	"cmd/pommego":             {"arena/dataset", "arena/dataset/card", "arena/dataset/joined", "arena/match", "arena/picture", "arena/tournament", "arena/tournament/report", "arena/trace", "benchmarks", "bridge", "env", "env/basewar", "env/catalog", "env/pommerman", "env/pommerman/bots", "env/record", "env/suitebot", "internal/disk", "vec"},
}

// TestImportsGoOneWay reads every source file that is not a test and compares
// its imports with the policy.
func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != ".." && (strings.HasPrefix(name, ".") || name == "python_client" || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../"))
		allowed, known := mayImport[pkg]
		if !known {
			t.Errorf("%s: package %q is not in the import policy: add it to mayImport", path, pkg)
			return nil
		}
		seen[pkg] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, isOwn := strings.CutPrefix(imported, "pommego/")
			if isOwn && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, want only %v", path, imported, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("package %q of the import policy has no files", pkg)
		}
	}
}
