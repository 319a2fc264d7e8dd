package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
)

// Options are settings that do not change the content of a data set. The zero value uses all cores.
type Options struct {
	// Version is the program's version, which the manifest names. Build tells builds apart: a data set that another build
	// began is refused, since its agents may have played differently.
	Version string
	Build   string

	// Progress, if not nil, is called at the start and after each game, by one goroutine at a time.
	Progress func(ledger.Progress)

	Disk disk.FS // nil: disk.OS

	// Part, unless nil, lists the games to play; other runs play the others. The data set
	// stays unfinished in its folder until another call takes the games.
	Part *ledger.Part
	// Take lists folders with parts, whose games are copied and not played again.
	Take []string
}

// Work is how much a run has done.
type Work struct {
	Games, Steps int // played in this run
	Wall         time.Duration
	Errors       map[string]string // by the names of agents, the last error of each in this run
}

// Generate makes a data set in a folder, or continues one that was interrupted
// there. It leaves a finished one of the same configuration as it is. For a part the manifest is nil.
func Generate(ctx context.Context, game env.Game, c Config, folder string, o Options) (*Manifest, Work, error) {
	begun := time.Now()
	p, err := newPlan(game, c, o)
	if err == nil && c.Seating == ByClient {
		err = fmt.Errorf("dataset: agents %q: Generate plays no agents that a client serves, use Record for them", c.Agents)
	}
	if err != nil {
		return nil, Work{}, err
	}
	g := &generation{plan: p, options: o, files: map[int]*summary{}}
	if g.First, g.Last, err = o.Part.Span(c.Games); err != nil {
		return nil, Work{}, fmt.Errorf("dataset: %w", err)
	}
	w, m, err := openStaging(p, folder, o)
	if err == nil && m != nil && o.Part != nil {
		err = fmt.Errorf("%s: %w: it holds the finished data set", folder, ErrNotEmpty)
	}
	if err == nil && m == nil {
		g.staging = w
		m, err = g.run(ctx)
		err = errors.Join(err, g.Close(), w.unlock())
	}
	g.work.Wall = time.Since(begun)
	return m, g.work, err
}

const logName = "log.jsonl"

// entry is a line of the log: a game that was played, or a file that is complete.
type entry struct {
	Played *Episode `json:"played,omitempty"`
	File   *summary `json:"file,omitempty"`
}

// generation is one run of Generate.
type generation struct {
	plan    *plan
	options Options
	ledger.Ledger[entry]
	staging *staging
	files   map[int]*summary // the files that the log lists, by their numbers
	work    Work
}

// run plays the games that the log lacks, and makes the data set from the log.
func (g *generation) run(ctx context.Context) (*Manifest, error) {
	g.Check, g.Kept, g.Name, g.Progress = g.check, g.kept, g.name, g.options.Progress
	var parts []string
	for _, folder := range g.options.Take {
		parts = append(parts, filepath.Join(folder, WorkFolder, logName))
	}
	log := filepath.Join(g.staging.scratch, logName)
	err := ledger.Open(&g.Ledger, g.plan.header, g.staging.disk, log, parts)
	if g.work = (Work{Errors: map[string]string{}}); err == nil {
		err = g.Play(ctx, g.plan.game, ledger.Workers(g.plan.config.Agents),
			func(ctx context.Context, players *match.Players, game int) (*entry, error) {
				c := &g.plan.config
				e, err := c.play(ctx, players, game, c.lineup(game, g.plan.spec.Seats), nil)
				return &entry{Played: e}, err
			})
	}
	if err != nil || g.options.Part != nil {
		return nil, err
	}
	for k, s := range g.files {
		if !g.plan.whole(k, s) || s.File.check(g.staging.folder) != nil {
			delete(g.files, k) // it is written again
		}
	}
	a := newAssembly(g.plan, g.staging)
	a.made, a.ended = g.files, func(s *summary) error { _, err := g.Keep(&entry{File: s}); return err }
	err = disk.ReadLog(log, func([]byte) error { return nil }, func(text []byte) error {
		var e entry
		if err := cmp.Or(ctx.Err(), json.Unmarshal(text, &e)); err != nil || e.Played == nil {
			return err
		}
		e.Played.Dealt = true
		return a.add(e.Played)
	})
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: all games are played, and some files are still to be written", ledger.ErrStopped)
	}
	if err = errors.Join(a.wait(err), g.Close()); err != nil {
		return nil, err
	}
	return a.finish()
}

// check checks a line of a log: the log of a part is untrusted input.
func (g *generation) check(e *entry) (int, error) {
	if e.Played == nil {
		return -1, nil
	}
	p, c, spec := e.Played, &g.plan.config, g.plan.spec
	if p.Game >= c.Games {
		return 0, fmt.Errorf("%w: it has game %d, and %d games are asked for", ledger.ErrOther, p.Game, c.Games)
	}
	if agents := c.lineup(p.Game, spec.Seats); p.Seed != c.seed(p.Game) || !slices.Equal(p.Agents, agents) ||
		len(p.Missed) != spec.Seats || p.Repetition != 0 {
		return 0, fmt.Errorf("game %d has seed %d, agents %q, %d seats and repetition %d, want %d, %q, %d and 0", p.Game,
			p.Seed.Value, p.Agents, len(p.Missed), p.Repetition, c.seed(p.Game).Value, agents, spec.Seats)
	}
	return p.Game, p.CheckLogged(spec)
}

func (g *generation) kept(e *entry) bool {
	if e.Played != nil {
		g.work.Games++
		g.work.Steps += e.Played.Steps
		maps.Copy(g.work.Errors, e.Played.errors)
	} else if e.File != nil {
		g.files[e.File.File.Game/g.plan.config.FileGames] = e.File
	}
	return false
}

func (g *generation) name(game int) string {
	return fmt.Sprintf("game %d (seed %d)", game, g.plan.config.seed(game).Value)
}

// play plays a game of the data set by the rules of matches, with client in the seats of a client's agents.
// Of how the game ends it keeps only the results. A replay finds the rest.
func (c *Config) play(ctx context.Context, p *match.Players, game int, agents []string,
	client *script) (*Episode, error) {
	own, err := p.Seat(slices.DeleteFunc(slices.Clone(agents), match.AtClient))
	if err != nil {
		return nil, err
	}
	players := make([]match.Player, len(agents))
	for seat, name := range agents {
		if match.AtClient(name) {
			players[seat] = client
		} else {
			players[seat], own = own[0], own[1:]
		}
	}
	e := &Episode{Played: ledger.Played{Game: game, Seed: c.seed(game), Agents: agents}, Dealt: true,
		Missed: make([]int32, len(agents)), errors: map[string]string{}}
	report, err := match.Play(ctx, p.Game, players, e.Seed, *c.rules(), func(at match.Moment) error {
		e.Add(at, c.Layout != Games)
		return nil
	})
	if err == nil && report.Void != "" {
		err = fmt.Errorf("%w: %s", match.ErrVoid, report.Void)
	}
	if err != nil {
		return nil, err
	}
	e.Results = report.Results
	for seat, s := range report.Seats {
		if e.Missed[seat] = int32(s.Late + s.Failed + s.Gone); s.LastError != "" {
			e.errors[agents[seat]] = s.LastError
		}
	}
	return e, nil
}
