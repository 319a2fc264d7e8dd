package dataset

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/dialogue"
)

func init() { NewTell = dialogue.Tell }

// gameOf is a game of the catalog.
func gameOf(t testing.TB, id string) env.Game {
	t.Helper()
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

const (
	ffa   = "PommeFFACompetition-v0"
	team  = "PommeTeamCompetition-v0"
	radio = "PommeRadioCompetition-v2"
)

// small is a data set of a few short games in several files.
func small() Config {
	return Config{Agents: []string{"simple", "random"}, Seating: Drawn, Games: 7, FileGames: 3, MaxSteps: 60, Seed: 5}
}

// tiny is the smallest that has a full file and one that is not.
func tiny() Config {
	c := small()
	c.Games, c.FileGames, c.MaxSteps = 3, 2, 20
	return c
}

// testOptions are those of every run in a test. From here on so many games are played at a time.
func testOptions(workers int) Options {
	runtime.GOMAXPROCS(workers)
	return Options{Version: "test", Build: "test"}
}

// generate makes a data set in a new folder.
func generate(t testing.TB, id string, c Config, o Options) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "set")
	if _, _, err := Generate(context.Background(), gameOf(t, id), c, folder, o); err != nil {
		t.Fatal(err)
	}
	return folder
}

// contents is every file below a folder.
func contents(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameContents fails the test unless two folders hold the same files with the
// same bytes.
func sameContents(t testing.TB, what string, got, want map[string][]byte) {
	t.Helper()
	names, wanted := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))
	if !slices.Equal(names, wanted) {
		t.Fatalf("%s: files %q, want %q", what, names, wanted)
	}
	for _, name := range names {
		if !bytes.Equal(got[name], want[name]) {
			t.Fatalf("%s: %s has %d bytes, want %d, or others", what, name, len(got[name]), len(want[name]))
		}
	}
}

// verifyClean fails the test if a data set has a problem.
func verifyClean(t testing.TB, folder string) *Report {
	t.Helper()
	r, err := Verify(folder, VerifyOptions{Game: func(m *Manifest) (env.Game, error) { return catalog.Game(m.Env.ID) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) > 0 {
		t.Fatalf("problems: %q", r.Problems)
	}
	return r
}
