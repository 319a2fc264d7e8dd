package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// The weights of an evaluation, in points.
const (
	winPoints     = 1000
	enemyPoints   = 150 // for each enemy out of the game
	matePoints    = 150 // for the teammate alive
	bombPoints    = 12  // for each bomb carried or lying
	blastPoints   = 6
	kickPoints    = 10
	woodPoints    = 3  // for each wood gone
	aimPoints     = 2  // for each wood that one of the seat's bombs is going to burn
	threatPoints  = 8  // for each enemy that a bomb is going to reach
	trappedPoints = 80 // subtracted if no cell out of reach of all bombs can be reached
	safePoints    = 1  // for each such cell, up to maxSafe
	maxSafe       = 6
	fleeSteps     = 8 // how far such a cell may be
	farSteps      = 20
)

// evaluate scores a state as a whole, for agents that search in all situations: who is
// alive, what the agent carries, what its bombs are going to hit, whether bombs leave it
// room, and how far it is from its next goal.
func (w *world) evaluate(s *pommerman.State) float64 {
	self := &s.Agents[w.seat]
	soon := float64(s.StepCount - w.begin)
	if !self.Alive {
		return soon - winPoints // later is better
	}
	points := float64(w.company(s))
	if w.rules.Over(s) {
		if st := w.rules.Status(s); st.Winners.Has(w.seat) {
			return points + winPoints - soon // sooner is better
		}
		return points
	}
	points += float64(bombPoints*int(self.Ammo) + blastPoints*int(self.Blast))
	if self.Kicks {
		points += kickPoints
	}
	var f field
	f.survey(w.rules, s, w.seat)
	return points + float64(f.points(w, s)) + evadeScore(s, w.seat)
}

func (w *world) company(s *pommerman.State) int {
	points, mate := 0, w.rules.Teammate(w.seat)
	for seat := range w.rules.Seats() {
		switch {
		case seat == w.seat:
		case seat == mate && s.Agents[seat].Alive:
			points += matePoints
		case seat != mate && !s.Agents[seat].Alive:
			points += enemyPoints
		}
	}
	return points
}

// field is a board taken apart into sets of cells.
type field struct {
	open  grid.Bits // what can be walked on
	wood  grid.Bits
	items grid.Bits // to pick up
	burns grid.Bits // what any bomb is going to reach
	own   grid.Bits // what the seat's bombs are going to reach
	bombs int       // the seat's
}

func (f *field) survey(r *pommerman.Rules, s *pommerman.State, seat int) {
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			c := grid.At(row, col)
			switch item := s.Board[c]; {
			case tactics.Free.Has(item) || item == pommerman.Flames:
				f.open.Add(c)
				if tactics.Pickups.Has(item) {
					f.items.Add(c)
				}
			case item == pommerman.Wood:
				f.wood.Add(c)
			}
		}
	}
	for i := range s.Bombs[:s.NumBombs] {
		b := &s.Bombs[i]
		to := &f.burns
		if b.Owner() == seat {
			to = &f.own
			f.bombs++
		}
		pommerman.Rays(&s.Board, b.Cell, b.Blast, to)
	}
	f.burns = f.burns.Or(f.own)
}

func (f *field) points(w *world, s *pommerman.State) int {
	points := bombPoints*f.bombs - woodPoints*f.wood.Len()
	aimed := f.own.And(f.wood)
	points += aimPoints * aimed.Len()
	mate := w.rules.Teammate(w.seat)
	var goals grid.Bits
	for seat := range w.rules.Seats() {
		a := &s.Agents[seat]
		if seat == w.seat || seat == mate || !a.Alive {
			continue
		}
		goals.Add(a.Cell)
		if f.burns.Has(a.Cell) {
			points += threatPoints
		}
	}
	at := s.Agents[w.seat].Cell
	points += f.room(at)
	goals = goals.Grow().Or(f.wood.AndNot(aimed).Grow())
	return points - f.steps(at, goals.AndNot(f.burns).Or(f.items))
}

// room scores the cells out of reach of all bombs that an agent on a cell can
// flee to.
func (f *field) room(at grid.Cell) int {
	var reached grid.Bits
	reached.Add(at)
	for range fleeSteps {
		if safe := reached.AndNot(f.burns); safe.Len() >= maxSafe {
			return safePoints * maxSafe
		}
		reached = reached.Or(reached.Grow().And(f.open))
	}
	safe := reached.AndNot(f.burns)
	if safe.Empty() {
		return -trappedPoints
	}
	return safePoints * min(safe.Len(), maxSafe)
}

// steps is the length of the way from a cell to the nearest goal.
func (f *field) steps(at grid.Cell, goals grid.Bits) int {
	var reached grid.Bits
	reached.Add(at)
	for n := range farSteps {
		if met := reached.And(goals); !met.Empty() {
			return n
		}
		next := reached.Or(reached.Grow().And(f.open))
		if next == reached {
			break
		}
		reached = next
	}
	return farSteps
}
