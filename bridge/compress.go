package bridge

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// On thin links a client can have its batches compressed. Then a reply that
// would have been a batch is "compressed" instead: the batch message as one
// zstd frame. All else stays as it is.

// packer compresses messages. It is safe for concurrent use; one is enough.
var packer = sync.OnceValue(func() *zstd.Encoder {
	// Batches change from one game to the next: nothing is gained by a long
	// memory, and much time lost by a thorough search.
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// checkCompression reads make's option.
func checkCompression(name string, shared int) error {
	switch {
	case name == "":
		return nil
	case name != "zstd":
		return fail(codeBadOption, "compression", "", "compression is %q, want zstd", name)
	case shared != 0:
		return fail(codeBadOption, "compression", "leave one of them out", "shared_memory and compression are both given; batches in shared memory do not travel")
	}
	return nil
}

// pack makes the reply that carries a message compressed, in memory that is
// used again.
func (f *frame) pack(id uint64, msg []byte) []byte {
	f.packed = appendHead(f.packed[:0], 5, "compressed", id, f.handle)
	f.packed = appendUint64(appendKey(f.packed, "bytes"), uint64(len(msg)))
	f.packed = appendBinary(appendKey(f.packed, "data"), nil)
	from := len(f.packed)
	f.packed = packer().EncodeAll(msg, f.packed)
	binary.BigEndian.PutUint32(f.packed[from-4:], uint32(len(f.packed)-from))
	return f.packed
}
