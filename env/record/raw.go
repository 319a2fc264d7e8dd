package record

import (
	"encoding/binary"

	"pommego/env"
)

// Raw is what a seat observes in an encoding, taken apart by the names of its
// planes, maps and numbers.
func Raw(m env.Match, e *env.Encoding, encoding, seat int) map[string][]int {
	data := make([][]byte, len(e.Fields))
	for i := range data {
		data[i] = make([]byte, e.Fields[i].Size())
	}
	m.Observe(encoding, []uint8{uint8(seat)}, data)
	return Unpack(e, data)
}

// Unpack takes the observation of one seat apart. The elements of the encoding
// must be integers.
func Unpack(e *env.Encoding, data [][]byte) map[string][]int {
	all := make(map[string][]int)
	for i := range e.Fields {
		f := &e.Fields[i]
		numbers := integers(f.DType, data[i])
		each := len(numbers) / len(f.Names)
		for k, name := range f.Names {
			all[name.Name] = numbers[k*each:][:each]
		}
	}
	return all
}

func integers(t env.DType, data []byte) []int {
	numbers := make([]int, len(data)/t.Bytes())
	for i := range numbers {
		switch at := data[i*t.Bytes():]; t {
		case env.Uint8:
			numbers[i] = int(at[0])
		case env.Int16:
			numbers[i] = int(int16(binary.LittleEndian.Uint16(at)))
		case env.Int32:
			numbers[i] = int(int32(binary.LittleEndian.Uint32(at)))
		default:
			panic("record: " + string(t) + " is no integer")
		}
	}
	return numbers
}
