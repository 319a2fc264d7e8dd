package web

import (
	"fmt"
	"path/filepath"
	"sync"

	"pommego/arena/dataset"
	"pommego/env"
	"pommego/env/record"
)

// DataSet shows the games of a data set. It plays them again in game.
func DataSet(set *dataset.Set, game env.Game) Source {
	return Source{
		Listing: sync.OnceValues(func() (*Listing, error) { return listSet(set) }),
		Open:    func(number int) (record.Replay, error) { return set.Replay(game, number) },
	}
}

func listSet(set *dataset.Set) (*Listing, error) {
	list := &Listing{
		Kind: "dataset", Title: filepath.Base(set.Folder), Env: set.Manifest.Env.ID, Games: []Entry{},
		Notes: []string{fmt.Sprintf("%d steps", set.Manifest.Steps)},
	}
	err := set.Episodes(func(e *dataset.Episode) error {
		entry := Entry{Game: e.Game, Agents: e.Agents, Steps: e.Steps, Results: e.Results}
		if e.Dealt {
			entry.Seed = e.Seed.Value
		}
		list.Games = append(list.Games, entry)
		return nil
	})
	return list, err
}
