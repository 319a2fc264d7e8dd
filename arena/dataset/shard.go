package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pommego/internal/disk"
)

// shard is one file of a data set that is being generated. Its games are in its
// journal until it is written; then it has a summary.
type shard struct {
	index   int
	first   int // number of its first game
	size    int // games it has, unless it is the last
	journal *journal
	summary *summary
	taken   bool // a worker writes it, or has
	count   int  // once taken: how many games it is to have
}

// summary is what is to be known of a written file. It lies beside the journal
// before the file has its name; a file without one counts for nothing.
type summary struct {
	File       File        `json:"file"`
	Statistics *Statistics `json:"statistics"`
}

// has reports whether a game has been played.
func (s *shard) has(game int) bool {
	if s.summary != nil {
		return game < s.first+s.summary.File.Games
	}
	return s.journal.has(game)
}

// complete reports whether all games have been played; total is how many the data
// set has, if that is known, else 0.
func (s *shard) complete(total int) bool {
	if s.count = s.size; total > 0 {
		s.count = min(s.size, total-s.first)
	}
	if s.summary != nil || s.count <= 0 || len(s.journal.at) < s.count {
		return false
	}
	for game := s.first; game < s.first+s.count; game++ {
		if !s.journal.has(game) {
			return false
		}
	}
	return true
}

// stepsOf is how many steps a game that has been played has. Of a written shard
// only the sum is known: then it is that of all its games.
func (s *shard) stepsOf(game int) (games, steps int) {
	if s.summary != nil {
		return s.summary.File.Games, s.summary.Statistics.Steps
	}
	return 1, s.journal.at[game].steps
}

// games, steps and bytes are those so far.
func (s *shard) games() int {
	if s.summary != nil {
		return s.summary.File.Games
	}
	return len(s.journal.at)
}

func (s *shard) steps() int {
	if s.summary != nil {
		return s.summary.Statistics.Steps
	}
	n := 0
	for _, at := range s.journal.at {
		n += at.steps
	}
	return n
}

func (s *shard) bytes() int64 {
	if s.summary != nil {
		return s.summary.File.Bytes
	}
	return s.journal.Size()
}

func (s *shard) Close() error {
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}

// journalPath and summaryPath are where those of a shard lie.
func (w *staging) journalPath(k int) string {
	return filepath.Join(w.scratch, fmt.Sprintf("shard-%05d.jsonl", k))
}

func (w *staging) summaryPath(k int) string {
	return filepath.Join(w.scratch, fmt.Sprintf("shard-%05d.json", k))
}

// openShard takes up a shard, which may have been begun or written before.
func (w *staging) openShard(k int) (*shard, error) {
	c := &w.plan.config
	s := &shard{index: k, first: k * c.FileGames, size: c.FileGames}
	if c.Games > 0 {
		s.size = min(s.size, c.Games-s.first)
	}
	var err error
	if s.summary, err = w.written(k); err != nil {
		return nil, err
	}
	if s.summary != nil {
		s.taken = true
		return s, nil
	}
	s.journal, err = openJournal(w.disk, w.journalPath(k), w.plan.about.Env.shape())
	return s, err
}

// written is the summary of a shard that has been written and is whole; nil if
// there is none. A file that does not agree with its summary is written again.
func (w *staging) written(k int) (*summary, error) {
	text, err := os.ReadFile(w.summaryPath(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(summary)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", w.summaryPath(k), errDamaged, err)
	}
	size, sum, err := sumFile(filepath.Join(w.folder, filepath.FromSlash(s.File.Path)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case size != s.File.Bytes || sum != s.File.SHA256:
		return nil, nil
	}
	return s, disk.Remove(w.disk, w.journalPath(k))
}

// write writes a shard from its journal. The order matters: the summary is on
// the disk before the file has its name, and the journal goes last.
func (w *staging) write(e *encoder, s *shard) (*summary, error) {
	name := dataName(w.plan.config.Layout, s.index)
	p, err := disk.Begin(w.disk, filepath.Join(w.folder, filepath.FromSlash(name)), w.scratch)
	if err != nil {
		return nil, err
	}
	defer p.Abort()
	made, err := w.encode(e, p, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	made.File.Path = name
	if err := w.writeJSON(w.summaryPath(s.index), made); err != nil {
		return nil, err
	}
	if err := p.Commit(); err != nil {
		return nil, err
	}
	return made, errors.Join(s.journal.Close(), disk.Remove(w.disk, w.journalPath(s.index)))
}

// encode writes the games of a shard that are to be in the data set.
func (w *staging) encode(e *encoder, p *disk.Pending, s *shard) (*summary, error) {
	if err := e.begin(p); err != nil {
		return nil, err
	}
	for game := s.first; game < s.first+s.count; game++ {
		ep, err := s.journal.episode(game)
		if err != nil {
			return nil, err
		}
		ep.Seed = w.plan.config.seed(game)
		if err := e.put(ep); err != nil {
			return nil, err
		}
	}
	return e.end(s.first)
}
