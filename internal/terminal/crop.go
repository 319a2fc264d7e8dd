// Package terminal fits pictures to the size of a terminal.
package terminal

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Crop cuts a picture of lines, whose colours are escape sequences that end in m,
// down to a terminal of the given size, and leaves the last row for the cursor. A
// picture that was cut says so in its last line. A size of 0 is not known: then
// nothing is cut.
func Crop(picture []byte, cols, rows int) []byte {
	if cols <= 0 || rows <= 1 {
		return picture
	}
	lines := bytes.Split(bytes.TrimRight(picture, "\n"), []byte("\n"))
	widest, height := 0, len(lines)+1
	for i, line := range lines {
		kept, width := cut(line, cols)
		lines[i], widest = kept, max(widest, width)
	}
	if widest <= cols && height <= rows {
		return picture
	}
	notice, _ := cut(fmt.Appendf(nil, "(cut: needs %dx%d, has %dx%d)", widest, height, cols, rows), cols)
	lines = append(lines[:min(len(lines), rows-2)], notice, nil)
	return bytes.Join(lines, []byte("\n"))
}

// cut is the first columns of a line, and all of its escape sequences, so that colours
// end. width is how many columns the whole line takes.
func cut(line []byte, cols int) (kept []byte, width int) {
	for len(line) > 0 {
		size, visible := next(line)
		if !visible || width < cols {
			kept = append(kept, line[:size]...)
		}
		if line = line[size:]; visible {
			width++
		}
	}
	return kept, width
}

// next is the size of the first character or escape sequence, and whether it
// takes a column.
func next(line []byte) (size int, visible bool) {
	if end := bytes.IndexByte(line, 'm'); line[0] == '\x1b' && end > 0 {
		return end + 1, false
	}
	_, size = utf8.DecodeRune(line)
	return size, true
}
