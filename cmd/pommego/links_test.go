package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinksAreNotFollowed puts links in the place of all files that commands write, and of their
// temporary names: the files outside that they lead to stay as they are.
func TestLinksAreNotFollowed(t *testing.T) {
	game := filepath.Join(t.TempDir(), "game.jsonl")
	set := filepath.Join(t.TempDir(), "set")
	pommego(t, "play", "--agents", "random", "--rules", `{"max_steps": 3}`, "--record", game, "--quiet").want(t, exitOK)
	pommego(t, "generate", "--games", "2", "--agents", "random", "--out", set).want(t, exitOK)
	for _, c := range []struct {
		command string
		files   []string // in FOLDER
		refused string   // of files, which is read, too; all: no file that is there is overwritten
	}{
		{"tournament --agents random,static --against static --games 4 --out FOLDER", []string{"games.jsonl", "results.md",
			"results.json", "timing.md", "timing.json"}, "games.jsonl"},
		{"play --agents random --seed 3 --quiet --record FOLDER/a.jsonl", []string{"a.jsonl"}, "all"},
		{"play --agents random --seed 3 --quiet --record FOLDER/a.jsonl.gz", []string{"a.jsonl.gz"}, "all"},
		{"replay " + game + " --gif FOLDER/a.gif --html FOLDER/a.html", []string{"a.gif", "a.html"}, "all"},
		{"data merge " + set + " --out FOLDER", []string{".generate/lock", ".generate/games-00000.parquet",
			".generate/README.md", ".generate/manifest.json"}, ".generate/lock"},
	} {
		for _, target := range []string{"thesis.tex", "nothing"} {
			for _, file := range c.files {
				withLinks(t, c.command, c.refused, target, file)
			}
			parts := make([]string, len(c.files))
			for i, file := range c.files {
				parts[i] = file + ".pommego-part"
			}
			withLinks(t, c.command, c.refused, target, parts...)
		}
	}
}

// withLinks runs a command with links to a target outside in the place of files of FOLDER.
func withLinks(t *testing.T, command, refused, target string, names ...string) {
	t.Helper()
	folder, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "thesis.tex"), []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, name := range names {
		path = filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, target), path); err != nil {
			t.Fatal(err)
		}
	}
	r := pommego(t, strings.Fields(strings.ReplaceAll(command, "FOLDER", folder))...)
	switch name := names[0]; {
	case name == refused:
		r.want(t, exitError)
		if !strings.Contains(r.errors, path+": it is a link") {
			t.Errorf("%s: a link at %s: stderr %q, want what it is", command, name, r.errors)
		}
	case !strings.HasSuffix(name, ".pommego-part") && (refused == "all" || strings.HasPrefix(command, "tournament")):
		r.want(t, exitUsage)
	default:
		r.want(t, exitOK)
	}
	left, err := os.ReadDir(outside)
	text, _ := os.ReadFile(filepath.Join(outside, "thesis.tex"))
	if err != nil || len(left) != 1 || string(text) != "years of work" {
		t.Errorf("%s: links at %v to %s: outside are %v, %.30q", command, names, target, left, text)
	}
}
