package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pommego/env/catalog"
)

var update = flag.Bool("update", false, "record the golden games again")

const golden = "../../env/pommerman/testdata/golden"

// TestGoldenGames plays one match of every id again and demands the bytes that
// were recorded: boards from seeds, agents, rules and observations are all in
// them. A difference means that users' seeds give other games: raise the
// version of what changed, say so in the changelog, and run with -update.
func TestGoldenGames(t *testing.T) {
	for _, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(golden, id+".jsonl.gz")
			fresh := file
			if !*update {
				fresh = filepath.Join(t.TempDir(), "fresh.jsonl.gz")
			}
			agents := "simple,random,simple,simple"
			if id == "OneVsOne-v0" {
				agents = "simple,simple"
			}
			pommego(t, "play", "--env", id, "--agents", agents, "--seed", "20", "--obs-every", "20", "--quiet", "--record", fresh).want(t, 0)
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
