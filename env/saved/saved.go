// Package saved holds what the games have in common where they write their
// states down and read them back: as bytes, as JSON, and as recorded games show
// them.
//
// # Snapshots
//
// The readable form of a state is a struct with JSON tags, its snapshot: numbers, rows of
// numbers (agents, bombs), and the map of a board with a character for each cell. A
// [Form] has what the game says of it: the range of each number, a function that fills a
// snapshot with a state and one that makes a state of a snapshot. From these follow
// the forms in text, the checks, with errors that name field, index, column, value and
// range, and the differences between two states ([Shape.Compare]). What must hold
// between values, such as that a living agent is drawn on its cell, is a function of
// the game beside it.
//
// # Bytes
//
// The bytes of a state are packed more tightly than its rows (sets of cells as
// words, flags in one byte) and are read a million times as often, so a state
// lists its parts a second time, in the order of the bytes, in a function of a
// [Codec]. The same function writes and reads:
//
//	func (s *State) code(c *saved.Codec) {
//		saved.List(c, s.Board[:])
//		saved.Numbers(c, &s.StepCount)
//	}
//
// What is read comes from outside and may be anything: it is an error, never a panic,
// if it is wrong.
package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Header is what a saved state begins with: the version of its form and the
// rules it belongs to.
type Header struct {
	Game   string // the family, for errors
	ID     string // the environment's id, for errors
	Format uint8
	Rules  uint64 // fingerprint
}

// CheckReadable returns an error unless the head of a readable form has the format want
// and the rules' fingerprint as [Hex] writes it.
func (h *Header) CheckReadable(want, format int, rules string) error {
	switch {
	case format != want:
		return fmt.Errorf("%s: state has format %d, want %d", h.Game, format, want)
	case rules != Hex(h.Rules):
		return fmt.Errorf("%s: state %w", h.Game, h.otherRules(rules))
	}
	return nil
}

// code writes or reads the header's bytes.
func (h *Header) code(c *Codec) {
	format, rules := h.Format, h.Rules
	Numbers(c, &format)
	Numbers(c, &rules)
	switch {
	case format != h.Format:
		c.Fail("has format %d, want %d", format, h.Format)
	case rules != h.Rules:
		c.Fail("%w", h.otherRules(Hex(rules)))
	}
}

// otherRules is the error of a state with the fingerprint of other rules, without its subject.
func (h *Header) otherRules(rules string) error {
	return fmt.Errorf("belongs to other rules than %s (fingerprint %.40q, want %q)", h.ID, rules, Hex(h.Rules))
}

// Hex is a number of 64 bits as the readable forms write it.
func Hex(v uint64) string { return fmt.Sprintf("%016x", v) }

// JSON marshals a value that always does: one of numbers, booleans, strings, and lists and structs of them.
func JSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// DecodeJSON decodes one JSON value without unknown keys and with nothing after
// it.
func DecodeJSON(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more follows the JSON value, want nothing after it")
	}
	return nil
}
