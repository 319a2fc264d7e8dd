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
	aimPoints     = 2  // for each wood that the seat's bombs are going to burn
	threatPoints  = 8  // for each enemy that a bomb is going to reach
	trappedPoints = 80 // subtracted if the seat can reach no cell that is out of reach of all bombs
	safePoints    = 1  // for each such cell that it can reach, up to maxSafe
	maxSafe       = 6
	fleeSteps     = 8 // the most steps to such a cell
	farSteps      = 20
)

// evaluate scores a state as a whole, for agents that search in all situations: who is
// alive, what the agent carries, what its bombs are going to hit, whether bombs leave it
// room, and how far it is from its next goal.
func (w *world) evaluate(s *pommerman.State) float64 {
	self := &s.Agents[w.seat]
	soon := float64(s.StepCount - w.begin)
	if !self.Alive {
		return soon - winPoints // a later defeat is better
	}
	living, enemies := s.Living(), w.rules.Enemies(w.seat)
	mates, out := (living &^ enemies).Without(w.seat), enemies&^living
	points := float64(matePoints*mates.Len() + enemyPoints*out.Len())
	if w.rules.Over(s) {
		if st := w.rules.Status(s); st.Winners.Has(w.seat) {
			return points + winPoints - soon // an earlier victory is better
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

// field is a board split into sets of cells.
type field struct {
	open  grid.Bits // what can be walked on
	wood  grid.Bits
	items grid.Bits // cells with items to pick up
	burns grid.Bits // what any bomb is going to reach
	own   grid.Bits // what the seat's bombs are going to reach
	bombs int       // the number of the seat's bombs
}

func (f *field) survey(r *pommerman.Rules, s *pommerman.State, seat int) {
	for c := range grid.Square(r.BoardSize).All {
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
	var goals grid.Bits
	for enemy := range (s.Living() & w.rules.Enemies(w.seat)).All {
		at := s.Agents[enemy].Cell
		goals.Add(at)
		if f.burns.Has(at) {
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
	reached := grid.Only(at)
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

// steps returns the length of the way from a cell to the nearest goal.
func (f *field) steps(at grid.Cell, goals grid.Bits) int {
	reached := grid.Only(at)
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

// deadScore is the score of a state in which the agent itself is dead. It is less than
// the equations give a living agent in all but hopeless states.
const deadScore = 0

// evadeScore is high if bombs threaten a seat little. It is 100, minus a number for
// each bomb that reaches the seat and explodes in less than ten steps; the sooner the
// bomb explodes, the larger that number: 25 for a bomb in its last step.
func evadeScore(s *pommerman.State, seat int) float64 {
	agent := &s.Agents[seat]
	if !agent.Alive {
		return deadScore
	}
	tenths := 1000
	for i := range s.Bombs[:s.NumBombs] {
		b := &s.Bombs[i]
		if b.Life < 10 && reaches(&s.Board, b.Cell, b.Blast, agent.Cell) {
			tenths -= 25 * (11 - int(b.Life))
		}
	}
	return float64(tenths) / 10
}

// attackArea is how many cells lie within two steps of a cell, its own
// included, walls or not.
const attackArea = 13

// attackScore is high if bombs and obstacles leave a target little room. It is 100 if
// no cell within two steps of the target is both in its reach and out of reach of every
// bomb, and 0 if all are. Cells off the board count as rigid walls.
func attackScore(s *pommerman.State, seat, target int) float64 {
	switch {
	case !s.Agents[seat].Alive:
		return deadScore
	case !s.Agents[target].Alive:
		return 100
	}
	return 100 * (1 - float64(roomOf(s, s.Agents[target].Cell))/attackArea)
}

// roomOf counts the safe cells within two steps of c.
func roomOf(s *pommerman.State, c grid.Cell) int {
	safe, burns := grid.Only(c), grid.Bits{}
	for range 2 {
		for cell := range safe.Grow().All {
			if tactics.Free.Has(s.Board[cell]) {
				safe.Add(cell)
			}
		}
	}
	for i := range s.Bombs[:s.NumBombs] {
		pommerman.Rays(&s.Board, s.Bombs[i].Cell, s.Bombs[i].Blast, &burns)
	}
	safe = safe.AndNot(burns)
	return safe.Len()
}

// reaches reports whether a bomb on from would burn c, given the walls as they stand.
func reaches(board *[256]pommerman.Item, from grid.Cell, blast uint8, c grid.Cell) bool {
	var burns grid.Bits
	if _, inLine := tactics.Line(from, c); inLine && blast > 0 {
		pommerman.Rays(board, from, blast, &burns)
	}
	return burns.Has(c)
}
