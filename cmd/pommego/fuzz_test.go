package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"testing"

	"pommego/arena/dataset"
	"pommego/arena/trace"
)

// FuzzCheck: no record of any form makes checking or opening it panic, which verify and
// replay would answer by an error.
func FuzzCheck(f *testing.F) {
	shortest := map[string][]byte{}
	err := filepath.WalkDir("../../env", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !trace.RecordedName.MatchString(path) {
			return err
		}
		in, err := trace.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		line, err := in.Next()
		if err != nil {
			return err
		}
		if name, err := trace.FormatOf(line); err == nil && (shortest[name] == nil || len(line) < len(shortest[name])) {
			shortest[name] = bytes.Clone(line)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	for k, format := range formats {
		if shortest[format.Name] == nil {
			f.Logf("no record of %s is in the tree", format.Name)
		}
		f.Add(uint8(k), shortest[format.Name])
	}
	f.Fuzz(func(t *testing.T, which uint8, line []byte) {
		format := formats[int(which)%len(formats)]
		_, _ = format.Check(line)
		if format.Open != nil {
			_, _ = format.Open(line)
		}
	})
}

// FuzzPack: data pack makes a data set of what it reads, or reports an error.
func FuzzPack(f *testing.F) {
	config := `{"agents": ["client:me", "simple"], "games": 1, "max_episode_steps": 3, "layout": "steps", "extra": [{"name": "a", "dtype": "uint8", "shape": []}]}`
	f.Add([]byte(config + `{"agents": [0, 1], "actions": "AAAA", "extra": {"a": "AAAA"}, "winners": 0}`))
	f.Add([]byte(config + `{"agents": [0, 2], "actions": "AAA"}`))
	f.Add([]byte(config))
	f.Fuzz(func(t *testing.T, input []byte) {
		o := packOptions{chosenGame{id: "OneVsOne-v0"}, t.TempDir()}
		if err := o.run(context.Background(), bytes.NewReader(input), io.Discard); err != nil {
			return
		}
		if r, err := dataset.Verify(o.out, dataset.VerifyOptions{Game: playedIn}); err != nil || len(r.Problems) > 0 {
			t.Errorf("%s is stored as a data set with problems: %v, %v", input, r, err)
		}
	})
}
