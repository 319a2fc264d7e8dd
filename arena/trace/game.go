package trace

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"pommego/env/record"
)

// Formats are the known forms of records.
type Formats []record.Format

// Of is the format of a record. The error lists the known formats.
func (f Formats) Of(line []byte) (*record.Format, error) {
	name, err := FormatOf(line)
	if err != nil {
		return nil, err
	}
	var known []string
	for i := range f {
		if f[i].Name == name {
			return &f[i], nil
		}
		known = append(known, f[i].Name)
	}
	return nil, fmt.Errorf("%w: %q, want one of %s", ErrFormat, name, strings.Join(known, ", "))
}

// Reopen opens a record so that it can be shown.
func (f Formats) Reopen(line []byte) (record.Replay, error) {
	format, err := f.Of(line)
	if err != nil {
		return nil, err
	}
	if format.Open == nil {
		return nil, fmt.Errorf("records of format %q can be checked, not shown", format.Name)
	}
	return format.Open(line)
}

// ErrNoGame says that there is no stored game with a number.
var ErrNoGame = errors.New("no such game")

// Next opens the next game of a file. At its end the error is io.EOF.
func (f Formats) Next(r *Reader) (record.Replay, error) {
	line, err := r.Next()
	if err != nil {
		return nil, err
	}
	replay, err := f.Reopen(line)
	if err != nil {
		return nil, r.fail(r.line, err)
	}
	return replay, nil
}

// Open opens the game on a line of a file. Lines count from 1. The error is ErrNoGame if the file has fewer.
func (f Formats) Open(path string, game int) (record.Replay, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for n := 1; n < game && r.done == nil; n++ {
		r.Next()
	}
	replay, err := f.Next(r)
	if err == io.EOF {
		err = r.fail(0, fmt.Errorf("%w in the file: it has %d games, want game %d", ErrNoGame, r.Line(), game))
	}
	return replay, err
}
