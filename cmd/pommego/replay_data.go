package main

import (
	"os"
	"path/filepath"
	"strings"

	"pommego/arena/dataset"
	"pommego/env/record"
)

// inDataSet finds the data set that path is or lies in; "" if there is none.
func inDataSet(path string) string {
	folder := path
	if strings.HasSuffix(path, ".parquet") {
		folder = filepath.Dir(filepath.Dir(path))
	}
	if _, err := os.Stat(filepath.Join(folder, dataset.ManifestName)); err != nil {
		return ""
	}
	return folder
}

func openDataGame(folder string, number int) (record.Replay, error) {
	set, game, err := openSet(folder)
	if err != nil {
		return nil, err
	}
	if number >= set.Manifest.Games {
		return nil, usagef("%s: there is no game %d, want 0 to %d", folder, number, set.Manifest.Games-1)
	}
	e, err := set.Episode(number)
	if err != nil {
		return nil, err
	}
	replay := dataset.NewReplay(game, true)
	return replay, replay.Begin(e)
}
