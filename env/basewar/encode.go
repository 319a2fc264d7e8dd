package basewar

import (
	"encoding/binary"

	"pommego/env/grid"
	"pommego/env/observe"
)

// encoder holds what the encodings look up instead of computing it each time.
type encoder struct {
	size   int                   // of the board
	cells  int                   // on it
	flatAt [256]uint8            // each cell's place on a flat board
	ground grid.Bits             // the board without bases
	views  [NumBombers]viewpoint // of the seats
	nobody viewpoint
	flat   [2]int    // the places of the bases
	most   int       // points a side can get
	sizes  [2][2]int // bytes of the maps and the vector of each encoding

	energy, lives, bombs, row, col [256]float32 // as shares of the most there are
}

func newEncoder(r *Rules) encoder {
	e := encoder{
		size: r.BoardSize, cells: r.BoardSize * r.BoardSize, ground: grid.Square(r.BoardSize), nobody: nobody(),
		most:   r.MaxScore(),
		energy: observe.Shares(r.BaseEnergy), lives: observe.Shares(r.Lives), bombs: observe.Shares(r.Bombs),
	}
	for c := range e.ground.All {
		e.flatAt[c] = uint8(c.Row()*r.BoardSize + c.Col())
		e.row[c], e.col[c] = observe.Share(c.Row(), r.BoardSize-1), observe.Share(c.Col(), r.BoardSize-1)
	}
	for side := range e.flat {
		e.ground.Remove(r.Base(Side(side)))
		e.flat[side] = int(e.flatAt[r.Base(Side(side))])
	}
	for seat := range r.Seats() {
		e.views[seat] = r.viewpoint(seat)
	}
	return e
}

// sceneSlack is how far spread may write past the board: rows are written
// sixteen bytes at a time, from the first to the last.
const sceneSlack = 16

// rowBits is the cells of a set in one row of the board, column 0 in bit 0.
func rowBits(b *grid.Bits, row int) uint64 {
	return b[(row+1)>>2] >> ((row + 1) & 3 * 16) & 0xffff >> 1
}

// spread writes 1 for each cell of a set and 0 for the others. dst must have
// sceneSlack bytes more than the board has cells.
func (e *encoder) spread(dst []byte, b *grid.Bits) {
	for row := range e.size {
		x := rowBits(b, row)
		to := dst[row*e.size:][:16]
		binary.LittleEndian.PutUint64(to, observe.Spread[x&255])
		binary.LittleEndian.PutUint64(to[8:], observe.Spread[x>>8])
	}
}

func (e *encoder) spreadTwo(dst []byte, one, two *grid.Bits) {
	for row := range e.size {
		x, y := rowBits(one, row), rowBits(two, row)
		to := dst[row*e.size:][:16]
		binary.LittleEndian.PutUint64(to, observe.Spread[x&255]|observe.Spread[y&255]<<1)
		binary.LittleEndian.PutUint64(to[8:], observe.Spread[x>>8]|observe.Spread[y>>8]<<1)
	}
}
