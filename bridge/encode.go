package bridge

import (
	"bytes"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
)

// entries is a map to be sent: name, value, name, value, in this order.
type entries []any

// reply is an answer: a message, and the batch that it holds, if it does.
type reply struct {
	msg   []byte
	batch *batchMessage
	held  int64 // of the memory budget, until it has been sent
}

func message(kind string, id uint64, about ...any) (reply, error) {
	msg, err := encode(append(entries{"type", kind, "id", id}, about...))
	return reply{msg: msg}, err
}

// encode writes a message that is not on the way of every step.
func encode(message entries) ([]byte, error) {
	var buf bytes.Buffer
	out := msgpack.NewEncoder(&buf)
	out.UseCompactInts(true)
	out.SetSortMapKeys(true)
	err := out.Encode(message)
	return buf.Bytes(), err
}

func (e entries) EncodeMsgpack(out *msgpack.Encoder) error {
	if err := out.EncodeMapLen(len(e) / 2); err != nil {
		return err
	}
	return out.EncodeMulti(e...)
}

// encodeError writes an error reply. Without an id the reply's is nil.
func encodeError(e *wireError, id uint64, hasID bool) []byte {
	valid := func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") } // it may quote what came
	message := entries{"type", "error", "id", nil, "code", string(e.Code), "message", valid(e.Message), "hint",
		valid(e.Hint)}
	if hasID {
		message[3] = id
	}
	if e.Field != "" {
		message = append(message, "field", valid(e.Field))
	}
	msg, err := encode(append(message, e.Details...))
	if err != nil {
		panic(err) // only numbers and texts, which always encode
	}
	return msg
}
