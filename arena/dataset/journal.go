package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"pommego/internal/disk"
)

// journal keeps the episodes of one file-to-be from the moment they are over.
type journal struct {
	*disk.Log
	shape shape
	at    map[int]place // of each episode, by the number of its game
}

// place is where an episode lies in the journal.
type place struct {
	disk.Place
	steps int // of the episode
}

// syncEvery is how much time's work a power cut may cost.
const syncEvery = time.Second

// openJournal opens a journal, or begins it, and finds out what it holds.
func openJournal(d disk.FS, path string, s shape) (*journal, error) {
	j := &journal{shape: s, at: map[int]place{}}
	header, err := json.Marshal(map[string]string{"format": "pommego-journal/1"})
	if err != nil {
		return nil, err
	}
	j.Log, err = disk.OpenLog(d, path, disk.LogOptions{
		Header: json.RawMessage(header), SyncEvery: syncEvery,
		Accept: func(found []byte) error {
			if !bytes.Equal(found, header) {
				return errors.New("it is no journal of games that this program can continue")
			}
			return nil
		},
		Take: func(record []byte, at disk.Place) error {
			e := new(Episode)
			if err := json.Unmarshal(record, e); err != nil {
				return err
			}
			if _, twice := j.at[e.Game]; !twice {
				j.at[e.Game] = place{at, e.Steps}
			}
			return e.fits(s)
		},
	})
	return j, err
}

// add adds an episode.
func (j *journal) add(e *Episode) error {
	at, err := j.Add(e)
	if err == nil {
		j.at[e.Game] = place{at, e.Steps}
	}
	return err
}

// has reports whether the journal holds a game.
func (j *journal) has(game int) bool {
	_, there := j.at[game]
	return there
}

// episode reads one that the journal holds.
func (j *journal) episode(game int) (*Episode, error) {
	e := &Episode{Dealt: true}
	if err := j.Read(j.at[game].Place, e); err != nil {
		return nil, fmt.Errorf("game %d: %w", game, err)
	}
	if err := e.fits(j.shape); err != nil || e.Game != game {
		return nil, fmt.Errorf("game %d is damaged: it changed under the program that wrote it", game)
	}
	return e, nil
}
