package search

import "pommego/env"

// Breadth is breadth-first search: from the root it makes every move in every
// state, those a tick ahead before those two ticks ahead, and so on, whatever
// they score. When the budget is used up, the best of the states from which it
// has not gone on tells the move. What chance does on the way to a state is
// drawn once.
type Breadth[S any] struct {
	MaxNodes int // how many states are kept; 0: as many as the budget makes

	states []S
	first  []Move // the root's move that leads to each of them
	moves  []Move
	last   int // the first state from which the search has not gone on

	tallies tallies // of the states that are compared
}

// Search finds a move.
func (b *Breadth[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, newMeter(budget)}
	b.states, b.first, b.tallies = append(b.states[:0], *root), append(b.first[:0], 0), b.tallies[:0]
	if b.moves = model.Moves(root, b.moves[:0]); len(b.moves) == 1 {
		return Found{Move: b.moves[0]}
	}
	var top Best[int]
	for b.last = 0; b.last < len(b.states); b.last++ {
		if b.last > 0 && model.Terminal(&b.states[b.last]) {
			b.compare(&r, b.last, &top)
			continue
		}
		if !b.expand(&r) {
			break
		}
	}
	for i := max(b.last, 1); i < len(b.states); i++ {
		b.compare(&r, i, &top)
	}
	return Found{b.first[top.Choice], top.Score, uint64(r.spent)}
}

// compare scores a state, against the best there is.
func (b *Breadth[S]) compare(r *run[S], at int, top *Best[int]) {
	score := r.model.Score(&b.states[at])
	b.tallies.note(b.first[at], score)
	top.Offer(at, score, r.rng)
}

// expand makes every move in the state that is last, as long as the budget
// lasts and there is room. It returns false if it could not make all of them.
func (b *Breadth[S]) expand(r *run[S]) bool {
	b.moves = r.model.Moves(&b.states[b.last], b.moves[:0])
	for _, move := range b.moves {
		if b.MaxNodes > 0 && len(b.states) >= b.MaxNodes || !r.open() {
			return false
		}
		first := b.first[b.last]
		if b.last == 0 {
			first = move
		}
		b.states = append(b.states, b.states[b.last])
		b.first = append(b.first, first)
		r.step(&b.states[len(b.states)-1], move)
	}
	return true
}
