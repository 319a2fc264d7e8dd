package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The Parquet library allocates as much memory as a file says that it needs. So these
// checks compare what a file says with its bytes before the library reads it: the
// lengths of its footer, of the footer's lists and of pages, the sizes of uncompressed
// pages, and the numbers of values in them.

// maxRows is how many rows a row group may have, and how many values a page: 512 times
// groupRows, since a group holds whole episodes.
const maxRows = 1 << 24

// worth is how much memory a row group of a file of size bytes may take. Runs, dictionaries and
// compression make files small: games of agents that never move take 520 times the size of their file.
func worth(size int64) int64 { return 16<<20 + 4096*size }

var errWorth = errors.New("its values take more than 16 MiB of memory and 4096 times the file's size")

// valueBytes is how much memory a value takes.
func valueBytes(v parquet.Value) int64 {
	n := int64(unsafe.Sizeof(v))
	if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
		n += int64(len(v.ByteArray()))
	}
	return n
}

func checkFooter(file io.ReaderAt, size int64) error {
	const magic = "PAR1" // the first and the last four bytes; before the last is the footer's length
	var end [8]byte
	if size < int64(len(magic)+len(end)) {
		return fmt.Errorf("a Parquet file has at least %d bytes, this one %d", len(magic)+len(end), size)
	}
	if _, err := file.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if string(end[4:]) != magic {
		return fmt.Errorf("it ends with %q, a Parquet file with %q", end[4:], magic)
	}
	n, most := int64(le.Uint32(end[:])), size-int64(len(magic)+len(end))
	if n > most {
		return fmt.Errorf("its footer says that it has %d bytes, and the file has room for %d", n, most)
	}
	footer := make([]byte, n)
	if _, err := file.ReadAt(footer, size-int64(len(end))-n); err != nil {
		return err
	}
	var metadata format.FileMetaData
	if _, err := decodeThrift(footer, &metadata); err != nil {
		return err
	}
	for i := range metadata.RowGroups {
		if err := checkGroup(&metadata.RowGroups[i]); err != nil {
			return fmt.Errorf("row group %d %w", i, err)
		}
	}
	return nil
}

func checkGroup(g *format.RowGroup) error {
	if g.NumRows < 0 || g.NumRows > maxRows {
		return fmt.Errorf("says that it has %d rows, want at most %d", g.NumRows, maxRows)
	}
	for i := range g.Columns {
		if codec := g.Columns[i].MetaData.Codec; codec != format.Zstd {
			return fmt.Errorf("has a column that is compressed by %v, want %v", codec, format.Zstd)
		}
	}
	return nil
}

func decodeThrift(data []byte, v any) (int, error) {
	r := &checkedReader{bytesReader: (&thrift.CompactProtocol{}).NewReaderFromBytes(data), size: len(data)}
	err := thrift.NewDecoder(r).Decode(v)
	if r.refused != nil { // the decoder's error lists all that it is in, however much that is
		err = r.refused
	}
	return r.BytesRead(), err
}

// maxOpen is how many structures may be open at once: a decoder's stack grows with each nested
// structure. A footer has one for each row group.
const maxOpen = 1 << 16

// checkedReader refuses lists with more elements than there are bytes left,
// structures that are nested too deep, and types that Parquet does not use.
type checkedReader struct {
	bytesReader
	size    int
	open    int   // structures whose ends have not been read
	refused error // the first reason
}

type bytesReader = thrift.BytesReader

func (r *checkedReader) ReadField() (thrift.Field, error) {
	f, err := r.bytesReader.ReadField()
	switch {
	case err != nil:
		return f, err
	case f.Type == thrift.STRUCT:
		return f, r.opened(1)
	case f.Type == thrift.STOP:
		r.open--
	}
	return f, nil
}

func (r *checkedReader) ReadList() (thrift.List, error) {
	l, err := r.bytesReader.ReadList()
	left := r.size - r.BytesRead()
	switch {
	case err != nil:
		return l, err
	case int(l.Size) > left:
		return l, r.refuse(fmt.Errorf("a list says that it has %d elements, and %d bytes follow", l.Size, left))
	case l.Type == thrift.LIST:
		return l, r.refuse(errors.New("a list has lists as elements"))
	case l.Type == thrift.STRUCT:
		return l, r.opened(int(l.Size))
	}
	return l, nil
}

func (r *checkedReader) opened(n int) error {
	if r.open += n; r.open > maxOpen {
		return r.refuse(fmt.Errorf("structures are nested more than %d deep", maxOpen))
	}
	return nil
}

func (r *checkedReader) refuse(err error) error {
	if r.refused == nil {
		r.refused = err
	}
	return err
}

var errUnknown = errors.New("it has sets or maps, which Parquet does not use")

func (r *checkedReader) ReadSet() (thrift.Set, error) { return thrift.Set{}, r.refuse(errUnknown) }
func (r *checkedReader) ReadMap() (thrift.Map, error) { return thrift.Map{}, r.refuse(errUnknown) }

// Discard skips n bytes, for a decoder that does not know a field.
func (r *checkedReader) Discard(n int) (int, error) {
	return r.bytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}

