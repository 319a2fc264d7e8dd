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
// Version 2 is written of games in which something was counted that the match itself does
// not hold, and version 3 of those whose episode began in a saved position; the others
// are of version 1. Here "bytes" are their number (4 bytes) and they themselves, and
// numbers are little-endian.
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

// Version is the version of the form, but for games of which Counted is not empty
// or Begun not 0.
const (
	Version = 1
	counted = 2
	begun   = 3
)

// State is a saved game.
type State struct {
	Ended    bool // its episode has
	Train    bool // the learner's death ends the game
	Seed     env.Seed
	Rows     []uint8 // the learners' seats
	Returns  []float64
	Names    []string // of the agents
	Memories [][]byte
	Match    []byte // as Match.Append writes it
	Counted  []byte // as env.Tracker.Append writes it
	Begun    int    // steps of the match before the episode began
}

// Form is the form of one game's states.
type Form struct {
	ID          string
	Fingerprint uint64 // tells games and rules apart
}

// Of is the form of a game's states.
func Of(s *env.Spec) Form {
	text, err := json.Marshal([]any{s.ID, s.Game, s.Version, s.Seats, s.Teams, s.MaxSteps, s.Actions, s.Rules})
	if err != nil {
		panic(err) // env.Spec is made to be marshalled
	}
	h := fnv.New64a()
	h.Write(text)
	return Form{s.ID, h.Sum64()}
}

// Append appends a state.
func (f Form) Append(dst []byte, s *State) []byte {
	start, le := len(dst), binary.LittleEndian
	version := uint8(Version)
	switch {
	case s.Begun > 0:
		version = begun
	case len(s.Counted) > 0:
		version = counted
	}
	dst = le.AppendUint64(append(dst, version), f.Fingerprint)
	dst = appendBytes(dst, []byte(f.ID))
	dst = append(dst, toByte(s.Ended), toByte(s.Train))
	dst = le.AppendUint64(le.AppendUint64(dst, s.Seed.Value), s.Seed.Episode)
	dst = appendBytes(dst, s.Rows)
	for _, r := range s.Returns {
		dst = le.AppendUint64(dst, math.Float64bits(r))
	}
	dst = append(dst, uint8(len(s.Names)))
	for k, name := range s.Names {
		dst = appendBytes(appendBytes(dst, []byte(name)), s.Memories[k])
	}
	dst = appendBytes(dst, s.Match)
	if version >= counted {
		dst = appendBytes(dst, s.Counted)
	}
	if version >= begun {
		dst = le.AppendUint32(dst, uint32(s.Begun))
	}
	return le.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
}

var errDamaged = errors.New("it is not what Save wrote, or damaged")

// Decode reads what Append wrote. The state keeps parts of it.
func (f Form) Decode(state []byte) (*State, error) {
	n := len(state) - 4
	if n < 1 || binary.LittleEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, errDamaged
	}
	r, s := reader{saved.Reader(state[:n])}, new(State)
	version := r.uint8()
	if version < Version || version > begun {
		return nil, fmt.Errorf("it has version %d, want %d to %d", version, Version, begun)
	}
	fingerprint := r.uint64()
	if id := string(r.bytes()); r.Err() == nil && fingerprint != f.Fingerprint {
		return nil, f.Other(id)
	}
	ended, train := r.uint8(), r.uint8()
	s.Ended, s.Train = ended == 1, train == 1
	s.Seed = env.Seed{Value: r.uint64(), Episode: r.uint64()}
	s.Rows = r.bytes()
	for range s.Rows {
		s.Returns = append(s.Returns, math.Float64frombits(r.uint64()))
	}
	for range r.uint8() {
		s.Names = append(s.Names, string(r.bytes()))
		s.Memories = append(s.Memories, r.bytes())
	}
	s.Match = r.bytes()
	if version >= counted {
		s.Counted = r.bytes()
	}
	if version >= begun {
		s.Begun = int(r.uint32()) // below 0 if it is too large for 32 bits
	}
	if r.Err() != nil || len(r.Bytes) > 0 || ended > 1 || train > 1 || s.Begun < 0 || s.Begun > math.MaxInt32 {
		return nil, errDamaged
	}
	return s, nil
}

// Other is the error of a state of another game or other rules.
func (f Form) Other(id string) error {
	return fmt.Errorf("it is of %q with its rules, want %q with the rules of this pool", id, f.ID)
}

type reader struct{ saved.Codec }

func (r *reader) uint8() (v uint8) {
	saved.Numbers(&r.Codec, &v)
	return v
}

func (r *reader) uint32() (v uint32) {
	saved.Numbers(&r.Codec, &v)
	return v
}

func (r *reader) uint64() (v uint64) {
	saved.Numbers(&r.Codec, &v)
	return v
}

// bytes reads a number of bytes and they themselves.
func (r *reader) bytes() []byte {
	n := r.uint32()
	if uint64(n) > uint64(len(r.Bytes)) {
		r.Fail("is cut short")
		return nil
	}
	b := r.Bytes[:n]
	r.Bytes = r.Bytes[n:]
	return b
}
