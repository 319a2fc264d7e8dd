package bridge

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
)

// entries is a map to send: name, value, name, value, in this order.
type entries []any

// reply is an answer: a message, and the batch whose memory the message is, if it has one.
type reply struct {
	msg   []byte
	batch *batchMessage
	held  int64 // bytes of the memory budget that it holds until it is sent
}

func message(kind string, id uint64, about ...any) (reply, error) {
	return reply{msg: encode(append(entries{"type", kind, "id", id}, about...))}, nil
}

// encode returns a message. Replies to steps are written without it, as it allocates.
func encode(message entries) []byte {
	var buf bytes.Buffer
	out := msgpack.NewEncoder(&buf)
	out.UseCompactInts(true)
	out.SetSortMapKeys(true)
	if err := out.Encode(message); err != nil {
		panic(err) // numbers and texts always encode
	}
	return buf.Bytes()
}

func (e entries) EncodeMsgpack(out *msgpack.Encoder) error {
	if err := out.EncodeMapLen(len(e) / 2); err != nil {
		return err
	}
	return out.EncodeMulti(e...)
}

// encodeError returns an error reply. Without hasID its id is nil.
func encodeError(e *wireError, id uint64, hasID bool) []byte {
	valid := func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") } // they may quote the client
	message := entries{"type", "error", "id", nil, "code", string(e.Code), "message", valid(e.Message), "hint",
		valid(e.Hint)}
	if hasID {
		message[3] = id
	}
	if e.Field != "" {
		message = append(message, "field", valid(e.Field))
	}
	return encode(append(message, e.Details...))
}

// Tensors' data begin at a multiple of align bytes from the start of their message.
const align = 64

// The headers below are written by hand, because they lie between the tensors of a batch or behind them. For a
// given name and number of dimensions, each has a fixed size, so that what comes after it never moves.

func appendKey(dst []byte, name string) []byte {
	if len(name) < 32 {
		dst = append(dst, msgpcode.FixedStrLow|byte(len(name)))
	} else {
		dst = append(dst, msgpcode.Str8, byte(len(name)))
	}
	return append(dst, name...)
}

func appendMapHeader(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint16(append(dst, msgpcode.Map16), uint16(n))
}

func appendArrayHeader(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, msgpcode.Array32), uint32(n))
}

func appendUint32(dst []byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, msgpcode.Uint32), n)
}

func appendUint64(dst []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, msgpcode.Uint64), n)
}

// envBytes is how long the last entry of appendHead is; the id comes before it.
const envBytes = 1 + len("env") + 5

// appendHead begins a reply about an environment, with the number of its entries.
func appendHead(dst []byte, entries int, kind string, id uint64, handle uint32) []byte {
	dst = append(dst, msgpcode.FixedMapLow|byte(entries))
	dst = appendKey(appendKey(dst, "type"), kind)
	dst = appendUint64(appendKey(dst, "id"), id)
	return appendUint32(appendKey(dst, "env"), handle)
}

// tensorHeaderSize is how many bytes appendTensorHeader writes with an empty pad.
func tensorHeaderSize(dtype env.DType, dims int) int {
	const array, shape, pad, data = 1, 1, 3, 5
	return array + 1 + len(dtype) + shape + 5*dims + pad + data
}

// appendTensorHeader appends all of a tensor but its data of size bytes. It makes the
// pad so long that dst ends up with end bytes.
func appendTensorHeader(dst []byte, end int, dtype env.DType, shape []int, size int) []byte {
	dst = append(dst, msgpcode.FixedArrayLow|4)
	dst = appendKey(dst, string(dtype))
	dst = append(dst, msgpcode.FixedArrayLow|byte(len(shape)))
	for _, n := range shape {
		dst = appendUint32(dst, uint32(n))
	}
	pad := end - len(dst) - 3 - 5
	if pad < 0 {
		panic("bridge: no room for a tensor's header")
	}
	dst = binary.BigEndian.AppendUint16(append(dst, msgpcode.Bin16), uint16(pad))
	for range pad {
		dst = append(dst, 0)
	}
	return binary.BigEndian.AppendUint32(append(dst, msgpcode.Bin32), uint32(size))
}

// appendAligned appends a tensor's header so that its data will be aligned.
func appendAligned(dst []byte, dtype env.DType, shape []int, size int) []byte {
	return appendTensorHeader(dst, roundUp(len(dst)+tensorHeaderSize(dtype, len(shape)), align), dtype, shape, size)
}
