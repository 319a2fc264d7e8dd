package web

import (
	"fmt"
	"path/filepath"

	"pommego/arena/tournament"
	"pommego/env/record"
)

// Tournament shows the tournament in a log, which read reads and which may still grow.
func Tournament(name, log string, read func() (*tournament.Kept, error)) Source {
	kept := remembered(log, read)
	return Source{
		Listing: remembered(log, func() (*Listing, error) {
			k, err := kept()
			if err != nil {
				return nil, err
			}
			return listTournament(name, k)
		}),
		Open: func(number int) (record.Replay, error) {
			k, err := kept()
			if err != nil {
				return nil, err
			}
			return k.Replay(number)
		},
	}
}

func listTournament(name string, kept *tournament.Kept) (*Listing, error) {
	results, err := kept.Results()
	if err != nil {
		return nil, err
	}
	list := &Listing{Kind: "tournament", Title: filepath.Base(name), Env: kept.Game.Spec().ID, Games: []Entry{},
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
