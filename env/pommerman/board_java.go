package pommerman

import (
	"slices"

	"pommego/env"
	"pommego/env/grid"
)

// The boards of the Java rules. Their code makes a fresh generator with the same seed
// for every wall. So one number of 31 bits decides all walls: the place of each is the
// remainder of that number divided by the number of places left. We do the same with a
// number from our own generator. If too much of a board is cut off, the original draws
// again with the same seed, so it never ends; we take another number.

// layJava lays the walls. draw returns one of n places.
func (l *layout) layJava(draw func(n int) int) walls {
	w := walls{wood: l.wood}
	var cells [grid.MaxSide * grid.MaxSide]grid.Cell
	left := cells[:copy(cells[:], l.places)]
	for _, lot := range []struct {
		to    *grid.Bits
		pairs int
	}{{&w.rigid, l.walls}, {&w.wood, l.woods}} {
		for range lot.pairs {
			if len(left) < 2 {
				return w
			}
			c := left[draw(len(left))]
			lot.to.Add(c)
			lot.to.Add(c.Mirrored())
			left = slices.DeleteFunc(left, func(o grid.Cell) bool { return o == c || o == c.Mirrored() })
		}
	}
	return w
}

// drawJava lays the walls of a board, all by one number.
func (l *layout) drawJava(s *State, rng *env.RNG) walls {
	u := int32(rng.Uint64() >> 33)
	w := l.layJava(func(n int) int { return reduce(u, n) })
	l.build(s, &w)
	return w
}

// LayJava lays the walls of a board with the given draws. It returns the board, without
// items, and how many passages are cut off.
func (g *Game) LayJava(draw func(n int) int) (s State, cutOff int) {
	w := g.layout.layJava(draw)
	g.layout.build(&s, &w)
	return s, g.layout.cutOff(&w, 0)
}

// reduce turns a number of 31 bits into one from 0 to n-1.
func reduce(u int32, n int) int {
	if n&(n-1) == 0 {
		return int(int64(n) * int64(u) >> 31)
	}
	return int(u) % n
}
