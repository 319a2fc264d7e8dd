package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pommego/internal/disk"
)

// A data set can be made larger: with more games of an otherwise equal
// configuration. Files that have all of their games stay as they are; the last one
// is taken apart into a journal, so that the result is that of one run.

// withoutExtent is the configuration but for how many games there are.
func (c Config) withoutExtent() Config {
	c.Games = 0
	return c
}

// extends reports whether there is to be more than of another configuration, which
// differs in nothing else. Less is an error.
func (c *Config) extends(there *Config) (bool, error) {
	switch {
	case there.Games == 0:
		return false, fmt.Errorf("%w: an earlier version made it with a number of steps, and this one cannot continue it",
			ErrOther)
	case c.Games < there.Games:
		return false, fmt.Errorf("%w: it is of %d games, now it would be of %d games; it can be given more, not less",
			ErrOther, there.Games, c.Games)
	}
	return c.Games > there.Games, nil
}

// reopen turns a finished data set back into one that is being generated: with
// the plan that it was made by, and a summary for each file. Until the manifest
// is gone, it is finished.
func (w *staging) reopen(m *Manifest, o Options) error {
	if m.Program != o.Version {
		return fmt.Errorf("%s: %w: version %q, this one is %q", w.folder, ErrOtherBuild, m.Program, o.Version)
	}
	missed := slices.ContainsFunc(m.Statistics.Agents, func(a AgentStatistics) bool { return a.Missed > 0 })
	if m.Layout == Steps && missed {
		return fmt.Errorf("%s: %w: it cannot be given more games, as its files do not say which moves of agents were "+
			"replaced", w.folder, ErrOther)
	}
	set := &Set{w.folder, m}
	for k := range m.Files {
		s, err := w.summarise(set, &m.Files[k])
		if err == nil {
			err = w.writeJSON(w.summaryPath(k), s)
		}
		if err != nil {
			return err
		}
	}
	if err := w.keepCard(m); err != nil {
		return err
	}
	if err := w.writePlan(&m.About); err != nil {
		return err
	}
	return disk.Remove(w.disk, filepath.Join(w.folder, ManifestName))
}

// summarise is the summary of a file as it was when the file was written.
func (w *staging) summarise(set *Set, f *File) (*summary, error) {
	s := &summary{*f, newStatistics(w.plan.spec, set.Manifest.Agents)}
	return s, set.fileEpisodes(f, func(e *Episode) error {
		s.Statistics.count(e, set.Manifest.Agents, shapeOf(w.plan.spec))
		return nil
	})
}

// cardMark is the file, among what is not finished, that says that the card has
// been edited and stays.
const cardMark = "card-is-edited"

// keepCard notes whether the card is still the one that was written.
func (w *staging) keepCard(m *Manifest) error {
	at := slices.IndexFunc(m.Others, func(f File) bool { return f.Path == CardName })
	_, sum, err := sumFile(filepath.Join(w.folder, CardName))
	if err != nil || at < 0 || sum == m.Others[at].SHA256 {
		return nil // a card that cannot be read is written anew
	}
	return writeWhole(w.disk, filepath.Join(w.scratch, cardMark), w.scratch, nil)
}

// cardKept reports whether the card is to stay as it is.
func (w *staging) cardKept() bool {
	_, err := os.Stat(filepath.Join(w.scratch, cardMark))
	return err == nil
}

// unpack takes written files that could hold more games apart, into journals.
func (w *staging) unpack(about *About) error {
	begun, err := w.begun()
	if err != nil {
		return err
	}
	set := &Set{w.folder, &Manifest{About: *about}}
	for k := range begun {
		s, err := w.written(k)
		if err != nil {
			return err
		}
		if s == nil || s.File.Games == w.plan.config.FileGames {
			continue
		}
		j, err := openJournal(w.disk, w.journalPath(k), about.Env.shape())
		if err != nil {
			return err
		}
		err = set.fileEpisodes(&s.File, j.add)
		if err = errors.Join(err, j.Close()); err != nil {
			return err
		}
		if err := disk.Remove(w.disk, w.summaryPath(k)); err != nil {
			return err
		}
	}
	return nil
}

// writePlan leaves a plan in the folder.
func (w *staging) writePlan(about *About) error {
	return w.writeJSON(filepath.Join(w.scratch, planName), signature{w.plan.build, *about})
}

func (w *staging) writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeWhole(w.disk, path, w.scratch, text)
}
