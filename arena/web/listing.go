package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pommego/arena/dataset"
	"pommego/arena/tournament"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
)

// Listing is the games that a page offers, and remarks on all of them. The page searches and sorts them.
type Listing struct {
	Kind  string   `json:"kind"` // games, dataset or tournament
	Title string   `json:"title"`
	Env   string   `json:"env,omitzero"`
	Notes []string `json:"notes,omitzero"`
	Games []Entry  `json:"games"`

	// Ratings and Pairs are a tournament's, in the form of its results.
	Ratings any `json:"ratings,omitzero"`
	Pairs   any `json:"pairs,omitzero"`

	// Apart says that the agents of a pair are compared by games against a third, and
	// not by games in which they met.
	Apart bool `json:"apart,omitzero"`
}

// Entry is one game of a listing.
type Entry struct {
	Game    int              `json:"game"`
	Agents  []string         `json:"agents,omitzero"` // by seat
	Steps   int              `json:"steps"`
	Results []env.SeatResult `json:"result,omitzero"` // by seat
	Seed    uint64           `json:"seed,omitzero"`
	Env     string           `json:"env,omitzero"` // set if the games have several ids
	Note    string           `json:"note,omitzero"`

	place
}

// place is the file of a recorded game, and its line there.
type place struct {
	file string
	line int
}

// remembered makes a function that reads a file or a folder, and again when it or a file in it has changed.
func remembered[T any](path string, read func() (T, error)) func() (T, error) {
	var mu sync.Mutex
	var last string // the stamp when it was read
	var value T
	return func() (_ T, err error) {
		mu.Lock()
		defer mu.Unlock()
		now := stamp(path)
		if now != "" && now == last {
			return value, nil
		}
		last = ""
		if value, err = read(); err == nil {
			last = now
		}
		return value, err
	}
}

// stamp is another text once a file of a path has changed; "" if there is none.
func stamp(path string) string {
	var b strings.Builder
	files, _ := trace.Files(path) // reading them reports the error
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&b, file, info.Size(), info.ModTime())
		}
	}
	return b.String()
}

// Recorded shows a file of recorded games, or a folder with such files. Games are numbered
// from 1; in a file the number is that of the line.
func Recorded(path string, formats trace.Formats) Source {
	numbers := map[place]int{} // those that games had before, which they keep
	listing := remembered(path, func() (*Listing, error) { return listRecorded(path, numbers, formats) })
	return Source{Listing: listing, Open: func(number int) (record.Replay, error) {
		list, err := listing()
		if err != nil {
			return nil, err
		}
		if number < 1 || number > len(list.Games) {
			return nil, fmt.Errorf("%w: %s has no game %d, want 1 to %d", ErrNoGame, path, number, len(list.Games))
		}
		e := &list.Games[number-1]
		return formats.Open(e.file, e.line)
	}}
}

func listRecorded(path string, numbers map[place]int, formats trace.Formats) (*Listing, error) {
	list := &Listing{Kind: "games", Title: filepath.Base(path), Games: []Entry{}}
	files, err := trace.Files(path)
	if err != nil {
		return list, err
	}
	var damage error
	for _, file := range files {
		if err := list.add(file, file != path, formats); err != nil {
			damage, list.Notes = cmp.Or(damage, err), append(list.Notes, err.Error())
		}
	}
	list.nameEnv()
	number := func(e Entry) int { return cmp.Or(numbers[e.place], math.MaxInt) } // of a new one the largest
	slices.SortStableFunc(list.Games, func(a, b Entry) int { return cmp.Compare(number(a), number(b)) })
	for i := range list.Games {
		list.Games[i].Game, numbers[list.Games[i].place] = i+1, i+1
	}
	if files[0] == path || len(list.Games) == 0 {
		return list, damage
	}
	return list, nil // its notes tell of damaged files
}

