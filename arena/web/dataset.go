package web

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"sync"

	"pommego/arena/dataset"
	"pommego/arena/scene"
	"pommego/env"
)

// DataSet is a data set. Its games are played again in game.
func DataSet(set *dataset.Set, game env.Game) Games {
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
		entry := Entry{Game: e.Game, Agents: d.set.Names(e), Steps: e.Steps, Results: e.Results}
		if e.Dealt {
			entry.Seed = e.Seed.Value
		}
		list.Games = append(list.Games, entry)
		return nil
	})
	return list, err
}

func (d *dataSet) Game(number int) (*scene.Timeline, error) {
	if number < 0 || number >= d.set.Manifest.Games {
		return nil, fmt.Errorf("%w: there is no game %d, want 0 to %d", ErrNoGame, number, d.set.Manifest.Games-1)
	}
	e, err := d.set.Episode(number)
	if err != nil {
		return nil, err
	}
	m, err := dataset.Begin(d.game, e)
	if err != nil {
		return nil, err
	}
	var feed scene.Feed
	feed.Play(d.game, m, e.Actions, func() error { return nil })
	g := feed.Game()
	g.Names = d.set.Names(e)
	if e.Dealt {
		g.Seed = e.Seed.Value
	}
	for i := range e.Decisions {
		if decision := &e.Decisions[i]; decision.Visits != nil {
			step := &g.Steps[decision.Step+1] // which it led to
			step.Thoughts = append(step.Thoughts, thought(decision))
		}
	}
	return g, nil
}

func thought(d *dataset.Decision) env.Thought {
	visits, values := make([]int32, len(d.Visits)/4), make([]float64, len(d.Values)/8)
	for i := range visits {
		visits[i] = int32(binary.LittleEndian.Uint32(d.Visits[4*i:]))
	}
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(d.Values[8*i:]))
	}
	return env.Searched(d.Seat, visits, values)
}
