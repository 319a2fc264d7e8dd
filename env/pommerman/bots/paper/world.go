package paper

import (
	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
	"pommego/env/seat"
)

// world is the game as a searching agent imagines it: a search.Model over states. The
// agent moves as the search says, the movers move at random, and all others stand
// still. Nobody but the agent lays bombs.
type world struct {
	rules  *pommerman.Rules
	seat   int
	movers env.SeatSet

	// A search starts at step count begin, with the moves of first.
	begin uint16
	first pommerman.Moves

	goal    task // the task by which states are scored
	target  int  // the seat to attack, for toAttack
	literal bool // as in hybrid

	actions [pommerman.MaxAgents * (1 + pommerman.MaxWords)]uint8
}

func (w *world) Moves(s *pommerman.State, dst []search.Move) []search.Move {
	moves := w.first
	if s.StepCount != w.begin {
		moves = w.useful(s)
	}
	for ; moves != 0; moves = moves.Without(moves.First()) {
		dst = append(dst, search.Move(moves.First()))
	}
	return dst
}

// useful returns the moves to try in a state. Nobody evades a bomb by laying another.
// Bombs against a target are laid where the rules would lay them; the text says nothing
// about either.
func (w *world) useful(s *pommerman.State) pommerman.Moves {
	moves := tactics.UsefulMoves(w.rules, s, w.seat)
	if w.literal {
		return moves
	}
	far := w.goal == toAttack && s.Agents[w.seat].Cell.Distance(s.Agents[w.target].Cell) > bombRange
	if w.goal == toEvade || far {
		moves = moves.Without(pommerman.LayBomb) // Stop is always left
	}
	return moves
}

func (w *world) Step(s *pommerman.State, move search.Move, rng *env.RNG) {
	width := 1 + w.rules.RadioWords
	for seat := range w.rules.Seats() {
		action := uint8(pommerman.Stop)
		switch {
		case seat == w.seat:
			action = uint8(move)
		case w.movers.Has(seat):
			action = uint8(rng.IntN(int(pommerman.Right) + 1))
		}
		w.actions[seat*width] = action
	}
	w.rules.Step(s, w.actions[:])
}

func (w *world) Terminal(s *pommerman.State) bool {
	return !s.Agents[w.seat].Alive || w.rules.Over(s)
}

func (w *world) Score(s *pommerman.State) float64 {
	switch w.goal {
	case toEvade:
		return evadeScore(s, w.seat)
	case toAttack:
		return attackScore(s, w.seat, w.target)
	}
	return w.evaluate(s)
}

// imagine sets the world up for one decision of a seat. If its goal is nothing,
// everybody moves; else only the target moves, if there is one. It returns false if
// there is nothing to search: the seat believes that it, or the target, is out of the
// game.
func (w *world) imagine(r *pommerman.Rules, root *pommerman.State, seat int, goal task, target int) bool {
	if seat >= r.Seats() || !root.Agents[seat].Alive || r.Over(root) ||
		goal == toAttack && uint(target) >= uint(r.Seats()) {
		return false
	}
	clear(w.actions[:]) // their number differs between rules
	w.rules, w.seat, w.goal, w.target = r, seat, goal, target
	switch goal {
	case nothing:
		w.movers = env.AllSeats(r.Seats())
	case toEvade:
		w.movers = 0
	case toAttack:
		w.movers = env.SeatSet(0).With(target)
	}
	w.begin, w.first = root.StepCount, w.useful(root)
	return true
}

var workspaces search.Workspaces[seat.Workspace[world, pommerman.State]]
