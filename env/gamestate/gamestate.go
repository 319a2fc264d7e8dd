// Package gamestate is the form in which a game of a vector environment is saved:
// its match, and what the environment knows of it besides.
//
//	version                         1 byte
//	fingerprint of game and rules   8
//	id of the game                  bytes
//	episode has ended, learner's
//	death ends the game             1 each
//	seed, episode                   8 each
//	learners' seats                 bytes
//	their returns                   8 each
//	number of agents                1
//	  name, memory of each          bytes each
//	match                           bytes
//	what was counted, version 2, 3  bytes
//	steps of the match before the
//	episode began, version 3        4
//	CRC-32 of all before            4
//
// Version 2 is for games with counts that the match itself does not hold, version 3 for
// those whose episode began in a saved position; all others have version 1. "bytes"
// stands for their number (4 bytes) and the bytes themselves. Numbers are
// little-endian.
package gamestate

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"

	"pommego/env"
	"pommego/env/saved"
)

// Version is the version of the form of most games. A state with Counted has version
// counted, one with Begun above 0 has version begun.
const (
	Version = 1
	counted = 2
	begun   = 3
)

// State is a saved game.
type State struct {
	Ended    bool      `json:"ended"`             // its episode has ended
	Train    bool      `json:"ends_with_learner"` // the learner's death ends the game
	env.Seed           // the seed of the episode
	Rows     []int     `json:"learners"` // the learners' seats
	Returns  []float64 `json:"returns"`
	Agents   []Agent   `json:"agents"`
	Match    []byte    `json:"-"`                 // as Match.Append writes it
	Counted  []byte    `json:"counted,omitempty"` // as env.Tracker.Append writes it
	Begun    int       `json:"begun,omitempty"`   // steps of the match before the episode began
}

// Agent is an agent in a saved game.
type Agent struct {
	Name   string `json:"name"`
	Memory []byte `json:"memory"`
}

// Form is the form of one game's states.
type Form struct {
	ID          string
	Fingerprint uint64 // tells games and rules apart
}

// Of returns the form of a game's states.
func Of(s *env.Spec) Form {
	h := fnv.New64a()
	h.Write(saved.JSON([]any{s.ID, s.Game, s.Version, s.Seats, s.Teams, s.MaxSteps, s.Actions, s.Rules}))
	return Form{s.ID, h.Sum64()}
}

// Append appends a state.
func (f Form) Append(dst []byte, s *State) []byte {
	version, c := uint8(Version), saved.Writer(dst)
	switch {
	case s.Begun > 0:
		version = begun
	case len(s.Counted) > 0:
		version = counted
	}
	f.code(&c, &version)
	s.code(&c, version)
	return binary.LittleEndian.AppendUint32(c.Bytes, crc32.ChecksumIEEE(c.Bytes[len(dst):]))
}

var errDamaged = errors.New("it is not what Save wrote, or damaged")

// Decode reads what Append wrote. The returned state shares memory with the argument.
func (f Form) Decode(state []byte) (*State, error) {
	n := len(state) - 4
	if n < 1 || binary.LittleEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, errDamaged
	}
	c, s, of, version := saved.Reader(state[:n]), new(State), Form{}, uint8(0)
	of.code(&c, &version)
	switch {
	case version < Version || version > begun:
		return nil, fmt.Errorf("it has version %d, want %d to %d", version, Version, begun)
	case c.Err() == nil && of.Fingerprint != f.Fingerprint:
		return nil, f.Other(of.ID)
	}
	if s.code(&c, version); c.End() != nil {
		return nil, errDamaged
	}
	return s, nil
}

func (f *Form) code(c *saved.Codec, version *uint8) {
	saved.Numbers(c, version)
	saved.Numbers(c, &f.Fingerprint)
	saved.Bytes(c, &f.ID)
}

func (s *State) code(c *saved.Codec, version uint8) {
	flag(c, &s.Ended)
	flag(c, &s.Train)
	saved.Numbers(c, &s.Seed.Value, &s.Seed.Episode)
	rows := make([]uint8, len(s.Rows))
	saved.SetInts(rows, s.Rows)
	saved.Bytes(c, &rows)
	s.Rows = saved.Ints(rows)
	agents := uint8(len(s.Agents))
	if c.Reading() {
		s.Returns = make([]float64, len(s.Rows))
	}
	for i, r := range s.Returns {
		bits := math.Float64bits(r)
		saved.Numbers(c, &bits)
		s.Returns[i] = math.Float64frombits(bits)
	}
	saved.Numbers(c, &agents)
	if c.Reading() {
		s.Agents = make([]Agent, agents)
	}
	for k := range s.Agents {
		saved.Bytes(c, &s.Agents[k].Name)
		saved.Bytes(c, &s.Agents[k].Memory)
	}
	saved.Bytes(c, &s.Match)
	if version >= counted {
		saved.Bytes(c, &s.Counted)
	}
	if version >= begun {
		steps := int32(s.Begun)
		saved.Numbers(c, &steps)
		if s.Begun = int(steps); steps < 0 {
			c.Fail("began after %d steps, want 0 or more", steps)
		}
	}
}

