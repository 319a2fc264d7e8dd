package pommerman

import (
	"encoding/binary"
	"unsafe"

	"pommego/env/grid"
)

// flatRoom is how many bytes flatten may write: rows are written sixteen bytes
// at a time, so the last one runs over.
const flatRoom = grid.MaxSide*grid.MaxSide + 16

// fogWord is eight cells of fog.
const fogWord = uint64(Fog) * 0x0101010101010101

// flatten writes the board as a seat with this window sees it, row after row
// without the border. It writes up to 16 bytes past the last row.
func (r *Rules) flatten(s *State, w *window, dst []byte) {
	n := r.BoardSize
	board := (*[256]byte)(unsafe.Pointer(&s.Board)) // an Item is a byte
	if r.ViewSize == 0 {
		for row := range n {
			from, to := board[16*row+17:][:16], dst[row*n:][:16]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
			binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
		}
		return
	}
	low, high := columns(w.left, w.right)
	for row := range n {
		to := dst[row*n:][:16]
		if row < w.top || row >= w.bottom {
			binary.LittleEndian.PutUint64(to, fogWord)
			binary.LittleEndian.PutUint64(to[8:], fogWord)
			continue
		}
		from := board[16*row+17:][:16]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from)&low|fogWord&^low)
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:])&high|fogWord&^high)
	}
}

// columns is a mask of the bytes of columns left to right-1, in two words.
func columns(left, right int) (low, high uint64) {
	ones := ^uint64(0)
	// Shifts of 64 and more give 0, as they should.
	low = ones << (8 * left) &^ (ones << (8 * right))
	high = ones
	if left > 8 {
		high = ones << (8 * (left - 8))
	}
	if right < 8 {
		return low, 0
	}
	return low, high &^ (ones << (8 * (right - 8)))
}

// flatIndex turns every cell into its place on a flat board.
func (r *Rules) flatIndex() (at [256]uint8) {
	for c := range grid.Square(r.BoardSize).All {
		at[c] = uint8(c.Row()*r.BoardSize + c.Col())
	}
	return at
}
