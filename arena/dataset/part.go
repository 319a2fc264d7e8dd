package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pommego/env"
	"pommego/internal/disk"
)

// The files of a data set can be made in several places. Each makes a part, in a folder
// where the data set remains unfinished; then one takes the files of all parts, makes
// those that are missing, and finishes it. The bytes are those of one run.

// CountFiles is how many files there are to be.
func (c *Config) CountFiles(game env.Game) (int, error) {
	whole, err := c.resolve(game)
	return whole.files(), err
}

// files is the number of files of a configuration that is complete.
func (c *Config) files() int { return (c.Games + c.FileGames - 1) / c.FileGames }

// end is the number of the game after a part's last.
func (c *Config) end(part *Part) (int, error) {
	if part.First < 0 || part.Last < part.First || part.Last >= c.files() {
		return 0, fmt.Errorf("dataset: the part has files %d to %d, want some of the %d, from 0 to %d", part.First, part.Last,
			c.files(), c.files()-1)
	}
	return min((part.Last+1)*c.FileGames, c.Games), nil
}

// take copies the files that parts have, and that are not here yet.
func (w *staging) take(o Options) error {
	for _, folder := range o.Take {
		from := &staging{plan: w.plan, disk: w.disk, folder: folder, scratch: filepath.Join(folder, workFolder),
			data: filepath.Join(folder, dataFolder)}
		there, err := from.signature()
		if err == nil && there == nil {
			err = fmt.Errorf("%s: %w: no part of a data set has been made there", folder, ErrOther)
		}
		if err != nil {
			return err
		}
		more, err := from.continues(there, o)
		if err == nil && more {
			err = fmt.Errorf("%s: %w: it is a part of %d games, not of %d games", folder, ErrOther, there.About.Generated.Games,
				w.plan.config.Games)
		}
		if err != nil {
			return err
		}
		if err := w.takeFrom(from); err != nil {
			return err
		}
	}
	return nil
}

// takeFrom copies the files of one part.
func (w *staging) takeFrom(from *staging) error {
	if err := from.occupy(); err != nil {
		return err
	}
	defer from.Close()
	begun, err := from.begun()
	for k := 0; k < begun && err == nil; k++ {
		var here, made *summary
		if here, err = w.written(k); err != nil || here != nil {
			continue
		}
		if made, err = from.written(k); err == nil && made != nil {
			err = w.takeFile(from, k, made)
		}
	}
	return err
}

// takeFile copies one file, after its summary: see write.
func (w *staging) takeFile(from *staging, k int, made *summary) error {
	if err := w.writeJSON(w.summaryPath(k), made); err != nil {
		return err
	}
	name := filepath.FromSlash(made.File.Path)
	in, err := os.Open(filepath.Join(from.folder, name))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := disk.Begin(w.disk, filepath.Join(w.folder, name), w.scratch)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return errors.Join(out.Commit(), disk.Remove(w.disk, w.journalPath(k)))
}
