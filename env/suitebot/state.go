package suitebot

import (
	"math/bits"

	"pommego/env"
	"pommego/internal/enum"
)

// Action is what an agent may do. Up to Right have the numbers of the directions
// in package grid.
type Action uint8

// The actions.
const (
	Hold Action = iota
	Up
	Down
	Left
	Right
	PlantBomb
	numActions
)

func (a Action) String() string { return enum.Name(actionNames[:], a) }

var actionNames = [...]string{"hold", "up", "down", "left", "right", "plant_bomb"}

// Cell is the number of a field: width*y + x, with (0, 0) at the top left.
type Cell uint16

// NoCell stands for no field. Only a [View] has it.
const NoCell Cell = 0xffff

// cellWords is how many words hold a bit for each field of the largest plan.
const cellWords = MaxSide * MaxSide / 64

// Cells is a set of fields.
type Cells [cellWords]uint64

// Has reports whether c is in the set.
func (b *Cells) Has(c Cell) bool { return b[c>>6%cellWords]>>(c&63)&1 != 0 }

// Add puts c into the set.
func (b *Cells) Add(c Cell) { b[c>>6%cellWords] |= 1 << (c & 63) }

// Len is the number of fields in the set.
func (b *Cells) Len() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// And is the intersection.
func (b Cells) And(o *Cells) Cells {
	for w := range b {
		b[w] &= o[w]
	}
	return b
}

// All calls visit for every field of the set, row by row.
func (b Cells) All(visit func(Cell) bool) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			if !visit(Cell(w<<6 | bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// State is a running game: one value without pointers, so that assignment
// clones it and == compares it. Its layout is known to this file alone.
//
// Invariants, between two rounds: agents stand on fields of their own, none on an
// enemy's home base; at most one bomb lies on a field; no bomb lies in the last blast,
// whose fields are all Spent. All values for seats past the last are zero.
type State struct {
	Spent Cells // fields whose point is gone: collected or contested
	Blast Cells // fields that bombs reached in the last round

	// fuses[k][p] is where the bomb of player p lies that explodes at the end of the k-th
	// round from now, where 0 is the next. A player plants at most one bomb per round, so
	// each bomb has a place of its own.
	fuses [MaxDelay]volley

	Agents [MaxPlayers]Cell
	Homes  [MaxPlayers]Cell

	Scores    [MaxPlayers]int32
	Gains     [MaxPlayers]int32  // by player: points of the last round
	Collected [MaxPlayers]uint16 // fields
	Kills     [MaxPlayers]uint16
	Deaths    [MaxPlayers]uint16

	StepCount uint16  // rounds played
	RNG       env.RNG // once a game has begun, the rules draw nothing
}

// fuse is a field with a bomb on it: its Cell plus one, 0 for no bomb.
type fuse uint16

func fuseAt(c Cell) fuse { return fuse(c + 1) }

func (f fuse) cell() Cell { return Cell(f - 1) }

// volley holds at most one bomb of each player; they all go off together.
type volley [MaxPlayers]fuse

// Bomb is a bomb in the form that Bombs lists.
type Bomb struct {
	Cell   Cell
	Rounds int // rounds until it goes off: 1 is at the end of the next round
	Owner  int
}

// Bombs calls visit for every bomb, in the order in which they explode, and those
// that explode together by owner.
func (s *State) Bombs(visit func(Bomb) bool) {
	for k := range s.fuses {
		for p, f := range s.fuses[k] {
			if f != 0 && !visit(Bomb{f.cell(), k + 1, p}) {
				return
			}
		}
	}
}

// Place puts a bomb into the state. It takes the place of the owner's other bomb
// that goes off in the same round, if there is one.
func (s *State) Place(b Bomb) { s.fuses[b.Rounds-1][b.Owner] = fuseAt(b.Cell) }

// Contested returns how many fields are spent although nobody has collected them.
func (s *State) Contested() int {
	n := s.Spent.Len()
	for _, own := range s.Collected {
		n -= int(own)
	}
	return n
}
