// Package ledger plays the games of a tournament or a data set, and keeps finished ones in a log, with their
// moves. A run continues where another ended, and several machines can share the games. [Replay] plays a game
// that was kept again.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/ruleset"
	"pommego/env/saved"
	"pommego/internal/disk"
)

// The reasons why work is not done, or not continued.
var (
	ErrStopped = errors.New("stopped") // the context ended; finished games are kept
	ErrOther   = errors.New("it cannot be continued with these settings")
	ErrProgram = errors.New("another build of the program, whose agents may play differently, began it")
)

// Header is a log's first line: everything on which the games depend.
type Header[C Config[C]] struct {
	Format  string          `json:"format"`
	Program string          `json:"program"` // the build: a changed agent plays other games
	Env     string          `json:"env"`
	Version int             `json:"version"` // of the game
	Seeds   int             `json:"seed_version"`
	Rules   json.RawMessage `json:"rules"`
	Config  C               `json:"config"`

	Files map[string]string `json:"files,omitempty"` // the SHA-256 of the file that an agent names, by the agent
}

// Config is the configuration of some work. Base is the same configuration without the number of
// games, which may be larger in a later run.
type Config[C any] interface{ Base() C }

// NewHeader makes the header of a log.
func NewHeader[C Config[C]](format, program string, spec *env.Spec, c C) *Header[C] {
	return &Header[C]{format, program, spec.ID, spec.Version, env.SeedVersion, saved.JSON(spec.Rules), c, nil}
}

// Accept returns an error if a log that begins with another header, as JSON, cannot be continued.
func (h *Header[C]) Accept(text []byte) error {
	var other Header[C]
	if json.Unmarshal(text, &other) != nil || other.Format == "" {
		return fmt.Errorf("%w: the first line of its log is no header", ErrOther)
	}
	if err := h.Differs(&other); err != nil {
		return err
	}
	if h.Program != other.Program {
		return fmt.Errorf("%w: %q, this one is %q", ErrProgram, other.Program, h.Program)
	}
	return nil
}

// Differs says in what another header differs, apart from the program and the number of games.
func (h *Header[C]) Differs(other *Header[C]) error {
	parts := func(h *Header[C]) [3]any {
		head, config := *h, h.Config.Base()
		head.Program, head.Rules, head.Config, head.Files = "", nil, *new(C), nil
		return [3]any{head, config, h.Rules}
	}
	mine := parts(h)
	for i, theirs := range parts(other) {
		if d := ruleset.Difference(saved.JSON(theirs), saved.JSON(mine[i])); d != "" {
			return fmt.Errorf("%w: %s", ErrOther, d)
		}
	}
	for agent, is := range h.Files {
		if was := other.Files[agent]; was != "" && was != is {
			return fmt.Errorf("%w: the file of %s has changed: its SHA-256 was %.12s and is %.12s", ErrOther, agent, was, is)
		}
	}
	return nil
}

// Part is a range of games: the numbers of the first and the last.
type Part struct{ First, Last int }

// Span returns the first and the last of n games that a part has. A nil part has all.
func (p *Part) Span(n int) (first, last int, err error) {
	switch {
	case p == nil:
		return 0, n - 1, nil
	case p.First < 0 || p.Last < p.First || p.Last >= n:
		return 0, 0, fmt.Errorf("the part has games %d to %d, want some of the %d games, 0 to %d", p.First, p.Last, n, n-1)
	}
	return p.First, p.Last, nil
}

// Progress counts games.
type Progress struct {
	Done    int // finished games, with those of earlier runs
	Total   int
	Resumed int // games of earlier runs
}

