// Package ledger is games that are played for some work, a tournament or a data set, and kept in a
// log as they are finished: a run goes on where another ended, and several machines share the games.
package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/ruleset"
)

// Why work is not done, or not continued.
var (
	ErrStopped = errors.New("stopped") // the context ended; what is finished is kept
	ErrOther   = errors.New("it cannot be continued with these settings")
	ErrProgram = errors.New("another build of the program, whose agents may play differently, began it")
)

// Header is a log's first line: all that the work depends on.
type Header[C Config[C]] struct {
	Format  string          `json:"format"`
	Program string          `json:"program"` // the build, since a changed agent plays other games
	Env     string          `json:"env"`
	Version int             `json:"version"` // of the game
	Seeds   int             `json:"seed_version"`
	Rules   json.RawMessage `json:"rules"`
	Config  C               `json:"config"`
}

// Config is the configuration of work. Base is the same but for how much work there is, as there
// can be more later.
type Config[C any] interface{ Base() C }

// NewHeader makes the header of work in a game.
func NewHeader[C Config[C]](format, program string, spec *env.Spec, c C) (*Header[C], error) {
	rules, err := json.Marshal(spec.Rules)
	return &Header[C]{format, program, spec.ID, spec.Version, env.SeedVersion, rules, c}, err
}

// Accept says why work that began with another header, which is given as JSON, cannot be continued.
func (h *Header[C]) Accept(text []byte) error {
	var other Header[C]
	if json.Unmarshal(text, &other) != nil || other.Format == "" {
		return fmt.Errorf("%w: its first line is no header", ErrOther)
	}
	if err := h.Differs(&other); err != nil {
		return err
	}
	if h.Program != other.Program {
		return fmt.Errorf("%w: %q, this one is %q", ErrProgram, other.Program, h.Program)
	}
	return nil
}

// Differs says in what other work differs, besides its program and how much there is of it.
func (h *Header[C]) Differs(other *Header[C]) error {
	parts := func(h *Header[C]) [3]any {
		head, config := *h, h.Config.Base()
		head.Program, head.Rules, head.Config = "", nil, *new(C)
		return [3]any{head, config, h.Rules}
	}
	mine := parts(h)
	for i, theirs := range parts(other) {
		was, err := json.Marshal(theirs)
		is, also := json.Marshal(mine[i])
		if err = cmp.Or(err, also); err != nil {
			return err
		}
		if d := ruleset.Difference(was, is); d != "" {
			return fmt.Errorf("%w: %s", ErrOther, d)
		}
	}
	return nil
}

// Part is some of the games, by the numbers of the first and the last.
type Part struct{ First, Last int }

// Span is the first and the last game of a part of n games; nil is all of them.
func (p *Part) Span(n int) (first, last int, err error) {
	switch {
	case p == nil:
		return 0, n - 1, nil
	case p.First < 0 || p.Last < p.First || p.Last >= n:
		return 0, 0, fmt.Errorf("the part has games %d to %d, want some of the %d, from 0 to %d", p.First, p.Last, n, n-1)
	}
	return p.First, p.Last, nil
}

// Progress says how many games there are.
type Progress struct {
	Done    int // finished, those of earlier runs included
	Total   int
	Resumed int // by earlier runs
}

// Workers is how many games are played at a time: as many as are asked for, or with 0 one a core.
// With an agent at a URL it is one, as a server plays one game at a time.
func Workers(asked int, agents []string) (int, error) {
	switch {
	case asked < 0:
		return 0, fmt.Errorf("%d workers, want 0 (one a core) or more", asked)
	case slices.ContainsFunc(agents, match.AtURL):
		return 1, nil
	case asked == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return asked, nil
}
