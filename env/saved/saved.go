// Package saved holds what the games have in common where they write their
// states down and read them back, as bytes and as JSON.
//
//	dst = header.Append(dst)
//	...
//	in := saved.Reader{Left: state}
//	if err := header.Read(&in); err != nil {
//		return err
//	}
//	steps := in.Uint16()
//	...
//	return in.End("tictactoe")
//
// What is read comes from outside and may be anything: whatever is wrong with it
// is an error that says so.
package saved

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"pommego/env"
)

// Header is what a saved state begins with: the version of its form and the
// rules it belongs to.
type Header struct {
	Game   string // the family, for errors
	ID     string // of the environment, for errors
	Format uint8
	Rules  uint64 // fingerprint
}

// Append appends the header's bytes.
func (h Header) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, h.Format), h.Rules)
}

// Read takes the header's bytes and says whether they are others.
func (h Header) Read(in *Reader) error {
	format, rules := in.Uint8(), in.Uint64()
	switch {
	case in.Short:
		return in.End(h.Game)
	case format != h.Format:
		return fmt.Errorf("%s: saved state has format %d, want %d", h.Game, format, h.Format)
	case rules != h.Rules:
		return fmt.Errorf("%s: saved state belongs to other rules than %s (fingerprint %016x, want %016x)", h.Game, h.ID, rules, h.Rules)
	}
	return nil
}

// Check says whether a readable form has another header: its format, and the
// rules' fingerprint as [Hex] writes it.
func (h Header) Check(format int, rules string) error {
	if format != int(h.Format) || rules != Hex(h.Rules) {
		return fmt.Errorf("%s: state has format %d and rules %.40q, want %d and %s (%s)", h.Game, format, rules, h.Format, Hex(h.Rules), h.ID)
	}
	return nil
}

// Hex is a number of 64 bits as the readable forms write it.
func Hex(v uint64) string { return fmt.Sprintf("%016x", v) }

// ParseDice reads an RNG as [Hex] writes its state.
func ParseRNG(text string) (env.RNG, error) {
	state, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return env.RNG{}, fmt.Errorf("dice are %.40q, want a hexadecimal number of 64 bits", text)
	}
	return env.RNG{State: state}, nil
}

// Reader takes saved bytes apart. Reading past the end gives zeros and is noted.
type Reader struct {
	Left  []byte // what has not been read
	Short bool   // there were too few bytes
}

// Bytes takes n bytes.
func (r *Reader) Bytes(n int) []byte {
	if len(r.Left) < n {
		r.Short = true
		return make([]byte, n)
	}
	b := r.Left[:n]
	r.Left = r.Left[n:]
	return b
}

// Uint8 takes one byte.
func (r *Reader) Uint8() uint8 { return r.Bytes(1)[0] }

// Uint16 takes two bytes, the low one first.
func (r *Reader) Uint16() uint16 { return binary.LittleEndian.Uint16(r.Bytes(2)) }

// Uint32 takes four bytes.
func (r *Reader) Uint32() uint32 { return binary.LittleEndian.Uint32(r.Bytes(4)) }

// Uint64 takes eight bytes.
func (r *Reader) Uint64() uint64 { return binary.LittleEndian.Uint64(r.Bytes(8)) }

// End says whether there were too few bytes, or some are left.
func (r *Reader) End(game string) error {
	switch {
	case r.Short:
		return fmt.Errorf("%s: saved state is cut short", game)
	case len(r.Left) > 0:
		return fmt.Errorf("%s: saved state has %d bytes too many", game, len(r.Left))
	}
	return nil
}
