package tournament

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"pommego/arena/ledger"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/internal/disk"
)

// Kept is a tournament as its log has it, for viewing.
type Kept struct {
	*Tournament
	Records []Record // the finished games, by their numbers, without actions

	path string
}

// Read reads the log of a tournament, which may still run. find returns a game
// by its id and rules. Read starts no agent.
func Read(path string, find func(id string, rules json.RawMessage) (env.Game, error)) (*Kept, error) {
	var k *Kept
	begin := func(header []byte) (err error) { k, err = begun(header, find); return err }
	err := disk.ReadLog(path, begin, func(line []byte) error {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		// A later run may have asked for more games than the header has.
		k.Config.Games = max(k.Config.Games, min(r.Game/len(k.schedule.tables), maxRounds)+1)
		if err := k.schedule.check(&r); err != nil {
			return err
		}
		r.forget()
		k.Records = append(k.Records, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	k.path = path
	slices.SortFunc(k.Records, func(a, b Record) int { return a.Game - b.Game })
	return k, nil
}

// begun is the tournament that a log's header describes.
func begun(line []byte, find func(id string, rules json.RawMessage) (env.Game, error)) (*Kept, error) {
	var h ledger.Header[Config]
	if err := json.Unmarshal(line, &h); err != nil || h.Format != logFormat {
		return nil, fmt.Errorf("it is not a tournament's log: its format is %q, want %q", h.Format, logFormat)
	}
	game, err := find(h.Env, h.Rules)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	if h.Version != spec.Version {
		return nil, fmt.Errorf("its games are of version %d of %s, want %d", h.Version, spec.Game, spec.Version)
	}
	if err := h.Config.Validate(spec); err != nil {
		return nil, err
	}
	t := &Tournament{Game: game, Config: h.Config}
	t.schedule = newSchedule(&t.Config, spec)
	return &Kept{Tournament: t}, nil
}

// Results are what the games show, from the file results.json beside the log; nil if that is not of these games, as
// some are still to be played: only the run that plays them knows how many.
func (k *Kept) Results() *Results {
	var r Results
	file, err := disk.OpenIn(filepath.Dir(k.path), "results.json")
	if err == nil {
		err = errors.Join(json.NewDecoder(file).Decode(&r), file.Close())
	}
	decided := r.Test != nil && r.Test.Accepted != "" // maybe before the last games of the log
	if err != nil || r.Played != len(k.Records) && !decided {
		return nil
	}
	return &r
}

// ErrNoMoves says that a log does not have the actions of a game.
var ErrNoMoves = errors.New("the game cannot be shown: logs have no actions of games that a Python policy " +
	"(client:) or release 0.1 played")

// Replay reads a game's actions from the log, and returns a replay with events and thoughts. It starts no agent.
func (k *Kept) Replay(game int) (*ledger.Replay, error) {
	var found *Record
	err := disk.ReadLog(k.path, func([]byte) error { return nil }, func(line []byte) error {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil || r.Game != game {
			return err
		}
		found = &r
		return cmp.Or(k.schedule.check(&r), errFound) // the log may have changed
	})
	switch {
	case err != nil && !errors.Is(err, errFound):
		return nil, err
	case found == nil:
		return nil, fmt.Errorf("%w: game %d is not in the log", trace.ErrNoGame, game)
	case found.Actions == nil:
		return nil, ErrNoMoves
	}
	r := ledger.NewReplay(k.Game, true)
	if found.Errors != nil { // one may have cost the match, however the game went
		r.Note = fmt.Sprintf("the tournament has counted it as %v", found.Result)
	}
	return r, r.Begin(&found.Played, new(ledger.Ending))
}

// errFound ends the reading of a log.
var errFound = errors.New("the game was found")
