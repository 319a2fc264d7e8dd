package search

import (
	"time"
	"unsafe"
)

// breadth makes every move in every state from the root on: first in those a tick ahead,
// then in those two ticks ahead, and so on, whatever they score. When the budget is used
// up, it compares the states from which it has not gone on, and takes the move that
// leads to the best of them. What happens by chance on the way to a state is drawn once.
// By the clock, half the time is for the moves and the other half to compare.
//
// It has to keep the states from which it goes on. Once Memory is full, it scores
// further states at once and does not keep them. They come last anyway, so nothing
// changes until the search has gone on from all states that it keeps; then it ends.
func (t *Searcher[S]) breadth(root *S) {
	most := t.reserve(statesIn[S](t.Memory))
	t.states, t.first = append(t.states, *root), append(room(t.first, most), 0)
	end := t.deadline
	if !end.IsZero() {
		t.deadline = end.Add(-time.Until(end) / 2)
	}
	for t.last = 0; t.last < len(t.states); t.last++ {
		if t.last > 0 && t.model.Terminal(&t.states[t.last]) {
			t.compare(&t.states[t.last], t.first[t.last])
		} else if !t.expand(most) {
			break
		}
	}
	t.deadline = end
	for i := max(t.last, 1); i < len(t.states); i++ {
		if t.compare(&t.states[i], t.first[i]); t.late() {
			break
		}
	}
}

// compare scores a state to which a move of the root leads, and compares it with the best.
func (t *Searcher[S]) compare(s *S, first Move) { t.offer(first, 1, t.model.Score(s)) }

// expand makes every move in the last state as long as the budget lasts, and keeps the states
// that follow, up to most states in all. It returns false if it could not make all moves.
func (t *Searcher[S]) expand(most int) bool {
	t.moves = t.model.Moves(&t.states[t.last], t.moves[:0])
	for _, move := range t.moves {
		if !t.Open() {
			return false
		}
		first := t.first[t.last]
		if t.last == 0 {
			first = move
		}
		if len(t.states) >= most {
			t.try = t.states[t.last]
			t.step(&t.try, move)
			t.compare(&t.try, first)
			continue
		}
		t.states, t.first = append(t.states, t.states[t.last]), append(t.first, first)
		t.step(&t.states[len(t.states)-1], move)
	}
	return true
}

// statesIn returns how many states fit into some memory, at least one for the root. It
// gives the same in 32-bit programs, where some states are 4 bytes smaller.
func statesIn[S any](bytes int) int {
	if bytes == 0 {
		bytes = breadthMemory
	}
	var s S
	return max(bytes/int((unsafe.Sizeof(s)+7)&^7), 1)
}
