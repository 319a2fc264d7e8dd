// Command lessons turns games of a data set into what the agent champion-net learns
// from: it plays them again, and writes for positions of every seat which features
// champion-net sees and what a teacher finds each move to be worth.
//
//	pommego generate --out games --env PommeTeamCompetition-v0 --agents champion:level=1 --games 1000
//	lessons --data games --out lessons --teacher champion:plies=2,ticks=300
//
// Its files are numpy's (npz), each of some games:
//
//	layers    the network's layers: features, units, ..., moves
//	counts    of each position: how many features are on
//	features  and their numbers, one position's after another's
//	values    of each position and move; -32768: none
//	answers   with --answers, what champion-net's present weights say of it
//	games     the number of its game
//
// Positions are turned and mirrored at random. The same command gives the same bytes;
// files that there are already are not made again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"

	"pommego/arena/dataset"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "lessons:", err)
		os.Exit(1)
	}
}

// work is what is to be done.
type work struct {
	data, out, teacher string
	games, workers     int
	seed               uint64
	answers            bool
	set                *dataset.Set
	game               env.Game
}

func run(ctx context.Context, args []string) error {
	w := new(work)
	f := flag.NewFlagSet("lessons", flag.ContinueOnError)
	f.StringVar(&w.data, "data", "", "the data set's folder")
	f.StringVar(&w.out, "out", "", "the folder for the lessons")
	f.StringVar(&w.teacher, "teacher", "champion:plies=2,ticks=300", "the agent champion, with its options")
	f.IntVar(&w.games, "games-per-file", 20, "games in a file")
	f.IntVar(&w.workers, "workers", 0, "files made at a time; 0: as many as there are cores")
	f.Uint64Var(&w.seed, "seed", 1, "seed of the draws")
	f.BoolVar(&w.answers, "answers", false, "write what champion-net says, too")
	if err := f.Parse(args); err != nil {
		return err
	}
	if w.data == "" || w.out == "" || w.games < 1 || w.workers < 0 {
		return errors.New("want --data and --out, at least one game a file, and no less than 0 workers")
	}
	if _, err := bots.NewLessons(w.teacher); err != nil {
		return err
	}
	var err error
	if w.set, err = dataset.Open(w.data); err != nil {
		return err
	}
	if w.game, err = catalog.Game(w.set.Manifest.Env.ID); err != nil {
		return err
	}
	if err := w.set.Agrees(w.game); err != nil {
		return err
	}
	if err := os.MkdirAll(w.out, 0o777); err != nil {
		return err
	}
	return w.all(ctx)
}

// batch is the games of one file.
type batch struct {
	path  string
	games []*dataset.Episode
}

// all makes the files that there are not yet.
func (w *work) all(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	batches := make(chan *batch)
	var workers sync.WaitGroup
	if w.workers == 0 {
		w.workers = runtime.NumCPU()
	}
	for range w.workers {
		workers.Go(func() {
			for b := range batches {
				if err := w.make(b); err != nil {
					fail(err)
				}
			}
		})
	}
	err := w.deal(ctx, batches)
	close(batches)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// deal hands the games of files out that there are not yet.
func (w *work) deal(ctx context.Context, batches chan<- *batch) error {
	var b *batch
	send := func() error {
		if b == nil {
			return nil
		}
		if _, err := os.Stat(b.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		select {
		case batches <- b:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := w.set.Episodes(func(e *dataset.Episode) error {
		if b == nil || len(b.games) == w.games {
			if err := send(); err != nil {
				return err
			}
			b = &batch{path: filepath.Join(w.out, fmt.Sprintf("lessons-%05d.npz", e.Game/w.games))}
		}
		b.games = append(b.games, e)
		return nil
	})
	if err != nil {
		return err
	}
	return send()
}

// make makes a file.
func (w *work) make(b *batch) error {
	var found collected
	for _, e := range b.games {
		if err := w.replay(e, &found); err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
	}
	return found.write(b.path)
}

// replay plays a game again, with a teacher at each seat.
func (w *work) replay(e *dataset.Episode, found *collected) error {
	m, err := dataset.Begin(w.game, e)
	if err != nil {
		return err
	}
	spec := w.game.Spec()
	width := len(e.Actions) / max(e.Steps, 1)
	seed := env.Seed{Value: w.seed, Episode: uint64(e.Game)}
	rng := seed.RNG(env.StreamPolicy)
	teachers := make([]*bots.Lessons, spec.Seats)
	for seat := range teachers {
		if teachers[seat], err = bots.NewLessons(w.teacher); err != nil {
			return err
		}
		teachers[seat].Reset(seed.RNG(env.StreamAgents + uint64(seat)))
	}
	var v pommerman.View
	for step := range e.Steps {
		for _, seat := range m.Status().In.List() {
			m.(*pommerman.Match).View(seat, &v)
			if lesson, ok := teachers[seat].Lesson(&v, rng.IntN(bots.Ways)); ok {
				found.add(e.Game, lesson)
				if w.answers {
					found.answer(teachers[seat].Answers())
				}
			}
		}
		m.Step(e.Actions[step*width : (step+1)*width])
	}
	return nil
}
