package web

import (
	"os"
	"sync"
	"time"

	"pommego/env"
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

	file string // the file of a recorded game
	line int    // its line there
}

// remembered caches what was read from a file, until the file changes.
type remembered[T any] struct {
	mu    sync.Mutex
	size  int64
	at    time.Time
	value T
}

func (r *remembered[T]) get(path string, read func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return *new(T), err
	}
	if info.Size() == r.size && info.ModTime().Equal(r.at) {
		return r.value, nil
	}
	value, err := read()
	if err == nil {
		r.size, r.at, r.value = info.Size(), info.ModTime(), value
	}
	return value, err
}
