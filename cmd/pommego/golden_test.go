package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

var update = flag.Bool("update", false, "record the golden games again")

// goldenFile is where the golden game of an id is kept: with its game.
func goldenFile(spec *env.Spec) string {
	return filepath.Join("..", "..", "env", spec.Game, "testdata", "golden", spec.ID+".jsonl.gz")
}

// goldenAgents is who plays them: simple agents and, where there is room, a
// random one, in BaseWar on the side that was drawn when its game was recorded.
func goldenAgents(spec *env.Spec) string {
	names := slices.Repeat([]string{"simple"}, spec.Seats)
	switch {
	case spec.Game == "basewar" && spec.Seats > 2:
		names[0] = "random"
	case spec.Seats > 2:
		names[1] = "random"
	}
	return strings.Join(names, ",")
}

// TestGoldenGames plays one match of every id again and demands the bytes that
// were recorded: boards from seeds, agents, rules and observations are all in
// them. A difference means that users' seeds give other games: raise the
// version of what changed, say so in the changelog, and run with -update.
func TestGoldenGames(t *testing.T) {
	for _, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			game, err := catalog.Game(id)
			if err != nil {
				t.Fatal(err)
			}
			file := goldenFile(game.Spec())
			fresh := file
			if !*update {
				fresh = filepath.Join(t.TempDir(), "fresh.jsonl.gz")
			}
			pommego(t, "play", "--env", id, "--agents", goldenAgents(game.Spec()), "--seed", "20", "--quiet", "--record",
				fresh).want(t, 0)
			if got, want := unzip(t, fresh), unzip(t, file); !bytes.Equal(got, want) {
				t.Errorf("the game differs from the golden one from byte %d on", firstDifference(got, want))
			}
			pommego(t, "verify", file).want(t, 0)
		})
	}
}

func unzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
