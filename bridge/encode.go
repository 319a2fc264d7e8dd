package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// entries is a map to be sent: name, value, name, value, in this order.
type entries []any

// asJSON is a value to be sent as the msgpack of its JSON.
type asJSON struct{ value any }

// reply is an answer: a message, and the batch that it holds, if it does.
type reply struct {
	msg   []byte
	batch *batchMessage
	held  int64 // of the memory budget, until it has been sent
}

// message is a reply that is encoded as a whole.
func message(kind string, id uint64, about ...any) (reply, error) {
	msg, err := encode(append(entries{"type", kind, "id", id}, about...))
	return reply{msg: msg}, err
}

// encode writes a message that is not on the way of every step.
func encode(message entries) ([]byte, error) {
	var buf bytes.Buffer
	err := encodeValue(msgpack.NewEncoder(&buf), message)
	return buf.Bytes(), err
}

func encodeValue(out *msgpack.Encoder, v any) error {
	switch v := v.(type) {
	case nil:
		return out.EncodeNil()
	case bool:
		return out.EncodeBool(v)
	case string:
		return out.EncodeString(v)
	case int:
		return out.EncodeInt(int64(v))
	case uint64:
		return out.EncodeUint(v)
	case []byte:
		return out.EncodeBytes(v)
	case asJSON:
		return encodeJSON(out, v.value)
	case json.Number:
		return encodeNumber(out, v)
	case map[string]any:
		list := entries{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, key, v[key])
		}
		return encodeValue(out, list)
	case []string:
		return encodeList(out, v)
	case []int:
		return encodeList(out, v)
	case []uint64:
		return encodeList(out, v)
	case []any:
		return encodeList(out, v)
	case entries:
		if err := out.EncodeMapLen(len(v) / 2); err != nil {
			return err
		}
		for _, e := range v {
			if err := encodeValue(out, e); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("bridge: cannot encode a %T", v)
}

func encodeList[E any](out *msgpack.Encoder, list []E) error {
	if err := out.EncodeArrayLen(len(list)); err != nil {
		return err
	}
	for _, e := range list {
		if err := encodeValue(out, e); err != nil {
			return err
		}
	}
	return nil
}

// encodeError writes an error reply. Without an id the reply's is nil.
func encodeError(e *wireError, id uint64, hasID bool) []byte {
	message := entries{"type", "error", "id", nil, "code", string(e.Code), "message", e.Message, "hint", e.Hint}
	if hasID {
		message[3] = id
	}
	if e.Field != "" {
		message = append(message, "field", e.Field)
	}
	if e.Versions != nil {
		message = append(message, "versions", e.Versions)
	}
	if f := e.Fault; f != nil {
		message = append(message, "game", f.Game, "seed", f.Seed, "episode", f.Episode, "state", append([]byte{}, f.State...))
	}
	msg, err := encode(message)
	if err != nil {
		panic(err) // only numbers and texts, which always encode
	}
	return msg
}
