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
	widest := 0
	for _, line := range lines {
		widest = max(widest, width(line))
	}
	if widest <= cols && len(lines) < rows {
		return picture
	}
	notice := fmt.Appendf(nil, "(cut: needs %dx%d, has %dx%d)", widest, len(lines)+1, cols, rows)
	lines = append(lines[:min(len(lines), rows-2)], notice)
	var out []byte
	for _, line := range lines {
		out = append(appendCut(out, line, cols), '\n')
	}
	return out
}

// width is how many columns a line takes.
func width(line []byte) int {
	n := 0
	for len(line) > 0 {
		size, visible := next(line)
		if line = line[size:]; visible {
			n++
		}
	}
	return n
}

// appendCut adds the first columns of a line, and all of its escape sequences, so
// that colours end.
func appendCut(dst, line []byte, cols int) []byte {
	for len(line) > 0 {
		size, visible := next(line)
		if !visible || cols > 0 {
			dst = append(dst, line[:size]...)
		}
		if line = line[size:]; visible {
			cols--
		}
	}
	return dst
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
