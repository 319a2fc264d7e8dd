package suitebot

import "math/bits"

// What each player has, such as the field its agent stands on, is eight numbers
// of 16 bits. Here they are looked at as two words of four lanes, and all lanes
// of a word are compared at once: moves are hard to predict, so separate
// comparisons would cost more in mispredicted branches than in work.

// lanes is two words of four lanes: player p's is lane p%4 of word p/4.
type lanes [2]uint64

func lanesOf[T ~uint16](v *[MaxPlayers]T) lanes {
	return lanes{
		uint64(v[0]) | uint64(v[1])<<16 | uint64(v[2])<<32 | uint64(v[3])<<48,
		uint64(v[4]) | uint64(v[5])<<16 | uint64(v[6])<<32 | uint64(v[7])<<48,
	}
}

const (
	eachLane = 0x0001000100010001 // 1 in each lane
	topBits  = eachLane << 15
)

// equalTo sets the highest bit of each lane of a word that is equal to x.
func equalTo(word uint64, x uint16) uint64 {
	differ := word ^ uint64(x)*eachLane
	// A lane's highest bit is set by the sum or by the lane itself unless it
	// is all zeros; no sum carries into the next lane.
	return ^((differ&^topBits + (topBits - eachLane)) | differ) & topBits
}

// seated is the highest bits of the lanes of n players.
func seated(n int) (all lanes) {
	for seat := range n {
		all[seat/4] |= 1 << (seat%4*16 + 15)
	}
	return all
}

// firstLane is the number of the lowest lane of a word that is not zero.
func firstLane(word uint64) int { return bits.TrailingZeros64(word) / 16 }
