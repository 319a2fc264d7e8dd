// Package observe is what the games' encoders of observations have in common.
//
// An observation consists of maps, one byte per cell each, and of vectors of
// numbers. The names, the meanings and the order of a vector's entries and what
// is written for them stand in one place, a function of the game that puts one
// entry after another into a [Vector]:
//
//	func scalars[M observe.Mode](v observe.Vector[M], s *State, seat int) {
//		v = v.Int16("row", "the seat's row", s.Agents[seat].Row)
//		v = v.Int16("col", "the seat's column", s.Agents[seat].Col)
//		for k := range s.Agents {
//			v = v.Nth(k).Int16("alive%d", "1 while agent %d lives", int(s.Agents[k].Alive))
//		}
//	}
//
// [VectorField] runs it to list the entries, and scalars(observe.Into(dst), s, seat)
// writes them. Which entries there are may depend on the rules of the game, and on
// nothing else. [Maps] are painted in the same way.
package observe

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"pommego/env"
)

// Mode says what happens with entries: Write or List. The compiler makes a function of
// each; in the one for Write, nothing is left of the names.
type Mode interface{ Write | List }

// Write is the mode that writes entries only.
type Write [0]*list

// List is the mode that writes entries and lists them.
type List [1]*list

// list holds the entries so far, and what %d and %s stand for in the next ones.
type list struct {
	entries []entry
	next    subject
}

type subject struct {
	nth int
	who env.Name
}

type entry struct {
	name, meaning string
	subject
}

func (l *list) add(name, meaning string) {
	l.entries = append(l.entries, entry{name, meaning, l.next})
}

// Vector is a place in a vector of numbers. Every entry returns the place of the next
// one. Entries do not check the length, because that would take longer than writing
// them: a game slices its buffer to the size of the field that lists the same entries.
type Vector[M Mode] struct {
	lists M
	to    unsafe.Pointer
	at    int
}

// Into returns the beginning of a vector in dst, which must have room for all entries.
func Into(dst []byte) Vector[Write] { return Vector[Write]{to: unsafe.Pointer(unsafe.SliceData(dst))} }

// VectorField describes the vector whose entries put puts.
func VectorField(dtype env.DType, low, high float64, put func(Vector[List])) env.Field {
	var all list
	var unread [1 << 12]byte
	put(Vector[List]{List{&all}, unsafe.Pointer(&unread), 0})
	names := all.names()
	if len(names)*dtype.Bytes() > len(unread) {
		panic("observe: a vector has more entries than are provided for")
	}
	return env.Field{Name: "scalars", DType: dtype, Shape: []int{len(names)}, Low: low, High: high, Names: names}
}

// names returns the entries' names and meanings, with %d and %s replaced.
func (l *list) names() []env.Name {
	names := make([]env.Name, len(l.entries))
	for i, e := range l.entries {
		nth := strconv.Itoa(e.nth)
		names[i].Name = strings.NewReplacer("%d", nth, "%s", e.who.Name).Replace(e.name)
		names[i].Meaning = strings.NewReplacer("%d", nth, "%s", e.who.Meaning).Replace(e.meaning)
	}
	return names
}

// Nth sets the number that %d stands for in the names and meanings that follow.
func (v Vector[M]) Nth(k int) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].next.nth = k
	}
	return v
}

// Of sets whose name and meaning %s stands for in the names and meanings that
// follow.
func (v Vector[M]) Of(who *env.Name) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].next.who = *who
	}
	return v
}

// Float puts a float32.
func (v Vector[M]) Float(name, meaning string, x float32) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].add(name, meaning)
	}
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(v.to, v.at))[:], math.Float32bits(x))
	v.at += 4
	return v
}

// Uint8 puts a uint8.
func (v Vector[M]) Uint8(name, meaning string, x uint8) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].add(name, meaning)
	}
	*(*uint8)(unsafe.Add(v.to, v.at)) = x
	v.at++
	return v
}

// Int16 puts an int16.
func (v Vector[M]) Int16(name, meaning string, x int) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].add(name, meaning)
	}
	binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(v.to, v.at))[:], uint16(x))
	v.at += 2
	return v
}

// Int32 puts an int32.
func (v Vector[M]) Int32(name, meaning string, x int) Vector[M] {
	for i := range len(v.lists) {
		v.lists[i].add(name, meaning)
	}
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(v.to, v.at))[:], uint32(x))
	v.at += 4
	return v
}

// Maps is a place in a field of maps.
type Maps[M Mode] struct {
	lists M
	rest  []byte
	cells int
}

// MapsInto returns the place of the first map in dst. Each map has the given number of cells.
func MapsInto(dst []byte, cells int) Maps[Write] { return Maps[Write]{rest: dst, cells: cells} }

// Next returns the next map, and the place of the one after it.
func (m Maps[M]) Next(name, meaning string) ([]byte, Maps[M]) {
	for i := range len(m.lists) {
		m.lists[i].add(name, meaning)
	}
	return m.rest[:m.cells], Maps[M]{m.lists, m.rest[m.cells:], m.cells}
}

// Nth sets the number that %d stands for in the names and meanings that follow.
func (m Maps[M]) Nth(k int) Maps[M] {
	for i := range len(m.lists) {
		m.lists[i].next.nth = k
	}
	return m
}

// Named returns one slice for as many of the next maps as there are names.
func (m Maps[M]) Named(names []env.Name) ([]byte, Maps[M]) {
	for i := range len(m.lists) {
		for _, n := range names {
			m.lists[i].add(n.Name, n.Meaning)
		}
	}
	size := len(names) * m.cells
	return m.rest[:size], Maps[M]{m.lists, m.rest[size:], m.cells}
}

// Rest returns the maps that are left.
func (m Maps[M]) Rest() []byte { return m.rest }

// MapsField describes a field of the maps that paint paints. Its bytes lie between 0
// and high.
func MapsField(name string, rows, cols, high int, paint func(Maps[List])) env.Field {
	var all list
	paint(Maps[List]{List{&all}, make([]byte, 1<<16), rows * cols})
	names := all.names()
	return env.Field{Name: name, DType: env.Uint8, Shape: []int{len(names), rows, cols}, High: float64(high), Names: names}
}

// Sizes returns the sizes in bytes of the maps and of the vector, which are the first
// two fields, for each of two encodings.
func Sizes(encodings []env.Encoding) (all [2][2]int) {
	for i := range all {
		all[i] = [2]int{encodings[i].Fields[0].Size(), encodings[i].Fields[1].Size()}
	}
	return all
}

// ToByte returns 1 for true, 0 for false.
func ToByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// One returns 1 for true, 0 for false.
func One(b bool) float32 { return ones[ToByte(b)&1] }

var ones = [2]float32{0, 1}

// Share is n divided by most, but at most 1: states made by hand can hold more than most.
func Share(n, most int) float32 { return min(float32(n)/float32(most), 1) }

// Shares is a table of Share for each number from 0 to 255. Dividing would take longer
// than the rest of writing an entry.
func Shares(most int) (all [256]float32) {
	for n := range all {
		all[n] = Share(n, most)
	}
	return all
}

// Spread has for each byte its bits as eight bytes of 0 or 1.
var Spread = func() (all [256]uint64) {
	for n := range all {
		for bit := range 8 {
			all[n] |= uint64(n>>bit&1) << (8 * bit)
		}
	}
	return all
}()
