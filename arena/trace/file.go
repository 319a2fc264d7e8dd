package trace

import (
	"bufio"
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

// maxLine is the longest line that is read. A record of a long game with every observation is some megabytes.
const maxLine = 64 << 20

// Reader reads a file of recorded games line by line.
type Reader struct {
	name  string
	lines *bufio.Reader
	close func() error
	line  int    // the line last read, from 1
	buf   []byte // a line that did not fit into the reader's buffer
	max   int    // maxLine, smaller in tests
	done  error  // what every further Next returns
}

// Open opens a file, plain or compressed, or a folder with one of the original's recordings.
func Open(path string) (*Reader, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return openFolder(path)
	}
	f, err := os.Open(path)
	return opened(path, f, err)
}

// opened reads a file that has been opened, unless that failed. It closes the file.
func opened(path string, f io.ReadCloser, err error) (*Reader, error) {
	if err != nil {
		return nil, err // the error names the file
	}
	r, err := NewReader(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

// NewReader reads from src, whose name is used in errors. It recognises compressed
// data by the first bytes. If the name ends in .gz, other data is an error.
func NewReader(name string, src io.Reader) (*Reader, error) {
	r := &Reader{name: name, max: maxLine, close: func() error { return nil }}
	in := bufio.NewReaderSize(src, 1<<16)
	magic, err := in.Peek(2)
	switch {
	case len(magic) == 0 && err == io.EOF:
		return nil, r.fail(0, ErrEmpty)
	case err != nil && err != io.EOF:
		return nil, r.fail(0, err)
	case bytes.Equal(magic, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return nil, r.fail(0, damage(err))
		}
		r.lines = bufio.NewReaderSize(unzip, 1<<16)
	case strings.HasSuffix(name, ".gz"):
		return nil, r.fail(0, errors.New("not compressed with gzip, though its name ends in .gz"))
	default:
		r.lines = in
	}
	switch begin, _ := r.lines.Peek(1 << 16); {
	case bytes.HasPrefix(begin, []byte("<")):
		return nil, r.fail(0, errors.New("this is a web page: open it in a browser, and name the file that it was made from"))
	case !recorded(begin) && original.Match(begin):
		return r, r.readOriginals()
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Line is the number of the line that Next last returned, from 1.
func (r *Reader) Line() int { return r.line }

// Next returns the next line without its line feed. The bytes are valid until
// the following call. At the end it returns io.EOF, in a damaged file an
// *Error. All later calls return the same error.
func (r *Reader) Next() (line []byte, err error) {
	if r.done != nil {
		return nil, r.done
	}
	defer func() { r.done = err }()
	line, err = r.readLine()
	switch {
	case err == io.EOF && len(line) == 0 && r.line == 0:
		return nil, r.fail(0, ErrEmpty)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, r.fail(r.line+1, damage(err))
	case err == io.EOF && !json.Valid(line):
		return nil, r.fail(r.line+1, fmt.Errorf("%w: the last line ends inside its record", ErrTruncated))
	}
	r.line++
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, r.fail(r.line, ErrBlank)
	}
	return line, nil
}

// Other returns what a file holds that has no recorded games, else nil. Call it before Next.
func (r *Reader) Other() ([]byte, error) {
	if begin, _ := r.lines.Peek(1 << 16); recorded(begin) {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(r.lines, maxLine+1))
	if len(text) > maxLine {
		err = r.fail(0, fmt.Errorf("longer than %d bytes, and no recorded games", maxLine))
	}
	return text, err
}

// recorded reports whether a file that begins so holds recorded games.
func recorded(begin []byte) bool {
	line, _, _ := bytes.Cut(begin, []byte{'\n'})
	_, err := FormatOf(line)
	return err == nil
}

// readLine reads up to the next line feed, which it leaves out. With io.EOF it
// returns the bytes after the last line feed.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if len(r.buf)+len(part) > r.max {
			return nil, ErrLong
		}
		if err == nil && len(r.buf) == 0 {
			return part[:len(part)-1], nil
		}
		r.buf = append(r.buf, part...)
		switch err {
		case nil:
			return r.buf[:len(r.buf)-1], nil
		case bufio.ErrBufferFull:
		default:
			return r.buf, err
		}
	}
}

func (r *Reader) fail(line int, err error) error { return &Error{r.name, line, err} }

// damage describes an error from reading the data as damage of the file.
func damage(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return fmt.Errorf("%w: its data ends early", ErrTruncated)
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
		return fmt.Errorf("its compressed data is damaged: %w", err)
	}
	return err
}

// Write writes a new file of recorded games, each a JSON object. The file appears whole or not at all, but for an empty
// file if the process is killed meanwhile. It is compressed if its name ends in .gz. It is an error if a file has this
// name: that one stays.
func Write(path string, records ...[]byte) error {
	return disk.WriteNew(disk.OS, path, func(out io.Writer) (err error) {
		if strings.HasSuffix(path, ".gz") {
			zip := gzip.NewWriter(out)
			defer func() { err = cmp.Or(err, zip.Close()) }()
			out = zip
		}
		for _, record := range records {
			if bytes.IndexByte(record, '\n') >= 0 || !json.Valid(record) || record[0] != '{' || len(record) >= maxLine {
				return fmt.Errorf("%s: a record must be one JSON object on one line, of less than %d bytes", path, maxLine)
			}
			if _, err := fmt.Fprintf(out, "%s\n", record); err != nil {
				return err
			}
		}
		return nil
	})
}

// Writable returns an error if a file cannot be written. Call it before long work.
func Writable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &Error{path, 0, errors.New("is no regular file")}
	}
	begun, err := disk.Begin(disk.OS, path, filepath.Dir(path))
	if err == nil {
		begun.Abort()
	}
	return err
}
