package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule says what the packages that fit a pattern may import of the module's own.
// In both a * stands for one element of a path, and OWN for the package above.
type rule struct {
	packages string
	imports  []string
}

// policy is what each package of the module may use of the others. Imports go
// one way: games see the contract and what games share, the conformance kit only
// the contract, the bridge sees vec, cmd wires, and nothing but the catalog knows
// which games there are. Nothing of env, vec, bridge and arena imports llm, the seats
// of language models: cmd adds them. The first rule that fits holds.
var policy = []rule{
	{"env", []string{"internal/enum"}},
	{"env/grid", nil},
	{"env/observe", []string{"env"}},
	{"env/record", []string{"env", "env/saved"}},
	{"env/rollout", []string{"env"}},
	{"env/saved", []string{"env"}},
	{"env/search", []string{"env"}},
	{"env/gamestate", []string{"env", "env/saved"}},
	{"env/ruleset", []string{"env", "env/saved", "internal/enum"}},
	{"env/seat", []string{"env", "env/ruleset", "env/saved", "env/search", "internal/enum"}},
	{"env/envtest", []string{"env", "env/grid", "env/ruleset", "env/saved"}},
	{"env/envtest/pommermantest", []string{"env", "env/grid", "env/pommerman", "env/seat"}},
	{"env/catalog", []string{"env", "env/*", "env/*/bots", "internal/enum"}},
	// a game
	{"env/*", []string{"env", "env/grid", "env/observe", "env/record", "env/ruleset", "env/saved",
		"env/seat", "internal/enum"}},
	{"env/*/bots", []string{"OWN", "env", "env/grid", "env/saved", "env/search", "env/seat", "env/*/bots/*"}},
	// the agent guided asks a network
	{"env/pommerman/bots/champion", []string{"env", "env/grid", "env/pommerman", "env/pommerman/bots/learned",
		"env/pommerman/bots/tactics", "env/saved", "env/search", "env/seat"}},
	// a family of agents
	{"env/*/bots/*", []string{"env", "env/grid", "env/pommerman", "env/pommerman/bots/tactics", "env/saved",
		"env/search", "env/seat"}},

	// A test tool: what was recorded of other systems.
	{"internal/oracle", []string{"arena/trace", "env", "env/grid", "env/pommerman", "env/pommerman/bots/java",
		"env/pommerman/bots/simple", "env/record", "env/saved", "env/seat"}},
	{"internal/*", nil},
	{"internal/*/*", []string{"OWN"}},

	{"arena/match", []string{"arena/scene", "env", "env/record", "env/saved"}},
	{"arena/ledger", []string{"arena/match", "env", "env/gamestate", "env/record", "env/ruleset", "env/saved",
		"internal/disk"}},
	{"arena/start", []string{"arena/trace", "env", "env/ruleset", "env/gamestate", "env/saved"}},
	{"arena/tournament", []string{"arena/ledger", "arena/match", "arena/trace", "env", "internal/disk",
		"internal/enum"}},
	{"arena/tournament/report", []string{"OWN", "arena/match", "internal/disk"}},
	{"arena/trace", []string{"env/record", "internal/disk"}},
	{"arena/trace/tracetest", []string{"OWN"}},
	{"arena/picture", []string{"arena/scene", "env"}},
	{"arena/scene", []string{"env", "env/record"}},
	{"arena/web/play", []string{"OWN", "arena/match", "arena/scene", "env"}},
	{"arena/web", []string{"arena/dataset", "arena/picture", "arena/scene", "arena/tournament",
		"arena/trace", "env", "env/record"}},
	{"arena/dataset", []string{"arena/ledger", "arena/match", "arena/scene", "arena/trace", "env",
		"env/gamestate", "env/record", "env/ruleset", "env/saved", "internal/disk", "internal/enum"}},

	{"vec", []string{"env", "env/saved", "internal/enum", "env/gamestate"}},
	{"bridge", []string{"arena/picture", "arena/scene", "env", "env/saved", "internal/enum", "internal/memory", "vec"}},

	{"llm/words", []string{"arena/scene", "env", "env/saved"}},
	{"llm/orders", []string{"arena/scene", "env"}},
	{"llm/dialogue", []string{"arena/match", "arena/picture", "arena/scene", "arena/trace", "env", "env/record",
		"llm/orders", "llm/words"}},
	{"llm/model", []string{"arena/match", "arena/scene", "env", "env/record", "llm/dialogue", "llm/orders", "llm/words"}},
	{"llm/openenv", []string{"arena/match", "arena/scene", "bridge", "env", "env/record", "llm/dialogue", "llm/orders",
		"llm/words"}},

	{"benchmarks", []string{"env", "env/catalog", "env/rollout", "vec"}},
	{"cmd/pommego", []string{"arena/*", "arena/*/*", "benchmarks", "bridge", "llm/*", "env", "env/catalog",
		"env/gamestate", "env/record", "env/saved", "internal/*", "vec"}},
}

