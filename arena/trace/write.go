package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pommego/internal/disk"
)

// Writer writes a file of recorded games. What it writes stands in a temporary
// file beside the target until Close puts it in its place, so that the target
// never holds half a file.
type Writer struct {
	path   string
	whole  *disk.Pending
	out    io.Writer    // whole, or the compressor before it
	zip    *gzip.Writer // nil for a plain file
	closed bool
	err    error // the first failure; nothing is written after it
}

// Create begins a file. It is compressed if its name ends in .gz. A file that exists
// under the name is replaced when the Writer is closed.
func Create(path string) (*Writer, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &Error{path, 0, errors.New("is no regular file")}
	}
	whole, err := disk.Begin(disk.OS, path, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, whole: whole, out: whole}
	if strings.HasSuffix(path, ".gz") {
		w.zip = gzip.NewWriter(w.out)
		w.out = w.zip
	}
	return w, nil
}

// Write writes one record, a JSON object on one line, and its line feed.
func (w *Writer) Write(record []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case bytes.IndexByte(record, '\n') >= 0 || !json.Valid(record) || record[0] != '{':
		return fmt.Errorf("%s: a record must be one JSON object on one line", w.path)
	case len(record) >= maxLine:
		return fmt.Errorf("%s: a record of %d bytes: %w", w.path, len(record), ErrLong)
	}
	if _, w.err = w.out.Write(record); w.err == nil {
		_, w.err = w.out.Write([]byte{'\n'})
	}
	return w.err
}

// Close ends the file and puts it in its place. If anything failed before,
// what was there under the name stays.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.zip != nil && w.err == nil {
		w.err = w.zip.Close()
	}
	if w.err == nil {
		w.err = w.whole.Commit()
	}
	w.whole.Abort() // nothing, once it is committed
	return w.err
}

// Abort discards the file: what was there under the name stays. After Close it
// does nothing.
func (w *Writer) Abort() {
	if !w.closed && w.err == nil {
		w.err = errors.New("the recording was aborted")
	}
	w.Close()
}
