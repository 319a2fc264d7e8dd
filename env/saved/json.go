package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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

// CheckRow says what is wrong with entry i of a list of rows of numbers: each
// has so many, first the row and column of a cell on a board with so many of
// each, then values of a byte.
func CheckRow(list string, i int, row []int, length, side int) error {
	if len(row) != length {
		return fmt.Errorf("%s[%d] has %d numbers, want %d", list, i, len(row), length)
	}
	if row[0] < 0 || row[1] < 0 || row[0] >= side || row[1] >= side {
		return fmt.Errorf("%s[%d] is at row %d, column %d, want 0 to %d", list, i, row[0], row[1], side-1)
	}
	for _, v := range row[2:] {
		if v < 0 || v > 255 {
			return fmt.Errorf("%s[%d] has the value %d, want 0 to 255", list, i, v)
		}
	}
	return nil
}
