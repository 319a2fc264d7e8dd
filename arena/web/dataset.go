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
	d := &dataSet{set: set, game: game}
	d.list = sync.OnceValues(d.read)
	return d
}

type dataSet struct {
	set  *dataset.Set
	game env.Game
	list func() (*Listing, error)
}

func (d *dataSet) Listing() (*Listing, error) { return d.list() }

func (d *dataSet) read() (*Listing, error) {
	list := &Listing{
		Kind: "dataset", Title: filepath.Base(d.set.Folder), Env: d.set.Manifest.Env.ID, Games: []Entry{},
		Notes: []string{fmt.Sprintf("%d steps", d.set.Manifest.Steps)},
	}
	err := d.set.Episodes(func(e *dataset.Episode) error {
		entry := Entry{Game: e.Game, Agents: e.Agents, Steps: e.Steps, Results: e.Results}
		if e.Dealt {
			entry.Seed = e.Seed.Value
		}
		list.Games = append(list.Games, entry)
		return nil
	})
	return list, err
}

func (d *dataSet) Open(number int) (record.Replay, error) { return d.set.Replay(d.game, number) }
