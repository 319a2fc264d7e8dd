package saved

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Form is the forms of the states of one game by one set of rules.
type Form[S comparable] struct {
	Header
	Table Table[S]
	Blank S // what a state read from text begins as, for what the text leaves out
	// Invariants reports what is wrong between the columns of a state in which
	// every value is in its range.
	Invariants func(s *S) error
}

// Writer is a Codec that appends to dst and has written the header.
func (f *Form[S]) Writer(dst []byte) Codec {
	c := Writer(dst)
	f.Header.code(&c)
	return c
}

// Reader is a Codec that reads state and has read the header.
func (f *Form[S]) Reader(state []byte) Codec {
	c := Reader(state)
	f.Header.code(&c)
	return c
}

// Restore sets to from what c has read into s, if that was well and is a state
// that can be played.
func (f *Form[S]) Restore(c *Codec, s, to *S) error {
	if err := c.End(); err != nil {
		return fmt.Errorf("%s: saved state %w", f.Game, err)
	}
	was := *to
	err := f.check(s, to)
	if err != nil {
		*to = was
	}
	return f.wrap(err)
}

// Check reports what is wrong with a state from outside: whether every value is
// in its range, what the table lists is the whole of it (no agent past the last
// seat, no bomb past the end of its list), and every invariant holds.
func (f *Form[S]) Check(s *S) error {
	var again S
	return f.wrap(f.check(s, &again))
}

// check is Check; if nothing is wrong it has set again to the same state.
func (f *Form[S]) check(s, again *S) error {
	*again = f.Blank
	if err := f.Table.copyAll(s, again); err != nil {
		return err
	}
	if *again != *s {
		return errMore
	}
	return f.Invariants(s)
}

func (f *Form[S]) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: state: %w", f.Game, err)
}

var errMore = errors.New("it holds something beside what its readable form shows, such as an agent past the last seat or a bomb past the end of the list; want zeros there")

// Read is the state with the given values, if that can be played.
func (f *Form[S]) Read(values Values) (S, error) {
	s := f.Blank
	err := f.Table.Fill(&s, values)
	if err == nil {
		err = f.Invariants(&s)
	}
	return s, err
}

// headed is the entries of the readable form.
func (f *Form[S]) headed() []Entry {
	list := []Entry{{Name: "format", Shape: Number}, {Name: "rules", Shape: Text}}
	for i := range f.Table {
		list = append(list, f.Table[i].Entry)
	}
	return list
}

// AppendJSON appends the readable form of a state: an object of the format, the
// rules' fingerprint and what the table lists.
func (f *Form[S]) AppendJSON(dst []byte, s *S) ([]byte, error) {
	values := f.Table.Values(s)
	values["format"], values["rules"] = int(f.Format), Hex(f.Rules)
	text, err := json.Marshal(Object{f.headed(), values})
	return append(dst, text...), err
}

// RestoreJSON sets a state from what AppendJSON wrote.
func (f *Form[S]) RestoreJSON(text json.RawMessage, to *S) error {
	values, err := Decode(text, f.headed())
	if err != nil {
		return f.wrap(err)
	}
	if err := f.Header.Check(values["format"].(int), values["rules"].(string)); err != nil {
		return err
	}
	return f.RestoreValues(values, to)
}

// RestoreValues sets a state from its values.
func (f *Form[S]) RestoreValues(values Values, to *S) error {
	s, err := f.Read(values)
	if err == nil {
		*to = s
	}
	return f.wrap(err)
}

// Difference is the first value in which two states differ, such as
// "bombs[2].life: 3 and 4"; "" if they are equal.
func (f *Form[S]) Difference(a, b *S) string {
	first := ""
	x, y := f.Table.Values(a), f.Table.Values(b)
	for i := range f.Table {
		e := &f.Table[i].Entry
		e.Compare(x[e.Name], y[e.Name], func(path string, want, got any) {
			if first == "" {
				first = fmt.Sprintf("%s: %v and %v", path, want, got)
			}
		})
	}
	if first == "" && *a != *b {
		first = errMore.Error()
	}
	return first
}