// flag writes or reads a boolean, which is 0 or 1.
func flag(c *saved.Codec, b *bool) {
	var v uint8
	if *b {
		v = 1
	}
	saved.Numbers(c, &v)
	if *b = v == 1; v > 1 {
		c.Fail("has a flag %d, want 0 or 1", v)
	}
}

// ErrOther is wrapped by the error of a state of another game or other rules.
var ErrOther = errors.New("with the same rules as here")

// Other returns the error of a state of the game id, if that is another game or has other rules.
func (f Form) Other(id string) error {
	return fmt.Errorf("it was saved in a game of %q, want one of %q %w", id, f.ID, ErrOther)
}

// saveKey is the key of a state's JSON under which everything lies that is not the
// original game's own. poolKey is the key in there for the environment's part.
const (
	saveKey = "pommego"
	poolKey = "pool"
)

type object map[string]json.RawMessage

// poolPart is the environment's part of a state's JSON.
type poolPart struct {
	Version     int    `json:"version"`
	Game        string `json:"game"`
	Fingerprint string `json:"fingerprint"`
	*State
}

// EncodeJSON returns the readable form of a state. match is the match's own JSON, as
// Match.AppendJSON writes it; all else is added to it under "pommego", "pool".
func (f Form) EncodeJSON(match []byte, s *State) (json.RawMessage, error) {
	outer, inner, err := open(match)
	if err != nil {
		return nil, err
	}
	inner[poolKey], err = json.Marshal(poolPart{Version, f.ID, saved.Hex(f.Fingerprint), s})
	if err != nil {
		return nil, err
	}
	if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, err
	}
	return json.Marshal(outer)
}

// DecodeJSON reads what EncodeJSON wrote, and returns the match's own JSON and the
// state. The state is nil if text holds a match alone.
func (f Form) DecodeJSON(text []byte) (match json.RawMessage, s *State, err error) {
	match, own, err := SplitJSON(text)
	if err != nil || own == nil {
		return match, nil, err
	}
	part := poolPart{State: new(State)}
	if err := saved.DecodeJSON(own, &part); err != nil {
		return nil, nil, fmt.Errorf("pommego.pool: %w", err)
	}
	switch {
	case part.Version != Version:
		return nil, nil, fmt.Errorf("it has version %d, want %d", part.Version, Version)
	case part.Fingerprint != saved.Hex(f.Fingerprint):
		return nil, nil, f.Other(part.Game)
	case part.Begun < 0 || part.Begun > 1<<31-1:
		return nil, nil, fmt.Errorf("its episode began after %d steps, want 0 to %d", part.Begun, 1<<31-1)
	case len(part.Returns) != len(part.Rows):
		return nil, nil, fmt.Errorf("it has %d returns for %d learners, want one for each", len(part.Returns), len(part.Rows))
	}
	return match, part.State, nil
}

// SplitJSON splits a state's JSON into the match and the environment's part. part is
// nil if there is none, as in a state of the original game.
func SplitJSON(state []byte) (match, part json.RawMessage, err error) {
	outer, inner, err := open(state)
	if err != nil {
		return nil, nil, err
	}
	part, there := inner[poolKey]
	if !there {
		return state, nil, nil
	}
	delete(inner, poolKey)
	if len(inner) == 0 {
		delete(outer, saveKey)
	} else if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, nil, err
	}
	match, err = json.Marshal(outer)
	return match, part, err
}

// open decodes a state's JSON as far as it is not the game's own: outer is the whole object, inner the one under
// saveKey.
func open(state []byte) (outer, inner object, err error) {
	if err := json.Unmarshal(state, &outer); err != nil {
		return nil, nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if outer == nil {
		return nil, nil, errors.New("it is null, want a JSON object")
	}
	if own, there := outer[saveKey]; there {
		if err := json.Unmarshal(own, &inner); err != nil {
			return nil, nil, fmt.Errorf("%q in it is no JSON object: %w", saveKey, err)
		}
	}
	if inner == nil {
		inner = make(object)
	}
	return outer, inner, nil
}