// add adds the games of a file, until it is damaged. A file of a folder is named, and left out if it holds something
// else.
func (l *Listing) add(path string, inFolder bool, formats trace.Formats) error {
	file, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		line, err := file.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := formats.Of(line); err != nil && inFolder {
			return nil
		} else if err != nil {
			return &trace.Error{File: path, Line: file.Line(), Err: err}
		}
		entry := entryOf(line)
		if inFolder {
			entry.Note = strings.TrimSpace(filepath.Base(path) + " " + entry.Note)
		}
		entry.place = place{path, file.Line()}
		l.Games = append(l.Games, entry)
	}
}

// nameEnv sets the ids of the games, once for the listing if all have the same.
func (l *Listing) nameEnv() {
	if len(l.Games) == 0 {
		return
	}
	l.Env = l.Games[0].Env
	if slices.ContainsFunc(l.Games, func(e Entry) bool { return e.Env != l.Env }) {
		l.Env = "several environments"
		return
	}
	for i := range l.Games {
		l.Games[i].Env = ""
	}
}

// entryOf is best effort: opening a damaged game gives the error.
func entryOf(line []byte) Entry {
	var h record.Head
	var config struct {
		EnvID string `json:"env_id"`
	}
	json.Unmarshal(line, &h)
	json.Unmarshal(h.Config, &config)
	seed, _ := strconv.ParseUint(string(h.Seed), 10, 64)
	return Entry{Env: cmp.Or(config.EnvID, h.Variant), Seed: seed, Agents: h.Policies, Note: cmp.Or(h.Name, h.Note),
		Steps: len(h.Steps), Results: endings(&h)}
}

// endings is how a game ended for its seats, if the record's last step says it.
func endings(h *record.Head) []env.SeatResult {
	var end struct {
		record.Outcome
		Each []env.Result `json:"results"` // by Java's rules, which pay nobody before the end
	}
	if n := len(h.Steps); n == 0 || json.Unmarshal(h.Steps[n-1], &end) != nil || end.Result == "" {
		return nil
	}
	var before record.Outcome // in which free-for-all games pay those who are out
	if n := len(h.Steps); n > 1 {
		json.Unmarshal(h.Steps[n-2], &before)
	}
	all := make([]env.SeatResult, cmp.Or(len(h.Policies), len(end.Rewards)))
	for seat := range all {
		out := seat < len(before.Rewards) && before.Rewards[seat] < 0 ||
			seat < len(end.Each) && end.Each[seat] == env.Loss
		switch {
		case slices.Contains(end.Winners, seat):
			all[seat] = env.Won
		case end.Result == env.Incomplete.String():
			all[seat] = env.Undecided
		case end.Result == env.Tie.String() && !out:
			all[seat] = env.Tied
		default:
			all[seat] = env.Lost
		}
	}
	return all
}

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

// Tournament shows the tournament in a log, which read reads and which may still grow.
func Tournament(name, log string, read func() (*tournament.Kept, error)) Source {
	kept := remembered(log, read)
	return Source{
		Listing: func() (*Listing, error) {
			k, err := kept()
			if err != nil {
				return nil, err
			}
			return listTournament(name, k), nil
		},
		Open: func(number int) (record.Replay, error) {
			k, err := kept()
			if err != nil {
				return nil, err
			}
			return k.Replay(number)
		},
	}
}

func listTournament(name string, kept *tournament.Kept) *Listing {
	list := &Listing{Kind: "tournament", Title: filepath.Base(name), Env: kept.Game.Spec().ID, Games: []Entry{},
		Apart: kept.Config.Against != "",
		Notes: []string{kept.Config.Format.String()}}
	if results := kept.Results(); results != nil {
		list.Ratings, list.Pairs = results.Agents, results.Pairs
	} else {
		list.Notes = append(list.Notes, fmt.Sprintf("not finished: %d games so far, ratings at the end", len(kept.Records)))
	}
	for i := range kept.Records {
		r := &kept.Records[i]
		list.Games = append(list.Games,
			Entry{Game: r.Game, Agents: r.Agents, Steps: r.Steps, Results: r.Result, Seed: r.Seed.Value})
	}
	return list
}
