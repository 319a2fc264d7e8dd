package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// deadScore is what a state in which the agent itself is dead scores, below
// what the equations give the living in all but hopeless states.
const deadScore = 0

// evadeScore is high if bombs threaten a seat little: 100, less for each
// bomb that is about to explode (under ten steps from it) and reaches the seat,
// the more the sooner: 25 points for one in its last step.
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

// attackScore is high if bombs and obstacles leave a target little room: 100 if
// no cell within two steps of it is both in its reach and out of reach of every
// bomb, 0 if all are. What lies off the board counts like a rigid wall.
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
	safe := 0
	var seen grid.Bits
	visit := func(c grid.Cell) {
		if !seen.Has(c) {
			seen.Add(c)
			if !inReach(s, c) {
				safe++
			}
		}
	}
	visit(c)
	for _, d := range grid.Dirs {
		near := c.Next(d)
		if !tactics.Free.Has(s.Board[near]) {
			continue
		}
		visit(near)
		for _, e := range grid.Dirs {
			if far := near.Next(e); tactics.Free.Has(s.Board[far]) {
				visit(far)
			}
		}
	}
	return safe
}

// inReach reports whether any bomb would burn c if it exploded where it lies.
func inReach(s *pommerman.State, c grid.Cell) bool {
	for i := range s.Bombs[:s.NumBombs] {
		if b := &s.Bombs[i]; reaches(&s.Board, b.Cell, b.Blast, c) {
			return true
		}
	}
	return false
}

// reaches reports whether a bomb on from would burn c, with the walls as they
// stand: rays stop before rigid walls and with the first wood.
func reaches(board *[256]pommerman.Item, from grid.Cell, blast uint8, c grid.Cell) bool {
	if from == c {
		return blast > 0
	}
	d, inLine := tactics.Line(from, c)
	if !inLine {
		return false
	}
	for range int(blast) - 1 {
		from = from.Next(d)
		item := board[from]
		if from == c {
			return item != pommerman.Rigid
		}
		if item == pommerman.Rigid || item == pommerman.Wood {
			return false
		}
	}
	return false
}
