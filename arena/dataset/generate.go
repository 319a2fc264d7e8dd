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
		return nil, Work{}, fmt.Errorf("dataset: agents %q: a client plays and records them with a Recorder", c.Agents)
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
	defer w.Close()
	g := &generation{game: game, plan: p, options: o, staging: w}
	if err = w.take(o); err == nil {
		err = g.resume()
	}
	if err == nil {
		err = g.run(ctx)
	}
	if err == nil {
		m, err = g.conclude()
	}
	g.work.Wall = time.Since(begun)
	return m, g.work, errors.Join(err, g.Close())
}

// generation is one run of Generate. All but the first four fields are guarded
// by mu.
type generation struct {
	game    env.Game
	plan    *plan
	options Options
	staging *staging

	mu     sync.Mutex
	first  int      // the file of the first shard, 0 unless there is a Part
	shards []*shard // in order; more come as games are handed out
	open   []*shard // of these, those whose games are still being played
	next   int      // the next game to hand out
	end    int      // the number after the last game
	ready  []*shard // all played, waiting to be written
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
	g.end = c.Games
	begun, err := g.staging.begun()
	if err != nil {
		return err
	}
	if part := g.options.Part; part != nil {
		if g.end, err = c.end(part); err != nil {
			return err
		}
		g.first, g.next, begun = part.First, part.First*c.FileGames, min(begun, part.Last+1)
	}
	g.at.TotalGames = g.end - g.next
	for g.first+len(g.shards) < begun {
		if err := g.addShard(); err != nil {
			return err
		}
	}
	g.at.Resumed, g.at.ResumedSteps = g.at.Games, g.at.Steps
	g.advance()
	return nil
}

// addShard opens the next shard.
func (g *generation) addShard() error {
	s, err := g.staging.openShard(g.first + len(g.shards))
	if err != nil {
		return err
	}
	g.shards = append(g.shards, s)
	if s.summary == nil {
		g.open = append(g.open, s)
	}
	g.at.Games += s.games()
	g.at.Steps += s.steps()
	g.at.Bytes += s.bytes()
	return nil
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
		s, number, err := g.task(ctx)
		switch {
		case err != nil || s == nil && number < 0:
			return err
		case s != nil:
			err = g.writeShard(e, s)
		default:
			err = g.playGame(ctx, p, number)
		}
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil // run says it
		}
		if err != nil {
			return err
		}
	}
}

// task hands out what to do next: a shard to write, or a game to play. With
// neither there is nothing left.
func (g *generation) task(ctx context.Context) (*shard, int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil || ctx.Err() != nil {
		return nil, -1, nil
	}
	if len(g.ready) > 0 {
		s := g.ready[0]
		g.ready = g.ready[1:]
		return s, 0, nil
	}
	number, err := g.nextGame() // without one: the worker that finishes a shard's last game writes it
	return nil, number, err
}

// nextGame finds the next game that has not been played, -1 if there is none.
func (g *generation) nextGame() (int, error) {
	for ; g.next < g.end; g.next++ {
		k := g.next/g.plan.config.FileGames - g.first
		for k >= len(g.shards) {
			if err := g.addShard(); err != nil {
				return -1, err
			}
		}
		if !g.shards[k].has(g.next) {
			g.next++
			return g.next - 1, nil
		}
	}
	return -1, nil
}

// playGame plays one game and keeps it.
func (g *generation) playGame(ctx context.Context, p *player, number int) error {
	begun := time.Now()
	e, err := p.play(ctx, number, nil)
	if err != nil {
		return err
	}
	played := time.Now()
	j, err := g.keep(e)
	if err != nil {
		return err
	}
	if err := j.Sync(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.work.Games++
	g.work.Steps += e.Steps
	g.work.Play += played.Sub(begun)
	g.work.Write += time.Since(played)
	return nil
}

// keep puts an episode into its journal.
func (g *generation) keep(e *Episode) (*journal, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shards[e.Game/g.plan.config.FileGames-g.first]
	j, before := s.journal, s.journal.Size()
	if j.has(e.Game) {
		return nil, fmt.Errorf("game %d was played twice", e.Game)
	}
	if err := j.add(e); err != nil {
		return nil, err
	}
	g.at.Games++
	g.at.Steps += e.Steps
	g.at.Bytes += j.Size() - before
	g.advance()
	g.tell()
	return j, nil
}

func (g *generation) tell() {
	if g.options.Progress != nil {
		g.options.Progress(g.at)
	}
}

// advance finds out which shards have all of their games.
func (g *generation) advance() {
	g.open = slices.DeleteFunc(g.open, func(s *shard) bool {
		complete := s.complete()
		if complete {
			g.ready = append(g.ready, s)
		}
		return complete
	})
}

// writeShard writes a shard all of whose games have been played.
func (g *generation) writeShard(e *encoder, s *shard) error {
	begun := time.Now()
	made, err := g.staging.write(e, s)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at.Bytes += made.File.Bytes - s.bytes()
	s.summary, s.journal = made, nil
	g.work.Write += time.Since(begun)
	g.tell()
	return nil
}

// conclude writes the manifest, and takes away what only this run needed. Of a part
// it returns what the manifest would say.
func (g *generation) conclude() (*Manifest, error) {
	m := &Manifest{About: g.plan.about, Files: []File{}, Statistics: newStatistics(g.game.Spec(), g.plan.config.Agents)}
	for _, s := range g.shards {
		m.add(s.summary)
	}
	if err := g.Close(); err != nil || g.options.Part != nil {
		return m, err
	}
	if err := m.finish(g.options, g.staging); err != nil {
		return nil, err
	}
	return m, g.staging.removeAll()
}

// add adds a file.
func (m *Manifest) add(s *summary) {
	m.Files = append(m.Files, s.File)
	m.Games += s.File.Games
	m.Rows += s.File.Rows
	m.Bytes += s.File.Bytes
	m.Steps += s.Statistics.Steps
	m.Statistics.add(s.Statistics)
}

func (g *generation) Close() error {
	var errs []error
	for _, s := range g.shards {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
