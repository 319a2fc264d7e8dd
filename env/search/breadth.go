package search

import "pommego/env"

// Breadth is breadth-first search: from the root it makes every move in every
// state, those a tick ahead before those two ticks ahead, and so on, whatever
// they score. When the budget is used up, the best of the states from which it
// has not gone on tells the move. What chance does on the way to a state is
// drawn once.
//
// It has to keep the states from which it goes on. Once MaxNodes are kept, those
// that follow are scored as they are and not kept; as they come last, this changes
// nothing until the search has gone on from all it keeps, and then it ends: with
// some four moves a state after some four times MaxNodes ticks. With MaxNodes,
// the first search reserves the memory for all it may keep.
type Breadth[S any] struct {
	MaxNodes int // how many states are kept; 0: as many as the budget makes

	states []S
	first  []Move // the root's move that leads to each of them
	moves  []Move
	last   int // the first state from which the search has not gone on
	try    S

	top     Best[Move] // of the states that are compared
	tallies tallies
}

// Search finds a move.
func (b *Breadth[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, NewMeter(budget)}
	b.reserve(budget.Ticks)
	b.states, b.first = append(b.states[:0], *root), append(b.first[:0], 0)
	b.top, b.tallies = Best[Move]{}, b.tallies[:0]
	if b.moves = model.Moves(root, b.moves[:0]); len(b.moves) == 1 {
		return Found{Move: b.moves[0]}
	}
	for b.last = 0; b.last < len(b.states); b.last++ {
		if b.last > 0 && model.Terminal(&b.states[b.last]) {
			b.compare(&r, &b.states[b.last], b.first[b.last])
			continue
		}
		if !b.expand(&r) {
			break
		}
	}
	for i := max(b.last, 1); i < len(b.states); i++ {
		b.compare(&r, &b.states[i], b.first[i])
	}
	return Found{b.top.Choice, b.top.Score, r.Spent()}
}

// reserve makes room for all that a search with so many ticks may keep.
func (b *Breadth[S]) reserve(ticks int) {
	if most := mostNodes(b.MaxNodes, ticks); cap(b.states) < most {
		b.states, b.first = make([]S, 0, most), make([]Move, 0, most)
	}
}

// compare scores a state to which a move of the root's leads, against the best.
func (b *Breadth[S]) compare(r *run[S], s *S, first Move) {
	score := r.model.Score(s)
	b.tallies.note(first, score)
	b.top.Offer(first, score, r.rng)
}

// expand makes every move in the state that is last, as long as the budget
// lasts. It returns false if it could not make all of them.
func (b *Breadth[S]) expand(r *run[S]) bool {
	b.moves = r.model.Moves(&b.states[b.last], b.moves[:0])
	for _, move := range b.moves {
		if !r.Open() {
			return false
		}
		first := b.first[b.last]
		if b.last == 0 {
			first = move
		}
		if b.MaxNodes > 0 && len(b.states) >= b.MaxNodes {
			b.try = b.states[b.last]
			r.step(&b.try, move)
			b.compare(r, &b.try, first)
			continue
		}
		b.states, b.first = append(b.states, b.states[b.last]), append(b.first, first)
		r.step(&b.states[len(b.states)-1], move)
	}
	return true
}
