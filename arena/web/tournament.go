package web

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/arena/tournament"
	"pommego/env"
)

// Tournament is a tournament by its name and its log, which read reads; it may still be
// under way. Its games are played again when they are looked at.
func Tournament(name, log string, read func() (*tournament.Kept, error)) Games {
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
	list := &Listing{Kind: "tournament", Title: filepath.Base(t.name), Env: kept.Env, Games: []Entry{},
		Notes: []string{kept.Config.Format.String()}}
	if results != nil {
		list.Ratings, list.Pairs = results.Agents, results.Pairs
	} else {
		list.Notes = append(list.Notes, fmt.Sprintf("under way: %d of %d games, ratings at the end", len(kept.Records),
			kept.Total))
	}
	for i := range kept.Records {
		r := &kept.Records[i]
		entry := Entry{Game: r.Game, Agents: r.Agents, Steps: r.Steps, Result: env.Tie.String(), Seed: r.Seed}
		for seat, outcome := range r.Outcome {
			if outcome > 0 {
				entry.Result, entry.Winners = env.Win.String(), append(entry.Winners, seat)
			}
		}
		if r.Played > 1 {
			entry.Note = fmt.Sprintf("%d games, all ties but the last", r.Played)
		}
		list.Games = append(list.Games, entry)
	}
	return list, nil
}

// most is how long a game may take to be played again: agents that search are slow.
const most = 2 * time.Minute

func (t *tournamentLog) Game(number int) (*scene.Game, error) {
	kept, err := t.kept.get(t.log, t.read)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(kept.Records, func(r tournament.Record) bool { return r.Game == number })
	if at < 0 {
		return nil, fmt.Errorf("%w: game %d is not in the log", ErrNoGame, number)
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	var again replayed
	if err := kept.Replay(ctx, &kept.Records[at], again.watch); err != nil {
		return nil, err
	}
	return again.described(&kept.Records[at])
}

// replayed is the last game of a match that is played again.
type replayed struct {
	game     env.Game
	start    []byte
	actions  [][]uint8
	thoughts [][]scene.Thought // by step
}

func (p *replayed) watch(at match.Moment, players []match.Player) error {
	if at.Actions == nil {
		*p = replayed{game: at.Game, start: at.Match.Append(nil)}
		return nil
	}
	p.actions = append(p.actions, bytes.Clone(at.Actions))
	p.thoughts = append(p.thoughts, p.thought(players))
	return nil
}

// thought is what the players chose their last actions by.
func (p *replayed) thought(players []match.Player) (all []scene.Thought) {
	for seat, player := range players {
		if t, ok := scene.SearchOf(p.game.Spec(), seat, player); ok {
			all = append(all, t)
		}
	}
	return all
}

func (p *replayed) described(r *tournament.Record) (*scene.Game, error) {
	m := p.game.New(1)[0]
	if err := m.Restore(p.start); err != nil {
		return nil, err
	}
	g := scene.Played(p.game, m, p.actions)
	g.Names, g.Seed = r.Agents, r.Seed
	for step, all := range p.thoughts {
		g.Steps[step+1].Thoughts = all
	}
	return g, nil
}
