// Package trace reads, writes and checks files of recorded games, of any game.
//
// A file of recorded games is JSON Lines, plain or compressed with gzip: one JSON object per line, UTF-8, no blank
// lines. Every record names its format in the key "format", such as "pommerman-trace/1"; a file holds one format. This
// package knows nothing of what else is in a record: a [record.Format] replays it and reports what differs from what
// was recorded.
//
//	formats := trace.Formats{pommerman.Recorded}
//	report, err := formats.Verify("games.jsonl.gz", 10)
//
// # Strictness
//
// A damaged file is an error and never just fewer games: an empty file, compressed data that ends early, a last line
// that ends inside its record, a blank line, a line longer than 64 MiB, a record without a known format. The error is
// an [*Error] that names the file and the line. (A last record that is whole but lacks its line feed has lost nothing
// and is accepted. A plain file cut exactly between two records cannot be told from a whole one; a compressed one can.)
//
// # Memory
//
// Reading holds one line at a time in memory, and checking a few for each worker,
// so that files of any length can be checked.
//
// # Concurrency
//
// A [Reader] belongs to one goroutine. [Formats] is read-only and its checks are called from several goroutines at
// once; what [Formats.Verify] returns does not depend on how many.
package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"pommego/env/record"
)

// Error says what is wrong with a file, and where.
type Error struct {
	File string
	Line int // from 1; 0 if the error is not about one line
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s: line %d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The kinds of damage, for errors.Is.
var (
	ErrEmpty     = errors.New("the file is empty, want at least one record")
	ErrTruncated = errors.New("the file is cut short")
	ErrBlank     = errors.New("blank line, want one record per line")
	ErrLong      = fmt.Errorf("longer than %d bytes, want one record per line", maxLine)
	ErrFormat    = errors.New("no known format")
)

// FormatOf reads the name of a record's format. It stops at the key, which comes first in well-made records.
func FormatOf(line []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", errors.New("not a JSON object, want a record with a key \"format\"")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", fmt.Errorf("not JSON: %w", err)
		}
		if key == "format" {
			var format string
			if err := dec.Decode(&format); err != nil {
				return "", fmt.Errorf("\"format\" is not a string: %w", err)
			}
			return format, nil
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return "", fmt.Errorf("not JSON: %w", err)
		}
	}
	return "", fmt.Errorf("%w: the record has no key \"format\"", ErrFormat)
}

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
