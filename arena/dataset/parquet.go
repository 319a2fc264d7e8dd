package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"pommego/internal/disk"
)

// metadataKey is the key under which a file holds a copy of About.
const metadataKey = "pommego"

// pageBytes is how much of a column is compressed together.
const pageBytes = 1 << 20

type writer struct {
	pending  *disk.Pending
	sum      hash.Hash
	parquet  *parquet.GenericWriter[any]
	columns  []*parquet.ColumnWriter
	rows     int // in the file
	group    int // in the current row group
	perGroup int
}

// groupRows is how many rows make a row group in a layout. A group holds whole
// episodes, so it may have a few more. A row of Dialogues has about 3 KB of text.
var groupRows = [...]int{Games: 1000, Steps: 1 << 15, Dialogues: 1 << 12}

// newWriter begins a file. about describes its data set, as JSON.
func newWriter(p *disk.Pending, columns []Column, l Layout, about string) *writer {
	w := &writer{pending: p, sum: sha256.New(), perGroup: groupRows[l]}
	codec := &zstd.Codec{Level: zstd.SpeedDefault}
	if l == Games { // better compression makes these smaller, but not steps, of which there are many
		codec.Level = zstd.SpeedBetterCompression
	}
	w.parquet = parquet.NewGenericWriter[any](io.MultiWriter(p, w.sum), schema(columns),
		parquet.Compression(codec), parquet.PageBufferSize(pageBytes), parquet.DataPageStatistics(true),
		parquet.CreatedBy("pommego", "1", "0"), parquet.KeyValueMetadata(metadataKey, about))
	w.columns = w.parquet.ColumnWriters()
	return w
}

// write writes the rows of an episode, or of several.
func (w *writer) write(t *table) error {
	for i, c := range w.columns {
		if _, err := c.WriteRowValues(t.values[i]); err != nil {
			return err
		}
	}
	w.rows += t.rows()
	if w.group += t.rows(); w.group < w.perGroup {
		return nil
	}
	w.group = 0
	return w.parquet.Flush()
}

// finish ends the file's content. The file gets its name from pending.Commit.
func (w *writer) finish() (File, error) {
	if err := w.parquet.Close(); err != nil {
		return File{}, err
	}
	return File{Rows: w.rows, Bytes: w.pending.Size(), SHA256: fmt.Sprintf("%x", w.sum.Sum(nil))}, nil
}

// reader reads one Parquet file. Any damage of the file is an error,
// even where the library panics.
type reader struct {
	path    string
	file    disk.File
	size    int64
	parquet *parquet.File
	room    []byte
}

// errDamaged says that a file differs from what was written.
var errDamaged = errors.New("the file is damaged")

// caught turns a panic of the Parquet library into an error: some damage makes it
// panic.
func caught(path string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%s: %w: reading it panicked: %v", path, errDamaged, v)
	}
}

// openFile opens a file in a folder, whose name has slashes. The file must have the given columns.
func openFile(folder, name string, columns []Column) (r *reader, err error) {
	name = filepath.FromSlash(name)
	path := filepath.Join(folder, name)
	file, err := disk.OpenIn(folder, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	defer caught(path, &err)
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if err := checkFooter(file, size); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errDamaged, err)
	}
	p, err := parquet.OpenFile(file, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errDamaged, err)
	}
	if columns != nil && !parquet.EqualNodes(p.Schema(), schema(columns)) {
		return nil, fmt.Errorf("%s: its columns are not those that the manifest lists", path)
	}
	return &reader{path: path, file: file, size: size, parquet: p}, nil
}

func (r *reader) Close() error { return r.file.Close() }

func (r *reader) groups() int { return len(r.parquet.RowGroups()) }

// read reads a row group into t, which has the file's columns. If wanted is not nil, columns
// for which it returns false stay empty.
func (r *reader) read(group int, t *table, wanted func(name string) bool) (err error) {
	defer caught(r.path, &err)
	g, left := r.parquet.RowGroups()[group], worth(r.size)
	for i, chunk := range g.ColumnChunks() {
		name, rows := t.columns[min(i, len(t.columns)-1)].Name, g.NumRows()
		if wanted != nil && !wanted(name) {
			continue
		}
		err := r.checkPages(group, i, left)
		if err == nil {
			left, err = readColumn(chunk, &t.values[i], left)
		}
		if err != nil {
			return fmt.Errorf("%s: row group %d, column %q: %w: %w", r.path, group, name, errDamaged, err)
		}
		if n := len(t.values[i]); int64(n) != rows*int64(t.per(i)) {
			return fmt.Errorf("%s: row group %d, column %q: %w: %d values for %d rows", r.path, group, name, errDamaged, n,
				rows)
		}
	}
	return nil
}

// readColumn replaces values by copies of a column's values. left is how many bytes of
// memory they may take; readColumn returns what remains of it.
func readColumn(chunk parquet.ColumnChunk, values *[]parquet.Value, left int64) (int64, error) {
	*values = (*values)[:0]
	pages := chunk.Pages()
	defer pages.Close()
	var some [256]parquet.Value
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return left, nil
		}
		if err != nil {
			return left, err
		}
		in := page.Values()
		for err == nil {
			var n int
			n, err = in.ReadValues(some[:])
			for _, v := range some[:n] {
				if left -= valueBytes(v); left < 0 {
					return left, errWorth
				}
				*values = append(*values, v.Clone())
			}
		}
		parquet.Release(page)
		if err != io.EOF {
			return left, err
		}
	}
}
