package disk

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// Log is a file of records that is only appended to, and that can be continued after its writer was killed.
//
// It is JSON Lines: each line is an object whose first key is a checksum of the rest of the line. The first line is a
// header, which says what the records are about. It belongs to one goroutine at a time.
type Log struct {
	path   string
	file   File
	end    int64
	broken error // the error after which nothing more is written
}

// LogOptions say what a log is for. All are required.
type LogOptions struct {
	// Header is the first line of a new log: an object with one key or more.
	Header any
	// Accept returns an error if a log with this header cannot be continued, else nil.
	// header is JSON, nil if the first line is no header.
	Accept func(header []byte) error
	// Take gets the records that the log holds, in their order.
	Take func(record []byte) error
}

// OpenLog begins a log, or continues one: it passes what the log holds to Accept and Take, and cuts off a half-written
// line that a killed writer left at the end. No other process can open the log until it is closed.
//
// A damaged line with good ones after it is an error, and nothing is changed.
func OpenLog(d FS, path string, o LogOptions) (*Log, error) {
	file, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, file: file}
	if err = file.Lock(); err == nil {
		err = l.begin(d, &o)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// begin reads what the file holds, and prepares the file for new records.
func (l *Log) begin(d FS, o *LogOptions) error {
	first, err := makeLine(o.Header)
	if err == nil {
		err = l.read(first, o)
	}
	if err == nil {
		err = l.file.Truncate(l.end)
	}
	if err == nil {
		_, err = l.file.Seek(l.end, io.SeekStart)
	}
	if err != nil || l.end > 0 {
		return err
	}
	if err := l.write(first); err != nil {
		return err
	}
	return errors.Join(l.file.Sync(), d.SyncFolder(filepath.Dir(l.path)))
}

// read reads up to the end of the good lines. first is the header of a new log: a file
// that holds no more than a part of it counts as new.
func (l *Log) read(first []byte, o *LogOptions) error {
	in := bufio.NewReaderSize(l.file, 1<<16)
	var damaged error
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		record, bad := readLine(line)
		switch {
		case number == 1 && len(line) < len(first) && bytes.HasPrefix(first, line):
			return nil
		case number == 1:
			err = o.Accept(record)
		case len(line) == 0:
			return nil
		case bad != nil:
			damaged = cmp.Or(damaged, fmt.Errorf(damagedLine, l.path, number, ErrDamaged, bad))
			continue
		case damaged != nil:
			return damaged
		default:
			err = o.Take(record)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: line %d: %w", l.path, number, err)
		}
		l.end += int64(len(line))
	}
}

// ErrDamaged says that a line of a log is not as it was written.
var ErrDamaged = errors.New("is damaged")

const damagedLine = "%s: line %d %w: %w; cut the file off before it, and it and the later lines will be done again"

// A line begins with the checksum of what follows it.
const (
	sumOpen  = `{"crc32":"`
	sumClose = `",`
	sumAt    = len(sumOpen) + 8 + len(sumClose) // where the part begins that the checksum covers
)

func makeLine(v any) ([]byte, error) {
	object, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	body := object[1:]
	return fmt.Appendf(nil, "%s%08x%s%s\n", sumOpen, crc32.ChecksumIEEE(body), sumClose, body), nil
}

func readLine(line []byte) ([]byte, error) {
	n := len(line) - 1
	switch {
	case n < 0 || line[n] != '\n':
		return nil, errors.New("it does not end with a line feed")
	case n < sumAt || string(line[:len(sumOpen)]) != sumOpen || string(line[sumAt-len(sumClose):sumAt]) != sumClose:
		return nil, errors.New("it does not begin with a checksum")
	}
	body := line[sumAt:n]
	if string(line[len(sumOpen):sumAt-len(sumClose)]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return nil, errors.New("its checksum is wrong")
	}
	return append([]byte{'{'}, body...), nil
}

// Add writes a record, an object with one key or more. After an error nothing more is written.
func (l *Log) Add(record any) error {
	line, err := makeLine(record)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	return l.write(line)
}

func (l *Log) write(line []byte) error {
	if l.broken != nil {
		return l.broken
	}
	if _, err := l.file.Write(line); err != nil {
		l.broken = fmt.Errorf("writing the log: %w", err)
		return l.broken
	}
	l.end += int64(len(line))
	return nil
}

// Sync waits until all added records are on the disk.
func (l *Log) Sync() error {
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("writing the log %s: %w", l.path, err)
	}
	return nil
}

// Close closes the log.
func (l *Log) Close() error { return l.file.Close() }

// ReadLog passes the header of a log to accept and its records to take, without changing or
// locking the log. It leaves out a last line that a writer has only half written. A damaged line is an error.
func ReadLog(path string, accept, take func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	for number, see := 1, accept; ; number, see = number+1, take {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		record, bad := readLine(line)
		switch half := err == io.EOF; {
		case bad != nil && number == 1 && (half || !bytes.HasPrefix(line, []byte(sumOpen))):
			return fmt.Errorf("%s: it is no log: %w", path, bad)
		case half:
			return nil
		case bad != nil:
			return fmt.Errorf(damagedLine, path, number, ErrDamaged, bad)
		}
		if err := see(record); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, number, err)
		}
	}
}
