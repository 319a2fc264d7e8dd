package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	whole  *disk.Pending // nil for a file that is written to directly
	direct *os.File      // else
	out    io.Writer
	zip    *gzip.Writer // nil for a plain file
	closed bool
	err    error // the first failure; nothing is written after it
}

// Create begins a file. It is compressed if its name ends in .gz. What exists
// under the name is replaced when the Writer is closed; something that is not
// a regular file, such as a pipe, is written to directly.
func Create(path string) (*Writer, error) {
	w := &Writer{path: path}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, &Error{path, 0, errors.New("is a folder, want a file")}
	case err == nil && !info.Mode().IsRegular():
		w.direct, err = os.OpenFile(path, os.O_WRONLY, 0)
		w.out = w.direct
	case err == nil || errors.Is(err, fs.ErrNotExist):
		w.whole, err = disk.Begin(disk.OS, path, filepath.Dir(path))
		w.out = w.whole
	}
	if err != nil {
		return nil, err
	}
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
	switch {
	case w.whole == nil:
		w.err = errors.Join(w.err, w.direct.Close())
	case w.err == nil:
		w.err = w.whole.Commit()
	}
	if w.whole != nil {
		w.whole.Abort() // nothing, once it is committed
	}
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
