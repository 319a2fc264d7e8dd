package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
)

// ErrStopped says that the context ended before the last game. What is finished
// is kept; the same call goes on from there.
var ErrStopped = errors.New("stopped")

// Generate makes a data set in a folder, or continues one that was interrupted
// there. A finished one of the same configuration is left as it is, and extended
// if there are to be more games.
func Generate(ctx context.Context, game env.Game, c Config, folder string, o Options) (*Manifest, Work, error) {
	begun := time.Now()
	c, err := c.resolve(game)
	if err != nil {
		return nil, Work{}, fmt.Errorf("dataset: %w", err)
	}
	if c.Seating == Told {
		return nil, Work{}, fmt.Errorf("dataset: agents %q: Record makes data sets of what a client plays", c.Agents)
	}
	if o.Workers < 0 {
		return nil, Work{}, fmt.Errorf("dataset: %d workers, want 0 (one a core) or more", o.Workers)
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	p, err := newPlan(game, c, o)
	if err != nil {
		return nil, Work{}, err
	}
	w, m, err := openStaging(p, folder, o)
	if err != nil || m != nil {
		return m, Work{Wall: time.Since(begun)}, err
	}
	g := &generation{game: game, options: o, staging: w, played: map[int]int{}}
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
	game        env.Game
	options     Options
	first, last int // the files to make

	mu sync.Mutex // guards what follows
	*staging
	next   int         // the next game to hand out
	end    int         // the number after the last game
	played map[int]int // of files that are not written: how many of their games have been played
	ready  []int       // files all of whose games have been played, waiting to be written
	failed error
	at     Progress
	work   Work
}

func (g *generation) workers() int {
	if slices.ContainsFunc(g.plan.config.Agents, match.AtURL) {
		return 1
	}
	if g.options.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return g.options.Workers
}

// resume takes up what earlier runs have left.
func (g *generation) resume() error {
	c := &g.plan.config
	g.last = c.files() - 1
	if part := g.options.Part; part != nil {
		if part.First < 0 || part.Last < part.First || part.Last > g.last {
			return fmt.Errorf("dataset: the part has files %d to %d, want some of the %d, from 0 to %d", part.First, part.Last,
				g.last+1, g.last)
		}
		g.first, g.last = part.First, part.Last
	}
	g.next, _ = c.file(g.first)
	_, g.end = c.file(g.last)
	g.at.TotalGames = g.end - g.next
	for k, s := range g.files {
		if k >= g.first && k <= g.last {
			g.at.Games += s.File.Games
		}
	}
	for game := range g.games {
		if game >= g.next && game < g.end {
			g.count(game)
		}
	}
	g.at.Resumed = g.at.Games
	return nil
}

func (g *generation) count(game int) {
	k := game / g.plan.config.FileGames
	g.played[k]++
	if first, end := g.plan.config.file(k); g.played[k] == end-first {
		g.ready = append(g.ready, k)
	}
	g.at.Games++
}

// run plays and writes until all is done.
func (g *generation) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g.mu.Lock()
	g.tell()
	g.mu.Unlock()
	var workers sync.WaitGroup
	for range g.workers() {
		workers.Go(func() {
			if err := g.help(ctx); err != nil {
				g.fail(err)
				cancel()
			}
		})
	}
	workers.Wait()
	if g.failed != nil {
		return g.failed
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w after %d games", ErrStopped, g.at.Games)
	}
	return nil
}

// fail notes the first error.
func (g *generation) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = err
	}
}

// help is one worker: it writes what is ready, and else plays.
func (g *generation) help(ctx context.Context) (err error) {
	p := newPlayer(g.game, &g.plan.config)
	defer func() { err = errors.Join(err, p.Close()) }()
	e := newEncoder(g.game, &g.plan.about, g.plan.columns)
	for {
		file, game := g.task(ctx)
		switch {
		case file >= 0:
			err = g.writeFile(e, file)
		case game >= 0:
			err = g.playGame(ctx, p, game)
		default:
			return nil
		}
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil // run says it
		}
		if err != nil {
			return err
		}
	}
}

// task hands out what to do next: a file to write, or a game to play; -1: none. Without
// either there is nothing left: the worker that plays a file's last game writes it.
func (g *generation) task(ctx context.Context) (file, game int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil || ctx.Err() != nil {
		return -1, -1
	}
	if len(g.ready) > 0 {
		file, g.ready = g.ready[0], g.ready[1:]
		return file, -1
	}
	for ; g.next < g.end; g.next++ {
		_, played := g.games[g.next]
		if !played && g.files[g.next/g.plan.config.FileGames] == nil {
			g.next++
			return -1, g.next - 1
		}
	}
	return -1, -1
}

func (g *generation) playGame(ctx context.Context, p *player, number int) error {
	e, err := p.play(ctx, number, nil)
	if err != nil {
		return err
	}
	if err := g.add(e); err != nil {
		return err
	}
	return g.log.Sync()
}

func (g *generation) add(e *Episode) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.keep(e); err != nil {
		return err
	}
	g.work.Games++
	g.work.Steps += e.Steps
	g.count(e.Game)
	g.tell()
	return nil
}

func (g *generation) tell() {
	if g.options.Progress != nil {
		g.options.Progress(g.at)
	}
}

// writeFile writes a file all of whose games have been played.
func (g *generation) writeFile(e *encoder, k int) error {
	first, end := g.plan.config.file(k)
	games := make([]disk.Place, end-first)
	g.mu.Lock()
	for i := range games {
		games[i] = g.games[first+i]
	}
	g.mu.Unlock()
	made, err := g.write(e, k, first, games)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wrote(k, made)
}

// conclude writes the manifest, and takes away what only this run needed. Of a part
// it returns what the manifest would say.
func (g *generation) conclude() (*Manifest, error) {
	m := &Manifest{About: g.plan.about, Files: []File{}, Statistics: newStatistics(g.plan.spec, g.plan.config.Agents)}
	for k := g.first; k <= g.last; k++ {
		m.add(g.files[k])
	}
	if err := g.log.Close(); err != nil {
		return nil, err
	}
	if g.options.Part != nil {
		if len(g.games) > 0 {
			return m, nil
		}
		return m, g.rewriteLog() // without the games, as a part may travel
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
