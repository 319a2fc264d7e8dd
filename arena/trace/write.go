package trace

import (
	"bytes"
	"cmp"
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
	path  string
	whole *disk.Pending
	out   io.Writer    // whole, or the compressor before it
	zip   *gzip.Writer // nil for a plain file
	err   error        // the first failure; the file is not kept after it
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
	if bytes.IndexByte(record, '\n') >= 0 || !json.Valid(record) || record[0] != '{' || len(record) >= maxLine {
		return fmt.Errorf("%s: a record must be one JSON object on one line, of less than %d bytes", w.path, maxLine)
	}
	_, err := w.out.Write(append(record, '\n'))
	w.err = cmp.Or(w.err, err)
	return w.err
}

// Close ends the file and puts it in its place. If anything failed before,
// what was there under the name stays.
func (w *Writer) Close() error {
	defer w.Abort()
	if w.err == nil && w.zip != nil {
		w.err = w.zip.Close()
	}
	if w.err == nil {
		w.err = w.whole.Commit()
	}
	return w.err
}

// Abort discards the file: what was there under the name stays. After Close it
// does nothing.
func (w *Writer) Abort() { w.whole.Abort() }
