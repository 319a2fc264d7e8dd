package envtest

import (
	"encoding/binary"
	"math"

	"pommego/env"
)

// checkObserveRange: an observation is written whole, lies within Low and High,
// and leaves the match as it was.
func checkObserveRange(k *kit) {
	m := k.match()
	for range k.sampled(m, 32) {
		before := m.Append(nil)
		for _, e := range k.encodings() {
			got := k.observe(m, e, k.seats(), 0x55)
			if d := k.diffViews(e, k.observe(m, e, k.seats(), 0xaa), got); d != "" {
				k.failf("observing twice into buffers that held other bytes (85, 170) gives different bytes: %s", d)
			}
			for f := range got {
				k.checkBounds(k.encoding(e), f, got[f])
			}
		}
		if d := diffBytes(m.Append(nil), before); d != "" {
			k.failf("Observe changed the match: state %s", d)
		}
	}
}

func (k *kit) checkBounds(e *env.Encoding, field int, data []byte) {
	f := &e.Fields[field]
	size := f.DType.Bytes()
	for i := 0; i < len(data); i += size {
		v := element(f.DType, data[i:])
		if !(v >= f.Low && v <= f.High) { // NaN too
			if !f.Shared {
				k.at.seat = i / f.Size()
			}
			k.failf("observation %q, field %q: element %d is %v, want %v to %v", e.Name, f.Name, i%f.Size()/size, v, f.Low,
				f.High)
		}
	}
}

// element reads one little-endian number.
func element(t env.DType, data []byte) float64 {
	le := binary.LittleEndian
	switch t {
	case env.Uint8:
		return float64(data[0])
	case env.Int16:
		return float64(int16(le.Uint16(data)))
	case env.Int32:
		return float64(int32(le.Uint32(data)))
	case env.Uint64:
		return float64(le.Uint64(data))
	case env.Float32:
		return float64(math.Float32frombits(le.Uint32(data)))
	}
	return math.Float64frombits(le.Uint64(data))
}

// checkObserveSeats: each seat's observation is the same whoever else is asked
// for and in whatever order, and shared fields are the same for all.
func checkObserveSeats(k *kit) {
	m := k.match()
	rng := env.RNG{State: 1}
	for range k.sampled(m, 12) {
		for _, e := range k.encodings() {
			k.checkSubsets(m, e, &rng)
		}
	}
}

func (k *kit) checkSubsets(m env.Match, encoding int, rng *env.RNG) {
	var alone [][][]byte
	for seat := range k.spec.Seats {
		alone = append(alone, k.observe(m, encoding, []uint8{uint8(seat)}, 0))
	}
	for range 4 {
		seats := k.shuffled(rng)
		together := k.observe(m, encoding, seats, 0)
		for i, seat := range seats {
			k.at.seat = int(seat)
			k.checkPart(encoding, seats, i, together, alone[seat])
		}
	}
}

// checkPart compares place i of an observation of several seats with that
// seat's own.
func (k *kit) checkPart(encoding int, seats []uint8, i int, together, alone [][]byte) {
	e := k.encoding(encoding)
	for f := range e.Fields {
		part := together[f]
		if !e.Fields[f].Shared {
			size := e.Fields[f].Size()
			part = part[i*size : (i+1)*size]
		}
		if d := diffBytes(part, alone[f]); d != "" {
			k.failf("observation %q, field %q (shared: %v), of seats %v together differs from the seat's own: %s",
				e.Name, e.Fields[f].Name, e.Fields[f].Shared, seats, d)
		}
	}
}

// shuffled is some of the seats in some order, at least one.
func (k *kit) shuffled(rng *env.RNG) []uint8 {
	all := k.seats()
	for i := len(all) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		all[i], all[j] = all[j], all[i]
	}
	return all[:1+rng.IntN(len(all))]
}

// Unpack takes the observation of one seat apart. The elements of the encoding
// must be integers.
func Unpack(e *env.Encoding, data [][]byte) map[string][]int {
	all := make(map[string][]int)
	for i := range e.Fields {
		f := &e.Fields[i]
		numbers := make([]int, len(data[i])/f.DType.Bytes())
		for n := range numbers {
			numbers[n] = int(element(f.DType, data[i][n*f.DType.Bytes():]))
		}
		each := len(numbers) / len(f.Names)
		for k, name := range f.Names {
			all[name.Name] = numbers[k*each:][:each]
		}
	}
	return all
}
