package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
	"pommego/llm/dialogue"
)

// Tournament is a configuration that has been found playable. It is safe for
// concurrent use.
type Tournament struct {
	game     env.Game
	config   Config
	schedule *schedule
	clients  bool // some agents are the client's
}

// New makes a tournament of a game, or says what is wrong with it.
func New(game env.Game, c Config) (*Tournament, error) {
	spec := game.Spec()
	if err := c.Validate(spec); err != nil {
		return nil, err
	}
	t := &Tournament{game: game, config: c}
	t.schedule = newSchedule(&t.config, spec)
	for e := range t.schedule.entrants() {
		if isClient(t.schedule.name(e)) {
			t.clients = true
			continue
		}
		p, err := match.NewPlayer(game, t.schedule.name(e))
		if err != nil {
			return nil, err
		}
		if err := p.Close(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Games is how many games the tournament has.
func (t *Tournament) Games() int { return t.schedule.games() }

// Options are the things that results do not depend on. The zero value plays
// on all cores without a log.
type Options struct {
	Workers int // how many games are played at a time: see ledger.Workers

	Log string // the file that keeps finished games, also those of earlier runs; "": none

	// Program names the build. A log that another build began is refused, since its
	// agents may have played differently.
	Program string

	// Part, unless nil, is the games to play, of a tournament whose others are played
	// elsewhere; there is no report then.
	Part *ledger.Part
	// Take lists logs of parts: their games go into this log, and are not played again.
	Take []string

	// Client has lines with games of agents that are called "client:NAME", which are played elsewhere. As long as some
	// are missing, Report.Asked lists them and no others are played.
	Client io.Reader

	// Wait is match.Rules.Wait.
	Wait time.Duration

	// Dialogues records the games that are played: match.Rules.Dialogues.
	Dialogues *dialogue.Log

	// Progress, if not nil, is called at the start and whenever games are on the
	// disk, by one goroutine at a time.
	Progress func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	ledger.Progress
	Test *Test // nil without Config.SPRT
}

// Report is what a finished tournament shows.
type Report struct {
	Results *Results
	Timing  *Timing
	Records []Record // all games, in the order of the schedule; without Agents: it cannot be scored

	Asked []Record // if there are any, the rest is empty; see Options.Client
}

// Run plays all games that are not in the log yet and returns what all of them
// show; of a part nil.
func (t *Tournament) Run(ctx context.Context, o Options) (*Report, error) {
	r := run{t: t, o: o, records: make([]Record, t.Games()), test: t.schedule.sequential()}
	var agents []string
	for e := range t.schedule.entrants() {
		agents = append(agents, t.schedule.name(e))
	}
	var err error
	if r.o.Workers, err = ledger.Workers(o.Workers, agents); err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	var asked []Record
	if !r.test.take(r.records) {
		if asked = r.asked(); len(asked) == 0 {
			err = r.playAll(ctx)
		}
	}
	if r.log != nil {
		err = errors.Join(err, r.log.Sync(), r.log.Close())
	}
	if err == nil && len(asked) > 0 {
		return &Report{Asked: asked}, nil
	}
	if err != nil || o.Part != nil {
		return nil, err
	}
	return t.report(r.records, o.Program)
}

type run struct {
	t       *Tournament
	o       Options
	log     *disk.Log
	todo    []int // the games that were not in the log
	next    atomic.Int64
	resumed int               // games that were
	taken   []json.RawMessage // games for the log that were played elsewhere

	mu      sync.Mutex  // guards what follows, and the log
	records []Record    // by game; without Agents: not played yet, or it cannot be scored
	done    int         // games by now
	void    int         // games that cannot be scored, of this run
	voided  error       // why the last of them cannot
	test    *sequential // nil without one
	synced  time.Time
}

// open reads the log and finds out which games are missing.
func (r *run) open() (err error) {
	first, last, err := r.o.Part.Span(len(r.records), "games")
	if err != nil {
		return fmt.Errorf("tournament: %w", err)
	}
	h, err := ledger.NewHeader(logFormat, r.o.Program, r.t.game.Spec(), r.t.config)
	if err == nil && r.o.Log != "" {
		r.log, err = disk.OpenLog(disk.OS, r.o.Log, disk.LogOptions{Header: h, Accept: h.Accept, Take: r.takeOver})
	}
	for _, path := range r.o.Take {
		if err == nil {
			err = h.Take(path, r.takeNew)
		}
	}
	if err == nil && r.t.clients && r.o.Client != nil {
		err = r.takeClient()
	}
	if err == nil && r.log != nil {
		err = keep(r.log, r.taken)
	}
	if err != nil {
		return err
	}
	r.done = r.resumed
	for i := first; i <= last; i++ {
		if r.records[i].Agents == nil {
			r.todo = append(r.todo, i)
		}
	}
	return nil
}

// playAll plays the missing games and keeps them.
func (r *run) playAll(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	r.progress()
	var workers sync.WaitGroup
	for range min(r.o.Workers, len(r.todo)) {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	err := context.Cause(ctx)
	switch {
	case err == nil && 10*r.void > len(r.todo):
		return fmt.Errorf("%d of %d games: %w", r.void, len(r.todo), r.voided)
	case errors.Is(err, errDecided), r.done+r.void == r.resumed+len(r.todo) && errors.Is(err, parent.Err()):
		return nil
	case parent.Err() != nil && errors.Is(err, parent.Err()):
		return fmt.Errorf("%w after %d of %d games", ledger.ErrStopped, r.done, r.t.Games())
	}
	return err
}

func (r *run) progress() {
	if r.o.Progress != nil {
		r.o.Progress(Progress{ledger.Progress{Done: r.done, Total: r.t.Games(), Resumed: r.resumed}, r.test.result()})
	}
}