// Workers is how many games are played at a time: one per core that the program may use. With an agent
// at a URL it is one, since a server plays one game at a time.
func Workers(agents []string) int {
	if slices.ContainsFunc(agents, match.AtURL) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Ledger has the games of a tournament or a data set, each a record R with a number. It plays those
// that are missing, and keeps them in a log. It keeps records that are no games, too.
type Ledger[R any] struct {
	// Check returns the number of a record's game, which is negative if it has none, or what is wrong with it.
	Check func(r *R) (game int, err error)
	// Kept is called with each record that is in the ledger, one call at a time. If it returns true,
	// there are enough games, and no more are played.
	Kept func(r *R) (enough bool)
	// Name is the name of a game in errors.
	Name func(game int) string
	// Void, unless nil, is called if a game cannot be scored: if it returns nil, the game is left out.
	Void func(why error) error
	// Progress, unless nil, is called as games First to Last are finished, one call at a time.
	Progress    func(Progress)
	First, Last int
	// LeftOut counts the games of this run that cannot be scored. Read it in Void, or after Play.
	LeftOut int

	log *disk.Log // nil: games are not kept in a file

	mu     sync.Mutex // guards what follows, and the log
	has    map[int]bool
	next   int // all games from First up to it have begun
	at     Progress
	synced time.Time
}

// Open begins the log at path, or continues it; "" is no log. It adds the records in the log, and those
// in the logs of parts, to the ledger.
func Open[C Config[C], R any](l *Ledger[R], h *Header[C], d disk.FS, path string, parts []string) (err error) {
	l.has, l.next, l.at.Total = map[int]bool{}, l.First, l.Last-l.First+1
	if path != "" {
		l.log, err = disk.OpenLog(d, path, disk.LogOptions{Header: h, Accept: h.Accept, Take: func(text []byte) error {
			r, game, err := l.read(text)
			if err == nil && l.has[game] {
				return fmt.Errorf("game %d is there twice", game)
			}
			if err == nil {
				l.take(game, r)
			}
			return err
		}})
	}
	for _, part := range parts {
		if err == nil {
			err = disk.ReadLog(part, h.Accept, func(text []byte) error {
				r, game, err := l.read(text)
				if err != nil || game < 0 || l.has[game] {
					return err
				}
				_, err = l.keep(game, r)
				return err
			})
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("there is no log of a part (a finished data set is no part): %w", err)
			}
		}
	}
	if err == nil && l.log != nil {
		err = l.log.Sync()
	}
	l.at.Resumed = l.at.Done
	return err
}

func (l *Ledger[R]) read(text []byte) (*R, int, error) {
	r := new(R)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, 0, err
	}
	game, err := l.Check(r)
	return r, game, err
}

// Has reports whether a game is in the ledger.
func (l *Ledger[R]) Has(game int) bool { return l.has[game] }

// Keep adds a record that Play has not made, to the log first. A kill loses no record, a power cut those
// of the last second.
func (l *Ledger[R]) Keep(r *R) (enough bool, err error) {
	game, err := l.Check(r)
	if err != nil {
		return false, err
	}
	return l.keep(game, r)
}

// keep is Keep for a record that needs no check.
func (l *Ledger[R]) keep(game int, r *R) (enough bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log != nil {
		if err := l.log.Add(r); err != nil {
			return false, err
		}
		if time.Since(l.synced) > time.Second {
			l.synced = time.Now()
			if err := l.log.Sync(); err != nil {
				return false, err
			}
		}
	}
	return l.take(game, r), nil
}

func (l *Ledger[R]) take(game int, r *R) (enough bool) {
	if game >= 0 {
		l.has[game] = true
	}
	if l.First <= game && game <= l.Last {
		l.at.Done++
	}
	return l.Kept(r)
}

func (l *Ledger[R]) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Progress != nil {
		l.Progress(l.at)
	}
}

// begin returns the next game to play, or a number after Last if there is none.
func (l *Ledger[R]) begin() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.next <= l.Last && l.has[l.next] {
		l.next++
	}
	l.next++
	return l.next - 1
}

// errEnough says that no more games are wanted.
var errEnough = errors.New("there are enough games")

// Play plays the games that are missing, some at a time. If ctx ends before all are played, it drops
// unfinished games and returns ErrStopped.
func (l *Ledger[R]) Play(parent context.Context, game env.Game, workers int,
	play func(ctx context.Context, players *match.Players, game int) (*R, error)) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	l.tell()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			if err := l.work(ctx, game, play); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	err := context.Cause(ctx)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case parent.Err() != nil && errors.Is(err, context.Cause(parent)):
		if l.at.Done+l.LeftOut == l.at.Total {
			return nil
		}
		return fmt.Errorf("%w after %d of %d games", ErrStopped, l.at.Done, l.at.Total)
	}
	return err
}

// work plays games until none are left or the context ends. A panic becomes an error.
func (l *Ledger[R]) work(ctx context.Context, game env.Game,
	play func(ctx context.Context, players *match.Players, game int) (*R, error)) (err error) {
	players, number := match.Players{Game: game}, 0
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: it panicked: %v\n%s", l.Name(number), v, debug.Stack())
		}
		err = errors.Join(err, players.Close())
	}()
	for number = l.begin(); number <= l.Last && ctx.Err() == nil; number = l.begin() {
		r, err := play(ctx, &players, number)
		if ctx.Err() != nil { // the result of an interrupted game is not used
			return nil
		}
		if errors.Is(err, match.ErrVoid) && l.Void != nil {
			if err = l.leaveOut(err); err == nil {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.Name(number), err)
		}
		enough, err := l.keep(number, r)
		if err != nil {
			return err
		}
		if l.tell(); enough {
			return errEnough
		}
	}
	return nil
}

func (l *Ledger[R]) leaveOut(why error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.LeftOut++
	return l.Void(why)
}

// Close closes the log. Closing twice does nothing.
func (l *Ledger[R]) Close() error {
	log := l.log
	if l.log = nil; log == nil {
		return nil
	}
	return errors.Join(log.Sync(), log.Close())
}
