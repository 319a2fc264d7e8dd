package trace

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pommego/env/record"
)

// Reopen makes a record.Replay of a record.
type Reopen func(line []byte) (record.Replay, error)

// Replays are the ways to show a record by the name of its format.
type Replays map[string]Reopen

// ErrNoGame says that a file has fewer games than were asked for.
var ErrNoGame = errors.New("no such game in the file")

// Open opens the game that stands on a line of a file. Lines count from 1.
func (p Replays) Open(path string, game int) (record.Replay, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var line []byte
	for range game {
		if line, err = r.Next(); err == io.EOF {
			return nil, &Error{path, 0, fmt.Errorf("%w: it holds %d, not %d", ErrNoGame, r.Line(), game)}
		}
		if err != nil {
			return nil, err
		}
	}
	format, err := Format(line)
	if err != nil {
		return nil, r.fail(game, err)
	}
	reopen := p[format]
	if reopen == nil {
		known := strings.Join(slices.Sorted(maps.Keys(p)), ", ")
		return nil, r.fail(game, fmt.Errorf("%w: %q cannot be shown, want one of %s", ErrFormat, format, known))
	}
	replay, err := reopen(line)
	if err != nil {
		return nil, r.fail(game, err)
	}
	return replay, nil
}
