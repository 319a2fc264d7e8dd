package web

import (
	"fmt"
	"path/filepath"

	"pommego/arena/tournament"
	"pommego/env/record"
)

// Tournament shows the tournament in a log, which read reads and which may still grow.
func Tournament(name, log string, read func() (*tournament.Kept, error)) Source {
	return &tournamentLog{name: name, log: log, read: read}
}

type tournamentLog struct {
	name, log string
	read      func() (*tournament.Kept, error)
	kept      remembered[*tournament.Kept]
	list      remembered[*Listing]
}

func (t *tournamentLog) Listing() (*Listing, error) { return t.list.get(t.log, t.listed) }

func (t *tournamentLog) listed() (*Listing, error) {
	kept, err := t.kept.get(t.log, t.read)
	if err != nil {
		return nil, err
	}
	results, err := kept.Results()
	if err != nil {
		return nil, err
	}
	list := &Listing{Kind: "tournament", Title: filepath.Base(t.name), Env: kept.Game.Spec().ID, Games: []Entry{},
		Apart: kept.Config.Against != "",
		Notes: []string{kept.Config.Format.String()}}
	if results != nil {
		list.Ratings, list.Pairs = results.Agents, results.Pairs
	} else {
		list.Notes = append(list.Notes, fmt.Sprintf("under way: %d of %d games, ratings at the end", len(kept.Records),
			kept.Games()))
	}
	for i := range kept.Records {
		r := &kept.Records[i]
		list.Games = append(list.Games,
			Entry{Game: r.Game, Agents: r.Agents, Steps: r.Steps, Results: r.Result, Seed: r.Seed.Value})
	}
	return list, nil
}

func (t *tournamentLog) Open(number int) (record.Replay, error) {
	kept, err := t.kept.get(t.log, t.read)
	if err != nil {
		return nil, err
	}
	return kept.Replay(number)
}
