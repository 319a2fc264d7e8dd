package basewar

import (
	"math/bits"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
	"pommego/internal/enum"
)

// The fixed sizes of a State.
const (
	NumBombers = 6
	MaxBombs   = 24
)

// Action is what a bomber may do in a round, with the numbers of Pommerman.
type Action uint8

// The actions. Up to Right have the numbers of the directions in package grid.
const (
	Stop Action = iota
	Up
	Down
	Left
	Right
	LayBomb
	NumActions // how many there are
)

func (a Action) String() string { return enum.Name(actionNames[:], a) }

var actionNames = [...]string{"stop", "up", "down", "left", "right", "bomb"}

// Side is one of the two sides.
type Side uint8

// The sides. Blue's base stands at the left, green's at the right. Nobody gets points
// for what a public bomb destroys.
const (
	Blue Side = iota
	Green
	Public // only bombs have it: those that both sides have laid
	numOwners
)

func (s Side) String() string { return enum.Name(sideNames[:], s) }

// Other is the other side.
func (s Side) Other() Side { return s ^ 1 }

// Bombers is the set of the side's bombers.
func (s Side) Bombers() BomberSet { return blueBombers << s }

var sideNames = [...]string{"blue", "green", "public"}

// BomberSet is a set of bombers. They are numbered from 0; blue's A, B and C are
// 0, 2 and 4, green's 1, 3 and 5.
type BomberSet uint8

const blueBombers BomberSet = 1<<0 | 1<<2 | 1<<4

// SideOf is the side of a bomber, and that of a seat.
func SideOf(id int) Side { return Side(id & 1) }

// State is a running game: one value without pointers, so that assignment
// clones it and == compares it.
//
// Invariants: stones, boxes, bases and bombs stand on different cells of the
// board; living bombers stand on none of them but bombs; entries of Bombs past
// NumBombs are zero.
type State struct {
	Stones grid.Bits
	Boxes  grid.Bits
	Blast  grid.Bits // cells that explosions reached in the last round; the rules do not need it

	Bombers  [NumBombers]Bomber
	Bombs    [MaxBombs]Bomb // in the order in which they were laid
	NumBombs uint8

	Energy [2]uint8  // by side: the energy of its base
	Score  [2]uint16 // by side
	Gained [2]uint16 // by side: the part of Score from the last round

	StepCount uint16 // rounds played

	// RNG is there for searches, which copy the state; the rules themselves draw nothing
	// once the map is dealt.
	RNG env.RNG
}

// Bomber is one bomber. A dead one keeps its last cell.
type Bomber struct {
	Cell  grid.Cell
	Lives uint8
	Bombs uint8 // how many bombs it can lay now
}

// Alive reports whether the bomber is on the map.
func (b *Bomber) Alive() bool { return b.Lives > 0 }

// Bomb is one bomb.
type Bomb struct {
	Cell   grid.Cell
	Life   uint8     // the bomb explodes when it gets to 0
	Owners BomberSet // the bombers that spent a bomb for it
}

// Owner is the side that the bomb belongs to, Public if both sides laid it.
func (b *Bomb) Owner() Side {
	green := b.Owners&(blueBombers<<1) != 0
	switch {
	case green && b.Owners&blueBombers != 0:
		return Public
	case green:
		return Green
	}
	return Blue
}

func (s *State) bombs() []Bomb { return s.Bombs[:s.NumBombs] }

// addBomb appends a bomb. A full list takes no more; as nobody has more than
// MaxBombs/NumBombers bombs, it cannot fill up.
func (s *State) addBomb(b Bomb) {
	if int(s.NumBombs) < len(s.Bombs) {
		s.Bombs[s.NumBombs] = b
		s.NumBombs++
	}
}

func (s *State) bombCells() grid.Bits {
	var cells grid.Bits
	for i := range s.bombs() {
		cells.Add(s.Bombs[i].Cell)
	}
	return cells
}

// bombAt is the index of the bomb on a cell, -1 if there is none.
func (s *State) bombAt(c grid.Cell) int {
	for i := range s.bombs() {
		if s.Bombs[i].Cell == c {
			return i
		}
	}
	return -1
}

// Living is the set of the bombers on the map.
func (s *State) Living() BomberSet {
	var set BomberSet
	for id := range s.Bombers {
		set |= BomberSet(toByte(s.Bombers[id].Lives > 0)) << id
	}
	return set
}

// first is the lowest bomber of a set that is not empty.
func (b BomberSet) first() int { return bits.TrailingZeros8(uint8(b)) }

func toByte(b bool) uint8 { return observe.ToByte(b) }