// checkPages checks a column, which may take worth bytes uncompressed.
func (r *reader) checkPages(group, column int, worth int64) error {
	g := &r.parquet.Metadata().RowGroups[group]
	m := &g.Columns[column].MetaData
	from, size := m.DataPageOffset, m.TotalCompressedSize
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 0 || size < 0 || from > r.size-size {
		return fmt.Errorf("its pages should be %d bytes from byte %d on, and the file has %d bytes", size, from, r.size)
	}
	rest := make([]byte, size)
	if _, err := r.file.ReadAt(rest, from); err != nil {
		return err
	}
	leaf, ok := r.parquet.Schema().Lookup(m.PathInSchema...)
	if !ok {
		return fmt.Errorf("there is no column %q", m.PathInSchema)
	}
	left := g.NumRows
	if leaf.MaxRepetitionLevel > 0 {
		left *= int64(len(turn{}))
	}
	for len(rest) > 0 {
		var h format.PageHeader
		n, err := decodeThrift(rest, &h)
		if err != nil {
			return err
		}
		rest = rest[n:]
		if n = int(h.CompressedPageSize); n < 0 || n > len(rest) {
			return fmt.Errorf("a page says that it has %d bytes, and %d follow", n, len(rest))
		}
		p := page{header: &h, data: rest[:n], room: &r.room, most: min(left, maxRows), worth: worth, leaf: &leaf}
		if err := p.check(); err != nil {
			return err
		}
		worth -= max(0, int64(h.UncompressedPageSize))
		left -= p.values
		rest = rest[n:]
	}
	return nil
}

type page struct {
	header *format.PageHeader
	data   []byte  // compressed
	room   *[]byte // the buffer that it is decompressed to
	most   int64   // how many values it may have
	worth  int64   // how many bytes uncompressed
	leaf   *parquet.LeafColumn
	values int64 // set by check; 0 for a dictionary
}

var errValues = errors.New("a page says that it has more values than there are rows")

func (p *page) check() error {
	switch h := p.header; h.Type {
	case format.DictionaryPage:
		dictionary := &h.DictionaryPageHeader.V
		if int64(dictionary.NumValues) > p.most {
			return errValues
		}
		if e := dictionary.Encoding; e != format.Plain {
			return fmt.Errorf("a dictionary is encoded by %s, want %s", e, format.Plain)
		}
		_, err := p.unpack(int64(h.UncompressedPageSize))
		return err
	case format.DataPageV2:
		return p.checkData(&h.DataPageHeaderV2.V)
	default:
		return fmt.Errorf("a page has type %s, want %s or %s", h.Type, format.DataPageV2, format.DictionaryPage)
	}
}

// checkData checks a page of values: the levels, which are not compressed, and the
// number of values that its encoding gives.
func (p *page) checkData(h *format.DataPageHeaderV2) error {
	if p.values = int64(h.NumValues); p.values < 0 || p.values > p.most {
		return errValues
	}
	promised := int64(p.header.UncompressedPageSize)
	for _, levels := range []struct {
		bytes int32
		most  int
	}{{h.RepetitionLevelsByteLength, p.leaf.MaxRepetitionLevel},
		{h.DefinitionLevelsByteLength, p.leaf.MaxDefinitionLevel}} {
		if levels.bytes < 0 || int(levels.bytes) > len(p.data) {
			return fmt.Errorf("a page says that its levels have %d bytes, and %d follow", levels.bytes, len(p.data))
		}
		if err := checkRuns(p.data[:levels.bytes], bits.Len(uint(levels.most)), p.values); err != nil {
			return err
		}
		p.data = p.data[levels.bytes:]
		promised -= int64(levels.bytes)
	}
	data := p.data
	if !h.IsCompressed.Valid || h.IsCompressed.V {
		var err error
		if data, err = p.unpack(promised); err != nil {
			return err
		}
	}
	return checkValues(h.Encoding, data, p.values)
}

func checkValues(e format.Encoding, data []byte, values int64) error {
	if len(data) == 0 {
		return nil
	}
	switch e {
	case format.Plain:
		return nil
	case format.RLEDictionary: // a byte with the width of the indices comes before the runs
		return checkRuns(data[1:], int(data[0]), values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray: // the header's third number counts them
		var n uint64
		for range 3 {
			var length int
			if n, length = binary.Uvarint(data); length <= 0 {
				return io.ErrUnexpectedEOF
			}
			data = data[length:]
		}
		if n > uint64(values) {
			return errValues
		}
		return nil
	default:
		return fmt.Errorf("values are encoded by %s, want %s, %s, %s or %s",
			e, format.Plain, format.RLEDictionary, format.DeltaBinaryPacked, format.DeltaLengthByteArray)
	}
}

// checkRuns checks the number of values of width bits in runs. The last run may be
// padded to a multiple of eight values.
func checkRuns(data []byte, width int, values int64) error {
	for left := uint64(values + 7); len(data) > 0; {
		run, n := binary.Uvarint(data)
		if n <= 0 {
			return io.ErrUnexpectedEOF
		}
		count, packed := run>>1, run&1 == 1
		size := uint64(width+7) / 8
		if packed { // in groups of eight
			size = count * uint64(width)
			count *= 8
		}
		if count > left || run > 1<<32 {
			return errValues
		}
		data, left = data[n:], left-count
		if size > uint64(len(data)) {
			return io.ErrUnexpectedEOF
		}
		data = data[size:]
	}
	return nil
}

// unpacker writes no more bytes than its buffer has room for.
var unpacker, _ = zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))

// unpack decompresses a page. promised is the size that the page names.
func (p *page) unpack(promised int64) ([]byte, error) {
	if promised > p.worth {
		return nil, errWorth
	}
	room := max(0, int(promised))
	*p.room = slices.Grow((*p.room)[:0], room)
	data, err := unpacker.DecodeAll(p.data, (*p.room)[:0:room])
	if err == nil && int64(len(data)) != promised {
		err = fmt.Errorf("a page says that it has %d bytes uncompressed, and has %d", promised, len(data))
	}
	return data, err
}
