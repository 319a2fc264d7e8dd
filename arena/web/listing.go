package web

import (
	"os"
	"sync"

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

// remembered makes a function that reads a file, and again when the file has changed.
func remembered[T any](path string, read func() (T, error)) func() (T, error) {
	var mu sync.Mutex
	var last os.FileInfo // of the file when it was read
	var value T
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		info, err := os.Stat(path)
		if err == nil && (last == nil || info.Size() != last.Size() || !info.ModTime().Equal(last.ModTime())) {
			last = nil
			if value, err = read(); err == nil {
				last = info
			}
		}
		return value, err
	}
}
