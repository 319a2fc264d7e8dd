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

// Write writes a new file of recorded games, each a JSON object. The file appears whole or not at all. It is
// compressed if its name ends in .gz. It is an error if a file has this name: that one stays.
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
