package main

import (
	"bytes"
	"image/gif"
	"os"
	"path/filepath"
	"testing"
)

// TestReplayAsVideo turns a recorded match into both kinds of video.
func TestReplayAsVideo(t *testing.T) {
	dir := t.TempDir()
	record, video, page := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "a.gif"), filepath.Join(dir, "a.html")
	for _, args := range [][]string{
		{"play", "--env", "OneVsOne-v0", "--agents", "random", "--seed", "3", "--record", record, "--quiet"},
		{"replay", record, "--gif", video, "--html", page, "--tile", "8", "--fps", "20"},
	} {
		pommego(t, args...).want(t, 0)
	}
	seen := filepath.Join(dir, "b.gif")
	pommego(t, "replay", record, "--gif", seen, "--seat", "1", "--tile", "8").want(t, 0)
	pommego(t, "replay", record, "--gif", seen, "--seat", "2").want(t, exitUsage)
	pommego(t, "replay", record, "--seat", "2").want(t, exitUsage)
	whole, err := os.ReadFile(video)
	if view, errSeen := os.ReadFile(seen); err != nil || errSeen != nil || bytes.Equal(whole, view) {
		t.Errorf("seat 1's view is as the whole game (%v, %v)", err, errSeen)
	}
	file, err := os.Open(video)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if read, err := gif.DecodeAll(file); err != nil || len(read.Image) < 2 {
		t.Errorf("the video cannot be read: %v", err)
	}
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("OneVsOne-v0")) {
		t.Errorf("the page does not say what it shows (%v)", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}
