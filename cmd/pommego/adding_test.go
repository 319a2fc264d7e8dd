package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pommego/env"
)

// TestAddingAGame adds a game as the README says: a folder beside the other
// games, and its line in the catalog. The go command is told to see both where
// they would be, and nothing else differs from this module. Then the game passes
// the conformance kit, pictures and texts have what it looks like, and every command knows it.
func TestAddingAGame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program again")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := addRace(t, module)
	program := filepath.Join(t.TempDir(), "pommego")
	goCommand(t, module, "build", "-trimpath", "-overlay", overlay, "-o", program, "./cmd/pommego")
	tests := t.TempDir() + "/"
	goCommand(t, module, "test", "-c", "-vet=off", "-overlay", overlay, "-o", tests, "./env/race", "./arena/picture")
	for _, args := range [][]string{{"race.test"}, {"picture.test", "-test.run", "^TestLooksAreDrawn$"}} {
		if out, err := exec.Command(tests+args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}

	run := func(line string) string {
		t.Helper()
		out, err := exec.Command(program, strings.Fields(line)...).CombinedOutput()
		if err != nil {
			t.Fatalf("pommego %s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	games := filepath.Join(t.TempDir(), "games.jsonl")
	set := filepath.Join(t.TempDir(), "set")
	for _, tc := range []struct{ line, want string }{
		{"envs Race-v0", "- nobody wins: `result` tied, `outcome` 0"},
		{"play --env Race-v0 --agents simple,random --seed 3 --quiet --record " + games, ""},
		{"play --env Race-v0 --agents simple,static --seed 3 --json", `"won"`},
		{"verify " + games, "1 games, "},
		{"replay --json " + games, `"Race-v0"`},
		{"replay --fps 0 " + games, "Race-v0"},
		{"tournament --env Race-v0 --agents simple,random --games 4 --seed 1", "simple"},
		{"generate --env Race-v0 --games 20 --seed 1 --out " + set, ""},
		{"data verify --replay " + set, "20 games"},
		{"replay --game 3 --json " + set, `"Race-v0"`},
		{"bench --games 8 --seconds 0.05 --only race:", "race:rules/cautious"},
	} {
		if out := run(tc.line); !strings.Contains(out, tc.want) {
			t.Errorf("pommego %s: printed\n%s\nwant %q in it", tc.line, out, tc.want)
		}
	}
}

// addRace writes an overlay for the go command, in which testdata/race is a game
// of the module and the catalog has a line for it.
func addRace(t *testing.T, module string) string {
	t.Helper()
	file := filepath.Join(module, "env", "catalog", "catalog.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const last, imports = "\tfamily(suitebot.New,", "import (\n"
	game := reflect.TypeFor[env.Spec]().PkgPath() + "/race"
	added := strings.NewReplacer(
		imports, imports+"\t\""+game+"\"\n\tracebots \""+game+"/bots\"\n",
		last, "\tfamily(race.New, racebots.Roster, race.Recorded, []preset[race.Rules]{{\"Race-v0\", \"a race\", "+
			"race.Standard()}}),\n"+last,
	).Replace(string(text))
	if !strings.Contains(added, "env/race") || !strings.Contains(added, "race.New") {
		t.Fatalf("%s: it has no place for a game", file)
	}
	dir := t.TempDir()
	catalog := filepath.Join(dir, "catalog.go")
	replace := map[string]string{file: catalog}
	if err := os.WriteFile(catalog, []byte(added), 0o666); err != nil {
		t.Fatal(err)
	}
	race := filepath.Join(module, "cmd", "pommego", "testdata", "race")
	err = filepath.WalkDir(race, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			replace[filepath.Join(module, "env", "race", strings.TrimPrefix(path, race))] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}
