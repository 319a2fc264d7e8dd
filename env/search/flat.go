package search

import "pommego/env"

// Flat is flat Monte Carlo search: it makes each move once, scores what comes of
// it, and then plays on from one of these states after the other, as Bandit
// chooses, with 1 to Depth random moves. The move with the best mean score wins.
type Flat[S any] struct {
	Bandit Bandit
	C      float64 // what UCB1 multiplies uncertainty by, in the unit of scores
	Depth  int     // the longest roll-out in ticks; 0: none, so each move is tried once

	arms  []arm
	after []S // the state after each arm's move
	try   S
	moves []Move
}

// Search finds a move.
func (f *Flat[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, NewMeter(budget)}
	f.moves, f.arms = model.Moves(root, f.moves[:0]), f.arms[:0]
	if len(f.moves) == 1 {
		return Found{Move: f.moves[0]}
	}
	f.expand(&r, root)
	for f.Depth > 0 && r.Open() {
		i := f.Bandit.pull(f.arms, f.C, rng)
		if i < 0 {
			break
		}
		f.try = f.after[i]
		f.moves = r.roll(&f.try, f.Depth, f.moves)
		f.arms[i].add(model.Score(&f.try))
	}
	return r.best(f.arms)
}

// expand makes each move once, as long as the budget lasts.
func (f *Flat[S]) expand(r *run[S], root *S) {
	f.arms, f.after = f.arms[:0], f.after[:0]
	for _, move := range f.moves {
		f.after = append(f.after, *root)
		s := &f.after[len(f.after)-1]
		if !r.step(s, move) {
			break
		}
		a := arm{move: move, final: r.model.Terminal(s)}
		a.add(r.model.Score(s))
		f.arms = append(f.arms, a)
	}
}

// Ahead is one step look-ahead: it makes each move in turn, as often as the
// budget allows but at most Samples times, and takes the one with the best mean
// score. Where others' moves are chance, several samples are worth their ticks.
type Ahead[S any] struct {
	Samples int // how often each move is made at most; 0: once

	arms  []arm
	try   S
	moves []Move
}

// Search finds a move.
func (a *Ahead[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, NewMeter(budget)}
	a.moves = model.Moves(root, a.moves[:0])
	a.arms = a.arms[:0]
	for _, move := range a.moves {
		a.arms = append(a.arms, arm{move: move})
	}
	if len(a.arms) == 1 {
		return Found{Move: a.moves[0]}
	}
	for range max(a.Samples, 1) {
		for i := range a.arms {
			if !r.Open() {
				break
			}
			a.try = *root
			r.step(&a.try, a.arms[i].move)
			a.arms[i].add(model.Score(&a.try))
		}
	}
	return r.best(a.arms)
}
