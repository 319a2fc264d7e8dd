package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"pommego/arena/scene"
	"pommego/internal/disk"
)

// FuzzRead: no log makes reading, rating or replaying it panic. Its lines come without
// their checksums, which a fuzzer would not find.
func FuzzRead(f *testing.F) {
	log := filepath.Join(f.TempDir(), "log.jsonl")
	if _, err := newQuick(f).Run(context.Background(), Options{Log: log, Program: "test"}); err != nil {
		f.Fatal(err)
	}
	var lines [][]byte
	keep := func(line []byte) error { lines = append(lines, bytes.Clone(line)); return nil }
	if err := disk.ReadLog(log, keep, keep); err != nil {
		f.Fatal(err)
	}
	for _, n := range []int{1, 3, len(lines)} {
		f.Add(bytes.Join(lines[:n], []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if writeLog(path, bytes.Split(text, []byte("\n"))) != nil {
			return
		}
		kept, err := Read(path, find)
		if err != nil {
			return
		}
		_ = kept.Results()
		for i := range kept.Records[:min(1, len(kept.Records))] {
			if replay, err := kept.Replay(kept.Records[i].Game); err == nil {
				_, _ = scene.Read(replay)
			}
		}
	})
}

// writeLog writes lines as a log, if they are JSON objects with a key.
func writeLog(path string, lines [][]byte) error {
	for _, line := range lines {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(line, &object); err != nil || len(object) == 0 {
			return errors.New("no object")
		}
	}
	log, err := disk.OpenLog(disk.OS, path, disk.LogOptions{Header: json.RawMessage(lines[0])})
	if err != nil {
		return err
	}
	defer log.Close()
	for _, line := range lines[1:] {
		if err := log.Add(json.RawMessage(line)); err != nil {
			return err
		}
	}
	return nil
}
