// Package ledger plays the games of a tournament or a data set, and keeps finished ones in a log, with their
// moves. A run continues where another ended, and several machines can share the games. [Replay] plays a game
// that was kept again.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/ruleset"
	"pommego/env/saved"
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
