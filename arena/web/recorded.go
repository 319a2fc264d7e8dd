package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
)

// Recorded shows a file of recorded games, or a folder with such files. Games are numbered
// from 1; in a file the number is that of the line.
func Recorded(path string, formats trace.Formats) Source {
	var files []string // in the order in which they appeared, so that games keep their numbers
	listing := remembered(path, func() (*Listing, error) { return listRecorded(path, &files, formats) })
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

func listRecorded(path string, known *[]string, formats trace.Formats) (*Listing, error) {
	list := &Listing{Kind: "games", Title: filepath.Base(path), Games: []Entry{}}
	files, err := trace.Files(path)
	if err != nil {
		return list, err
	}
	place := func(file string) uint { return uint(slices.Index(*known, file)) } // of a new one the largest
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	*known = files
	for i := 0; i < len(files) && err == nil; i++ {
		err = list.add(files[i], files[i] != path, formats)
	}
	list.nameEnv()
	return list, err
}

// add adds the games of a file. A file of a folder is named, and left out if it holds something else.
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
		entry.Game, entry.file, entry.line = len(l.Games)+1, path, file.Line()
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
