package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env/record"
)

// Recorded is a file of recorded games. They have the numbers of their lines, from 1.
func Recorded(path string, formats trace.Formats) Games {
	return &recorded{path: path, formats: formats}
}

type recorded struct {
	path    string
	formats trace.Formats
	list    remembered[*Listing]
}

func (r *recorded) Game(number int) (*scene.Game, error) {
	if number < 1 {
		return nil, fmt.Errorf("%w: %s has none with the number %d, its first is 1", ErrNoGame, r.path, number)
	}
	replay, err := r.formats.Open(r.path, number)
	if errors.Is(err, trace.ErrNoGame) {
		return nil, fmt.Errorf("%w: %w", ErrNoGame, err)
	}
	if err != nil {
		return nil, err
	}
	return scene.Read(replay)
}

func (r *recorded) Listing() (*Listing, error) { return r.list.get(r.path, r.read) }

func (r *recorded) read() (*Listing, error) {
	file, err := trace.Open(r.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := &Listing{Kind: "games", Title: filepath.Base(r.path), Games: []Entry{}}
	for {
		line, err := file.Next()
		if err == io.EOF {
			list.nameEnv()
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		entry := entryOf(line)
		entry.Game = file.Line()
		list.Games = append(list.Games, entry)
	}
}

// nameEnv says what the games are of, once if that is the same for all.
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

// entryOf is best effort: to open a game tells what is wrong with it.
func entryOf(line []byte) Entry {
	var h record.Head
	var config struct {
		EnvID string `json:"env_id"`
	}
	var end record.Outcome
	json.Unmarshal(line, &h)
	json.Unmarshal(h.Config, &config)
	if n := len(h.Steps); n > 0 {
		json.Unmarshal(h.Steps[n-1], &end)
	}
	seed, _ := strconv.ParseUint(string(h.Seed), 10, 64)
	return Entry{Env: cmp.Or(config.EnvID, h.Variant), Seed: seed, Agents: h.Policies, Note: cmp.Or(h.Name, h.Note),
		Steps: len(h.Steps), Result: end.Result, Winners: end.Winners}
}
