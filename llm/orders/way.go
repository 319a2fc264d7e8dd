package orders

import (
	"math/bits"

	"pommego/arena/scene"
	"pommego/env"
)

// The choices of an action that move a figure, as many as env.Moves, and the one after them that
// lays a bomb.
const (
	moves = 5
	lay   = moves
)

// way is where a figure can walk and live.
type way struct {
	head  *scene.Head
	fire  []uint64 // as env.Forecast has it
	open  []bool
	from  int
	last  int      // the last tick at which anything burns
	alive [][]bool // by tick up to last: where it can be if it is to survive them all
}

func newWay(head *scene.Head, fire []uint64, open []bool, from int) *way {
	w := &way{head: head, fire: fire, open: open, from: from}
	for _, ticks := range fire {
		w.last = max(w.last, bits.Len64(ticks)-1)
	}
	w.alive = make([][]bool, w.last+1)
	for t := w.last; t > 0; t-- {
		w.alive[t] = make([]bool, len(fire))
		for c := range fire {
			for a := uint8(0); a < moves && w.cold(t, c) && !w.alive[t][c]; a++ {
				to := w.step(c, a)
				w.alive[t][c] = to >= 0 && w.lives(t+1, to)
			}
		}
	}
	return w
}

// cold reports whether a cell does not burn at a tick.
func (w *way) cold(t, c int) bool { return w.fire[c]>>t&1 == 0 }

// lives reports whether a figure on a cell after a tick can survive all that is foreseen.
func (w *way) lives(t, c int) bool { return t > w.last || w.alive[t][c] }

// step is the cell to which a move leads, -1 if it leads nowhere.
func (w *way) step(c int, move uint8) int {
	if to := neighbour(w.head, c, move); move == 0 || to >= 0 && w.open[to] {
		return to
	}
	return -1
}

// neighbour is the cell to which a move leads if nothing is in the way, -1 off the board.
func neighbour(head *scene.Head, c int, move uint8) int {
	to, on := head.Next(env.Place{c / head.Cols, c % head.Cols}, int(move))
	if !on {
		return -1
	}
	return to[0]*head.Cols + to[1]
}

// to is the first move of the shortest way to a goal over cells that are good at their ticks. If
// there is none, found is false, and it is that of a way that lasts longest.
func (w *way) to(good func(t, c int) bool, goal func(c int) bool) (move uint8, found bool) {
	const unreached = moves
	now, first := []int{w.from}, make([]uint8, len(w.fire))
	for t := 1; ; t++ {
		var next []int
		firsts := make([]uint8, len(w.fire))
		for c := range firsts {
			firsts[c] = unreached
		}
		for _, c := range now {
			for a := range uint8(moves) {
				to := w.step(c, a)
				if to < 0 || firsts[to] != unreached || !good(t, to) {
					continue
				}
				if firsts[to] = first[c]; t == 1 {
					firsts[to] = a
				}
				if goal(to) {
					return firsts[to], true
				}
				next = append(next, to)
			}
		}
		if len(next) == 0 || t > w.last && len(next) == len(now) {
			return move, false
		}
		now, first, move = next, firsts, firsts[next[0]]
	}
}