// fits reports whether a package fits a pattern.
func fits(pattern, pkg string) bool {
	ok, err := path.Match(pattern, pkg)
	return ok && err == nil
}

// allows reports whether pkg, to which the rule applies, may import another.
func (r *rule) allows(pkg, imported string) bool {
	return slices.ContainsFunc(r.imports, func(pattern string) bool {
		if pattern == "OWN" {
			pattern = path.Dir(pkg)
		}
		return fits(pattern, imported)
	})
}

// TestImportsGoOneWay reads every source file of the module that is not a test
// and compares its imports with the policy.
func TestImportsGoOneWay(t *testing.T) {
	used := make([]bool, len(policy))
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != ".." {
			_, other := os.Stat(filepath.Join(file, "go.mod")) // a module of its own: tools, a built site
			if other == nil || strings.HasPrefix(name, ".") || name == "python_client" || name == "testdata" {
				return fs.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), ".."+string(filepath.Separator)))
		at := slices.IndexFunc(policy, func(r rule) bool { return fits(r.packages, pkg) })
		if at < 0 {
			t.Errorf("%s: package %q fits no rule of the import policy: add one", file, pkg)
			return nil
		}
		used[at] = true
		return checkImports(t, file, pkg, &policy[at])
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range policy {
		if !used[i] {
			t.Errorf("no package fits the rule of %q in the import policy", r.packages)
		}
	}
}

// TestPolicy: a game that nobody has written yet needs no rule, and may not know
// other games.
func TestPolicy(t *testing.T) {
	for _, tc := range []struct {
		pkg, imported string
		want          bool
	}{
		{"env/chess", "env/seat", true},
		{"env/chess/bots", "env/chess", true},
		{"env/catalog", "env/chess/bots", true},
		{"env/chess", "env/pommerman", false},
		{"env/chess/bots", "env/pommerman", false},
		{"env/chess", "env/chess/bots", false},
		{"env/seat", "env/chess", false},
		{"vec", "env/catalog", false},
		{"benchmarks", "env/chess", false},
		{"cmd/pommego", "env/chess", false},
	} {
		at := slices.IndexFunc(policy, func(r rule) bool { return fits(r.packages, tc.pkg) })
		if got := policy[at].allows(tc.pkg, tc.imported); got != tc.want {
			t.Errorf("%s may import %s: %v, want %v", tc.pkg, tc.imported, got, tc.want)
		}
	}
}

// here is the module's path.
var here = path.Dir(reflect.TypeFor[rule]().PkgPath())

func checkImports(t *testing.T, file, pkg string, r *rule) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		own, isOwn := strings.CutPrefix(imported, here+"/")
		if isOwn && !r.allows(pkg, own) {
			t.Errorf("%s imports %s, want only %v", file, imported, r.imports)
		}
	}
	return nil
}
