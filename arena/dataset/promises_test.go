package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// TestPromises: files that promise more than they have are refused, and no memory is
// taken for what they promise.
func TestPromises(t *testing.T) {
	folder := generate(t, "OneVsOne-v0", tiny(), testOptions(1))
	path := filepath.Join(folder, dataFolder, "games-00000.parquet")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := forged(t, whole, func(*format.FileMetaData) {}, nil); !bytes.Equal(got, whole) {
		t.Fatal("a file whose footer is written anew is another")
	}
	footer := func(change func(*format.FileMetaData)) []byte { return forged(t, whole, change, nil) }
	page := func(h format.PageHeader, data []byte) []byte {
		return forged(t, whole, func(*format.FileMetaData) {}, append(marshalled(t, &h), data...))
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "at least 12 bytes, this one 0"},
		{"a footer of 4 GiB", append(bytes.Clone(whole[:len(whole)-8]), "\xff\xff\xff\xffPAR1"...),
			"its footer says that it has 4294967295 bytes"},
		{"an encrypted footer", append(bytes.Clone(whole[:len(whole)-1]), 'E'), `it ends with "PARE"`},
		{"a list of 2^31 elements", footed([]byte("\x29\xfc\xff\xff\xff\xff\x07")), "a list says that it has 2147483647"},
		{"a list of lists", footed([]byte("\x29\x19\x19\x00")), "a list has lists as elements"},
		{"a map", footed([]byte("\xfb\x00")), errUnknown.Error()},
		{"structures in one another", footed(bytes.Repeat([]byte{0x1c}, 3<<20)), "nested more than 65536 deep"},
		{"an unknown field that is longer than the footer", footed([]byte("\xf8\xff\xff\xff\xff\x07")), "EOF"},
		{"rows", footer(func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 << 40 }),
			"row group 0 says that it has 1099511627776 rows"},
		{"another codec", footer(func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.Codec = format.Gzip }),
			"row group 0 has a column that is compressed by GZIP, want ZSTD"},
		{"pages of 1 TiB", footer(func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 40
		}),
			"its pages should be 1099511627776 bytes"},
		{"a page of 2 GiB", page(format.PageHeader{Type: format.DataPageV2, CompressedPageSize: math.MaxInt32}, nil),
			"a page says that it has 2147483647 bytes, and 0 follow"},
		{"an older page", page(format.PageHeader{Type: format.DataPage}, nil),
			"a page has type DATA_PAGE, want DATA_PAGE_V2"},
		{"2^31 values", page(values(math.MaxInt32, format.Plain, nil)), errValues.Error()},
		{"a dictionary of 2^31 values", page(dictionary(math.MaxInt32, 0, nil)), errValues.Error()},
		{"a dictionary of differences", page(encoded(format.DeltaBinaryPacked, differences(1<<31))),
			"a dictionary is encoded by DELTA_BINARY_PACKED, want PLAIN"},
		{"a frame of 2 GiB", page(dictionary(1, math.MaxInt32, frame(1))), errWorth.Error()},
		{"a frame of 1 MiB", page(dictionary(1, 1<<20, frame(1))), "a page says that it has 1048576 bytes uncompressed"},
		{"2 GiB without a frame", page(dictionary(1, math.MaxInt32, nil)), errWorth.Error()},
		{"less than nothing", page(dictionary(1, -1, frame(1))), zstd.ErrDecoderSizeExceeded.Error()},
		{"a frame of 2 GiB, beside the levels of another page", page(confused(math.MaxInt32, frame(1))), errWorth.Error()},
		{"a frame of 64 GiB in its header", page(dictionary(1, 1, frame(64<<30))), zstd.ErrDecoderSizeExceeded.Error()},
		{"a second frame", page(dictionary(1, 1, append(frame(1), frame(64<<30)...))),
			zstd.ErrDecoderSizeExceeded.Error()},
		{"a frame to skip", page(dictionary(1, 1, []byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"))),
			"a page says that it has 1 bytes uncompressed, and has 0"},
		{"a frame cut off", page(dictionary(1, 1, frame(1)[:15])), "unexpected EOF"},
		{"a frame of many runs", page(dictionary(1, 1, runs(4<<10))), zstd.ErrDecoderSizeExceeded.Error()},
		{"runs of 2^31 values", page(values(1, format.RLEDictionary, run(0, 1<<31))), errValues.Error()},
		{"runs of so many that they overflow", page(values(1, format.RLEDictionary, run(0, 1<<61))), errValues.Error()},
		{"differences of 2^31 values", page(values(1, format.DeltaBinaryPacked, differences(1<<31))), errValues.Error()},
		{"levels of 2 GiB", page(levels(1, math.MaxInt32, nil)),
			"a page says that its levels have 2147483647 bytes, and 0 follow"},
		{"levels of 2^31 values", page(levels(1, 5, run(0, 1<<31)[1:])), errValues.Error()},
		{"an unknown encoding", page(values(1, format.DeltaByteArray, []byte{0})),
			"values are encoded by DELTA_BYTE_ARRAY, want PLAIN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, c.file, 0o644); err != nil {
				t.Fatal(err)
			}
			set, err := Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			before := allocated()
			err = set.Episodes(func(*Episode) error { return nil })
			if err == nil || !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if taken := allocated() - before; taken > 32<<20 {
				t.Errorf("%d bytes were allocated", taken)
			}
		})
	}
}

