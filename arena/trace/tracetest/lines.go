// Package tracetest reads files of recorded games for tests.
package tracetest

import (
	"bytes"
	"io"
	"testing"

	"pommego/arena/trace"
)

// Lines returns all records of a file. It fails the test if the file is damaged.
func Lines(t testing.TB, path string) (lines [][]byte) {
	t.Helper()
	r, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		line, err := r.Next()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Clone(line))
	}
}
