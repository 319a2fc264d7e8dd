package orders

import "pommego/arena/scene"

// The choices of an action that move a figure, as many as env.Moves, and the one after them that
// lays a bomb.
const (
	moves = 5
	lay   = moves
)

// route is the first move of the shortest way from a cell to a goal, over cells that are good at their ticks. If
// there is none, found is false, and move begins the way that lasts longest.
func route(w *scene.Way, from int, good func(t, c int) bool, goal func(c int) bool) (move uint8, found bool) {
	const unreached = moves
	now, first := []int{from}, make([]uint8, len(w.Fire))
	for t := 1; ; t++ {
		var next []int
		firsts := make([]uint8, len(w.Fire))
		for c := range firsts {
			firsts[c] = unreached
		}
		for _, c := range now {
			for a := range uint8(moves) {
				to := w.Step(t, c, int(a))
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
		if len(next) == 0 || t > w.Last && len(next) == len(now) {
			return move, false
		}
		now, first, move = next, firsts, firsts[next[0]]
	}
}