// TestWorth: of little that stands for much, by a dictionary, by runs or by compression, no more is
// read than a file of that size may hold.
func TestWorth(t *testing.T) {
	long := append(le.AppendUint32(nil, 1<<17), make([]byte, 1<<17)...)
	index := func(to []byte, rows int) []byte {
		h, data := dictionary(1, int32(len(to)), zipped(t, to))
		pages := append(marshalled(t, &h), data...)
		h, data = values(int32(rows), format.RLEDictionary, run(1, uint64(rows)))
		return append(append(pages, marshalled(t, &h)...), data...)
	}
	plain := func(content []byte, rows int) []byte {
		h, data := values(int32(rows), format.Plain, zipped(t, content))
		h.UncompressedPageSize, h.DataPageHeaderV2.V.IsCompressed.V = int32(len(content)), true
		return append(marshalled(t, &h), data...)
	}
	for _, c := range []struct {
		name  string
		of    Type
		rows  int
		pages []byte
	}{
		{"a long text in a dictionary", String, 3000, index(long, 3000)},
		{"a number in runs", Int32, 1 << 22, index(make([]byte, 4), 1<<22)},
		{"long texts, compressed", Bytes, 512, plain(bytes.Repeat(long, 512), 512)},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns, folder := []Column{{Name: "it", Type: c.of}}, t.TempDir()
			var file bytes.Buffer
			w := parquet.NewGenericWriter[any](&file, schema(columns), parquet.Compression(&parquet.Zstd))
			if _, err := w.ColumnWriters()[0].WriteRowValues([]parquet.Value{zero(c.of)}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			forged := forged(t, file.Bytes(), func(m *format.FileMetaData) {
				m.NumRows, m.RowGroups[0].NumRows = int64(c.rows), int64(c.rows)
				m.RowGroups[0].Columns[0].MetaData.NumValues = int64(c.rows)
			}, c.pages)
			if err := os.WriteFile(filepath.Join(folder, "file"), forged, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := openFile(folder, "file", columns)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			before := allocated()
			if err := r.read(0, newTable(columns), nil); !errors.Is(err, errWorth) {
				t.Errorf("%d bytes are read: %v, want %v", len(forged), err, errWorth)
			}
			if taken := allocated() - before; taken > uint64(8*worth(r.size)) {
				t.Errorf("%d bytes were allocated for a file of %d", taken, len(forged))
			}
		})
	}
}

func zero(of Type) parquet.Value {
	if of == Int32 {
		return parquet.Int32Value(0)
	}
	return text("")
}

