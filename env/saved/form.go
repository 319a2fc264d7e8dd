package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Form says how states S of a game by one set of rules are written: as bytes, and readably as a snapshot T.
type Form[S comparable, T any] struct {
	Header
	Readable int // the version of the readable form
	Shape
	// Code writes or reads the parts of a state in the order of its bytes.
	Code func(s *S, c *Codec)
	// Show fills a snapshot with a state, and reuses the snapshot's memory. Take makes a
	// state of a snapshot whose values are in their ranges. Neither reports errors: if Show,
	// after Take, returns another snapshot than Take got, a state cannot hold that snapshot.
	Show func(s *S, t *T)
	Take func(t *T) S
	// Invariants returns an error if values of a state, each in its range, contradict each
	// other; else nil.
	Invariants func(s *S) error

	snapshots sync.Pool // snapshots that Check uses
}

// Append appends the bytes of a state: the header, and its parts.
func (f *Form[S, T]) Append(dst []byte, s *S) []byte {
	return withCodec(Writer(dst), func(c *Codec) {
		f.Header.code(c)
		f.Code(s, c)
	})
}

// Restore sets to from what Append wrote. If that cannot be read, or not be played, it returns
// an error and leaves to as it was.
func (f *Form[S, T]) Restore(state []byte, to *S) error {
	c, s := Reader(state), new(S)
	f.Header.code(&c)
	f.Code(s, &c)
	if err := c.End(); err != nil {
		return fmt.Errorf("%s: saved state %w", f.Game, err)
	}
	if err := f.Check(s); err != nil {
		return err
	}
	*to = *s
	return nil
}

// Check returns an error unless a state from outside is sound: every value must be in
// its range, the snapshot must show the whole of it (no agent past the last seat, no
// bomb past the end of its list), and every invariant must hold.
func (f *Form[S, T]) Check(s *S) error {
	t, ok := f.snapshots.Get().(*T)
	if !ok {
		t = new(T)
	}
	defer f.snapshots.Put(t)
	f.Show(s, t)
	err := f.Shape.Check(t)
	switch {
	case err != nil:
	case f.Take(t) != *s:
		err = errMore
	default:
		err = f.Invariants(s)
	}
	return f.wrap(err)
}

func (f *Form[S, T]) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: state: %w", f.Game, err)
}

var errMore = errors.New("it holds something that its readable form does not show, " +
	"such as an agent past the last seat or a bomb past the end of the list; want zeros there")

// Read returns the state that a snapshot shows, or an error if that cannot be played.
func (f *Form[S, T]) Read(t *T) (s S, err error) {
	if err = f.Shape.Check(t); err != nil {
		return s, err
	}
	s = f.Take(t)
	f.Compare(t, f.Snapshot(&s), func(path string, given, held any) {
		if err == nil {
			err = fmt.Errorf("%s is %v, but a state could only hold %v", path, given, held)
		}
	})
	if err == nil {
		err = f.Invariants(&s)
	}
	return s, err
}

// Snapshot returns a new snapshot of a state.
func (f *Form[S, T]) Snapshot(s *S) *T {
	t := new(T)
	f.Show(s, t)
	return t
}

// Set sets a state to the one that a snapshot shows.
func (f *Form[S, T]) Set(t *T, to *S) error {
	s, err := f.Read(t)
	if err == nil {
		*to = s
	}
	return f.wrap(err)
}

// readable is what the readable form holds besides the snapshot.
type readable struct {
	Format int    `json:"format"`
	Rules  string `json:"rules"` // fingerprint
}

// AppendJSON appends the readable form of a state: an object of the format, the
// rules' fingerprint and the snapshot.
func (f *Form[S, T]) AppendJSON(dst []byte, s *S) ([]byte, error) {
	text, err := Encode(&readable{f.Readable, Hex(f.Rules)}, f.Snapshot(s))
	return append(dst, text...), err
}

// RestoreJSON sets a state from what AppendJSON wrote.
func (f *Form[S, T]) RestoreJSON(text []byte, to *S) error {
	var head readable
	if err := json.Unmarshal(text, &head); err != nil {
		return f.wrap(err)
	}
	t := new(T)
	unread := Decode(text, &head, t)
	if unread == nil || head.Rules != "" { // without rules it is not such a form at all
		if err := f.CheckReadable(f.Readable, head.Format, head.Rules); err != nil {
			return err
		}
	}
	if unread != nil {
		return f.wrap(unread)
	}
	return f.Set(t, to)
}
