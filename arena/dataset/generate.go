package dataset

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pommego/arena/ledger"
	"pommego/env"
)

// Generate makes a data set in a folder, or continues one that was interrupted
// there. A finished one of the same configuration is left as it is.
func Generate(ctx context.Context, game env.Game, c Config, folder string, o Options) (*Manifest, Work, error) {
	begun := time.Now()
	c, err := c.resolve(game)
	if err != nil {
		return nil, Work{}, fmt.Errorf("dataset: %w", err)
	}
	if c.Seating == Told {
		return nil, Work{}, fmt.Errorf("dataset: agents %q: Record makes data sets of what a client plays", c.Agents)
	}
	if o.Workers, err = ledger.Workers(o.Workers, c.Agents); err != nil {
		return nil, Work{}, fmt.Errorf("dataset: %w", err)
	}
	p, err := newPlan(game, c, o)
	if err != nil {
		return nil, Work{}, err
	}
	w, m, err := openStaging(p, folder, o)
	if err != nil || m != nil {
		return m, Work{Wall: time.Since(begun)}, err
	}
	g := &generation{options: o, staging: w}
	for _, from := range o.Take {
		if err == nil {
			err = w.take(from)
		}
	}
	if err == nil {
		err = g.resume()
	}
	if err == nil {
		err = g.run(ctx)
	}
	if err == nil {
		m, err = g.conclude()
	}
	g.work.Wall = time.Since(begun)
	return m, g.work, errors.Join(err, w.Close())
}

// generation is one run of Generate.
type generation struct {
	options     Options
	first, last int // the files to make

	mu sync.Mutex // guards what follows
	*staging
	at   ledger.Progress
	work Work
}

// resume finds out what is to be made, and how much of it earlier runs have left.
func (g *generation) resume() (err error) {
	c := &g.plan.config
	if g.first, g.last, err = g.options.Part.Span(c.files(), "files"); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	for k := g.first; k <= g.last; k++ {
		first, end := c.file(k)
		g.at.Total += end - first
		if s := g.files[k]; s != nil {
			g.at.Resumed += s.File.Games
		}
	}
	g.at.Done = g.at.Resumed
	return nil
}

// task is a game to play, and the file that it belongs to.
type task struct {
	game int
	file chan<- *Episode
}

// run makes the files that are missing. Workers play games; each file under way has a goroutine
// that writes it. After an error, or once the context ends, a file all of whose games have been
// played is still finished.
func (g *generation) run(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	g.tell()
	tasks, ended := make(chan task), make(chan struct{})
	var players, writers sync.WaitGroup
	for range g.options.Workers {
		players.Go(func() {
			if err := g.play(ctx, tasks); err != nil {
				cancel(err)
			}
		})
	}
	free := make(chan struct{}, g.options.Workers+1) // of files under way: games wait in memory until they are written
	for k := g.first; k <= g.last && ctx.Err() == nil; k++ {
		if g.has(k) {
			continue
		}
		first, end := g.plan.config.file(k)
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		file := make(chan *Episode, end-first)
		writers.Go(func() {
			if err := g.write(k, file, ended); err != nil {
				cancel(err)
			}
			<-free
		})
		for game := first; game < end; game++ {
			select {
			case tasks <- task{game, file}:
			case <-ctx.Done():
			}
		}
	}
	close(tasks)
	players.Wait()
	close(ended)
	writers.Wait()
	if parent.Err() != nil && errors.Is(context.Cause(ctx), parent.Err()) {
		return ledger.ErrStopped
	}
	return context.Cause(ctx)
}

// play is one worker: it plays games until there are no more, or the context ends.
func (g *generation) play(ctx context.Context, tasks <-chan task) (err error) {
	p := newPlayer(g.plan.game, &g.plan.config)
	defer func() { err = errors.Join(err, p.Close()) }()
	for t := range tasks {
		e, err := p.play(ctx, t.game, nil)
		if err != nil {
			return err
		}
		g.mu.Lock()
		g.work.Games++
		g.work.Steps += e.Steps
		g.at.Done++
		g.tell()
		g.mu.Unlock()
		t.file <- e
	}
	return nil
}

func (g *generation) tell() {
	if g.options.Progress != nil {
		g.options.Progress(g.at)
	}
}

// write makes a file of games that come in any order. It leaves none if no more come.
func (g *generation) write(k int, games <-chan *Episode, ended <-chan struct{}) error {
	e := newEncoder(g.plan.game, &g.plan.about, g.plan.columns)
	if err := e.begin(g.staging, k); err != nil {
		return err
	}
	defer e.abort()
	first, end := g.plan.config.file(k)
	early := map[int]*Episode{}
	for next := first; next < end; {
		if ep := early[next]; ep != nil {
			delete(early, next)
			if err := e.put(ep); err != nil {
				return fmt.Errorf("game %d: %w", next, err)
			}
			next++
			continue
		}
		select {
		case ep := <-games:
			early[ep.Game] = ep
		case <-ended:
			if len(games) == 0 {
				return nil
			}
		}
	}
	made, err := e.end(first)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wrote(k, made)
}

// has reports whether file k is written.
func (g *generation) has(k int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files[k] != nil
}

// conclude writes the manifest, and takes away what only this run needed. Of a part
// it returns what the manifest would say.
func (g *generation) conclude() (*Manifest, error) {
	m := &Manifest{About: g.plan.about, Files: []File{}, Statistics: newStatistics(g.plan.config.Agents)}
	for k := g.first; k <= g.last; k++ {
		m.add(g.files[k])
	}
	if err := g.log.Close(); err != nil || g.options.Part != nil {
		return m, err
	}
	if err := m.finish(g.staging); err != nil {
		return nil, err
	}
	return m, g.removeAll()
}

func (m *Manifest) add(s *summary) {
	m.Files = append(m.Files, s.File)
	m.Games += s.File.Games
	m.Rows += s.File.Rows
	m.Bytes += s.File.Bytes
	m.Steps += s.Statistics.Steps
	m.Statistics.add(s.Statistics)
}