// allocated is how many bytes of memory have been allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// forged is a data file with a changed footer and, if pages is not nil, with them as
// those of the first column.
func forged(t *testing.T, file []byte, change func(*format.FileMetaData), pages []byte) []byte {
	t.Helper()
	end := len(file) - 8
	begin := end - int(le.Uint32(file[end:]))
	var m format.FileMetaData
	if _, err := decodeThrift(file[begin:end], &m); err != nil {
		t.Fatal(err)
	}
	if pages != nil {
		chunk := &m.RowGroups[0].Columns[0].MetaData
		chunk.DataPageOffset, chunk.DictionaryPageOffset, chunk.TotalCompressedSize = int64(begin), 0, int64(len(pages))
	}
	change(&m)
	return append(append(bytes.Clone(file[:begin]), pages...), footed(marshalled(t, &m))[4:]...)
}

// footed is a file that is nothing but a footer.
func footed(footer []byte) []byte {
	file := append([]byte("PAR1"), footer...)
	return append(le.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

func marshalled(t *testing.T, v any) []byte {
	t.Helper()
	data, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// values is a page of n values, whose data is not compressed.
func values(n int32, e format.Encoding, data []byte) (format.PageHeader, []byte) {
	h := format.PageHeader{Type: format.DataPageV2, CompressedPageSize: int32(len(data)),
		UncompressedPageSize: int32(len(data))}
	h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: n, NumRows: n, Encoding: e,
		IsCompressed: thrift.New(false)})
	return h, data
}

// levels is a page of n values whose definition levels have a length.
func levels(n, length int32, data []byte) (format.PageHeader, []byte) {
	h, data := values(n, format.Plain, data)
	h.DataPageHeaderV2.V.DefinitionLevelsByteLength = length
	return h, data
}

// dictionary is a page of n values that have size bytes uncompressed.
func dictionary(n, size int32, data []byte) (format.PageHeader, []byte) {
	h := format.PageHeader{Type: format.DictionaryPage, CompressedPageSize: int32(len(data)), UncompressedPageSize: size}
	h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: n, Encoding: format.Plain})
	return h, data
}

// encoded is a dictionary in an encoding.
func encoded(e format.Encoding, data []byte) (format.PageHeader, []byte) {
	h, _ := dictionary(1, int32(len(data)), data)
	h.DictionaryPageHeader.V.Encoding = e
	return h, data
}

// confused is a dictionary that has a header of values, too.
func confused(size int32, data []byte) (format.PageHeader, []byte) {
	h, _ := dictionary(1, size, data)
	h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{DefinitionLevelsByteLength: size - 1})
	return h, data
}

// frame is a Zstandard frame of one byte that promises size bytes.
func frame(size uint64) []byte {
	const sizeOf8Bytes, window, lastRaw1Byte = 3 << 6, 0, 1<<3 | 1
	f := le.AppendUint64([]byte("\x28\xb5\x2f\xfd"+string([]byte{sizeOf8Bytes, window})), size)
	return append(f, lastRaw1Byte, 0, 0, 7)
}

// run is n indices of a width.
func run(width byte, n uint64) []byte {
	return append(binary.AppendUvarint([]byte{width}, n<<1), make([]byte, (width+7)/8)...)
}

// differences is n numbers encoded by their differences, without these.
func differences(n uint64) []byte {
	data := binary.AppendUvarint(nil, 128)
	data = binary.AppendUvarint(data, 4)
	return append(binary.AppendUvarint(data, n), 0)
}

// runs is a Zstandard frame that does not say its size, of n blocks of 128 KiB in four bytes each.
func runs(n int) []byte {
	const window, repeated = 7 << 3, 128<<10<<3 | 1<<1
	f := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window}
	for i := range n {
		block := repeated
		if i == n-1 {
			block |= 1
		}
		f = append(f, byte(block), byte(block>>8), byte(block>>16), 7)
	}
	return f
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	data, err := parquet.Zstd.Encode(nil, content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
