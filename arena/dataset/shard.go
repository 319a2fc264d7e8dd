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
	size    int // games it is to have
	journal *journal
	summary *summary
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

// complete reports whether all games of a shard without a summary have been played.
func (s *shard) complete() bool {
	if len(s.journal.at) < s.size {
		return false
	}
	for game := s.first; game < s.first+s.size; game++ {
		if !s.journal.has(game) {
			return false
		}
	}
	return true
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
	s := &shard{index: k, first: k * c.FileGames}
	s.size = min(c.FileGames, c.Games-s.first)
	var err error
	if s.summary, err = w.written(k); err != nil || s.summary != nil {
		return s, err
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

// encode writes the games of a shard.
func (w *staging) encode(e *encoder, p *disk.Pending, s *shard) (*summary, error) {
	if err := e.begin(p); err != nil {
		return nil, err
	}
	for game := s.first; game < s.first+s.size; game++ {
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
