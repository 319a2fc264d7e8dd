package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pommego/arena/dataset"
	"pommego/env"
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
	m, err := dataset.Begin(game, e)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	actions := slices.Collect(slices.Chunk(e.Actions, spec.Seats*len(spec.Actions)))
	line, err := record.Write(game, record.Info{EnvID: spec.ID, Seed: e.Seed.Value, Policies: set.Names(e)},
		m.Append(nil), actions, make([][]env.Thought, len(actions)))
	if err != nil {
		return nil, err
	}
	return formats.Reopen(line)
}
