package simple

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// near holds the cells up to three steps away, found without a search: so short a way
// never turns back, so that each cell can be reached from at most two others. A set of
// them is a word of 24 bits, in row-major order except for bits 11 and 15:
//
//	        11
//	      0  1  2
//	   3  4  5  6  7
//	8  9 10  .  12 13 14
//	  16 17 18 19 20
//	     21 22 23
//	        15
type near struct {
	at                                [tactics.Nearby + 1]uint32 // by steps: the cells reached; [0] is 1, for its own
	digits                            [4]uint32                  // by binary digit: the cells whose item has it set
	open, passage, wood, pickups, foe uint32                     // the cells that show such things
	stay                              bool                       // the agent's own cell is open
	sideways                          uint32                     // the cells reached from the left or right
	ties                              uint32                     // the ones of these also reached from above or below
	coins                             uint32                     // coins for the ties, in the order of tieOrder
}

const (
	oneStep    = 1<<5 | 1<<10 | 1<<12 | 1<<18
	twoSteps   = 1<<1 | 1<<4 | 1<<6 | 1<<9 | 1<<13 | 1<<17 | 1<<19 | 1<<22
	threeSteps = 1<<24 - 1 - oneStep - twoSteps
	inLine     = oneStep | 1<<1 | 1<<9 | 1<<13 | 1<<22 | 1<<8 | 1<<11 | 1<<14 | 1<<15
)

// inDirection lists the cells straight ahead, by direction and steps.
var inDirection = [...][tactics.Nearby + 1]uint8{
	grid.Up: {0, 5, 1, 11}, grid.Down: {0, 18, 22, 15}, grid.Left: {0, 10, 9, 8}, grid.Right: {0, 12, 13, 14},
}

// before says from which cells the way to a cell can come: side is the one to its left or right, which
// a search in the order up, down, left, right always reaches first; other is the one above or below.
var before = [24]struct{ side, other uint8 }{
	0: {1, 4}, 1: {other: 5}, 2: {1, 6},
	3: {4, 9}, 4: {5, 10}, 6: {5, 12}, 7: {6, 13},
	8: {side: 9}, 9: {side: 10}, 11: {other: 1}, 13: {side: 12}, 14: {side: 13}, 15: {other: 22},
	16: {17, 9}, 17: {18, 10}, 19: {18, 12}, 20: {19, 13},
	21: {22, 17}, 22: {other: 18}, 23: {22, 19},
}

// tieOrder is the order in which that search reaches cells for the second time.
var tieOrder = [...]uint8{4, 17, 6, 19, 0, 2, 21, 23, 3, 16, 7, 20}

// earlier has for each cell the cells before it in tieOrder.
var earlier = func() (sets [24]uint32) {
	all := uint32(0)
	for _, i := range tieOrder {
		sets[i] = all
		all |= 1 << i
	}
	return sets
}()

// look reads the view. Rows off the board may be read wrongly, because nothing there can be reached.
func (n *near) look(v *pommerman.View) {
	b, self := (*[256]byte)(unsafe.Pointer(&v.Board)), int(v.Self.Cell) // an Item is a byte
	above := eight(b, self-33)&(1<<24-1) | eight(b, self-18)<<24
	below := eight(b, self+14)&(1<<40-1) | eight(b, self+31)<<40
	beside := eight(b, self-3) &^ (0xff<<24 | 0xff<<56)
	beside |= uint64(b[max(self-48, 0)])<<24 | uint64(b[min(self+48, 255)])<<56
	for i := range n.digits {
		n.digits[i] = digit(above>>i) | digit(beside>>i)<<8 | digit(below>>i)<<16
	}
	d0, d1, d2, d3 := n.digits[0], n.digits[1], n.digits[2], n.digits[3]
	n.passage, n.wood = ^(d0 | d1 | d2 | d3), d1&^(d0|d2|d3)
	n.pickups = d1&d2&^d3 | d3&^(d0|d1|d2)
	n.open = n.passage | n.pickups
	if v.Rules.Skulls {
		n.open |= n.showing(pommerman.Skull)
	}
	if v.Rules.Teams() {
		n.open |= n.showing(v.Teammate)
	}
	n.foe = d3 &^ n.open
	item := v.Board[self]
	n.stay = item == v.Rules.Agent0()+pommerman.Item(v.Seat) || passable(v).Has(item)
	if !tactics.Opaque.Has(item) {
		n.at[0] = 1
	}
	if n.stay {
		n.reach(^((d0 | d2) &^ (d1 | d3))) // all cells that are not opaque
	}
}

// eight returns eight cells of the board from a cell on, one byte each.
func eight(b *[256]byte, from int) uint64 {
	return binary.LittleEndian.Uint64(b[min(max(from, 0), len(b)-8):])
}

// digit gathers the lowest bit of each of eight bytes.
func digit(cells uint64) uint32 { return uint32(cells & 0x0101010101010101 * 0x0102040810204080 >> 56) }

// showing is the set of the cells that show an item.
func (n *near) showing(item pommerman.Item) uint32 {
	cells := ^uint32(0)
	for i, digits := range n.digits {
		cells &= digits ^ (uint32(item>>i&1) - 1)
	}
	return cells
}

// reach finds which cells of clear can be reached, and from where.
func (n *near) reach(clear uint32) {
	n.at[1] = oneStep & clear
	from := n.at[1] & n.open
	side2, other2 := sideways(from)&twoSteps&clear, upDown(from)&twoSteps&clear
	n.at[2] = side2 | other2
	from = n.at[2] & n.open
	side3, other3 := sideways(from)&threeSteps&clear, upDown(from)&threeSteps&clear
	n.at[3] = side3 | other3
	n.sideways, n.ties = side2|side3, side2&other2|side3&other3
}

// sideways returns the cells to the left and right of some cells, along with cells that are nearer.
func sideways(from uint32) uint32 { return from<<1 | from>>1 }

// upDown returns the cells above and below some cells that are further away.
func upDown(from uint32) uint32 {
	return from<<10&(1<<11) | from>>4&(1<<0|1<<1|1<<2) | from>>6&(1<<3|1<<4|1<<6|1<<7) |
		from<<7&(1<<16|1<<17|1<<19|1<<20) | from<<4&(1<<21|1<<22|1<<23) | from>>7&(1<<15)
}

// last returns the last of some cells equally far away, in row-major order. There must be one.
func last(cells uint32) uint8 {
	if cells>>15&1 != 0 {
		return 15
	}
	if rest := cells &^ (1 << 11); rest != 0 {
		return uint8(31 - bits.LeadingZeros32(rest))
	}
	return 11
}

// first returns the first step of the way to a cell that is reached.
func (n *near) first(cell uint8) grid.Dir {
	for oneStep>>cell&1 == 0 {
		side := n.sideways>>cell&1 != 0
		if n.ties>>cell&1 != 0 {
			side = n.coins>>bits.OnesCount32(n.ties&earlier[cell])&1 == 0
		}
		if side {
			cell = before[cell].side
		} else {
			cell = before[cell].other
		}
	}
	return stepTo[cell]
}

var stepTo = [24]grid.Dir{5: grid.Up, 10: grid.Left, 12: grid.Right, 18: grid.Down}
