package champion

import (
	"math"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// What champion-net sees are features that are on or off, known by their numbers:
// planes of the cells around it, then a block for each move, then the rest.
// A change of them is a change of what the weights in champion-net.net mean.
const (
	netReach  = 6 // rows and columns each way
	netSide   = 2*netReach + 1
	netWindow = netSide * netSide

	netBlocks   = netPlanes * netWindow
	netRest     = netBlocks + tactics.Choices*blockSize
	netFeatures = netRest + restSize
)

// The planes.
const (
	planeRigid = iota // the border too
	planeWood         // that stays
	planeTorch        // wood that is going to burn
	planeExtraBomb
	planeIncrRange
	planeKick
	planeEnemy
	planeEnemyCan // cells that an enemy can be on that is not in view
	planeMate
	planeMateCan
	planeBomb // one that lies still, and one for each direction
	_
	_
	_
	_
	planeBurns // where it burns next, one plane for each of netTimes
	_
	_
	_
	_
	_
	planeUnseen  // never in view
	planeVisited // lately, once
	planeStale   // and more often
	planeMine    // that a bomb laid now would reach
	planeSafe    // that it can be on when all bombs have exploded
	netPlanes
)

// The parts of a move's block, each a range of steps but the first and last.
const (
	blockUseful = 0                              // it neither kills at once nor does nothing
	blockOwn    = blockUseful + 1                // cells left to it, by netSizes
	blockTight  = blockOwn + len(netSizes) + 1   // the same with others in its way
	blockRival  = blockTight + len(netSizes) + 1 // cells left to the enemy with the fewest
	blockNext   = blockRival + len(netSizes) + 1 // and to the next
	blockMate   = blockNext + len(netSizes) + 1  // and to the teammate
	blockWood   = blockMate + len(netSizes) + 1  // the wood that burns more, by netWoods
	blockGood   = blockWood + len(netWoods) + 1  // how much better it is to be there, by netGoods
	blockBurns  = blockGood + len(netGoods) + 1  // when it burns there, by netTimes
	blockKicks  = blockBurns + len(netTimes) + 1 // a bomb is kicked
	blockSize   = blockKicks + 1
	restAmmo    = 0                              // by netAmmos
	restBlast   = restAmmo + len(netAmmos) + 1   // by netBlasts
	restKicks   = restBlast + len(netBlasts) + 1 // it can kick
	restTime    = restKicks + 1                  // in fiftieths of a step
	restKind    = restTime + 16                  // free for all, teams, one against one
	restFog     = restKind + 3                   // it does not see all
	restEnemies = restFog + 1                    // how many live, less one
	restMate    = restEnemies + 3                // the teammate lives
	restNear    = restMate + 1                   // how far the nearest enemy in view is, by netGaps
	restWhere   = restNear + len(netGaps) + 1    // and in which direction: 3 by 3
	restWood    = restWhere + 9                  // wood left, by netForests
	restSize    = restWood + len(netForests) + 1
)

// Numbers become features by steps: as many as the number reaches.
var (
	netTimes   = [...]int{1, 2, 3, 4, 6, 8}
	netSizes   = [...]int{1, 2, 3, 4, 6, 9, 14}
	netWoods   = [...]int{1, 2, 3}
	netGoods   = [...]int{-60, -25, -10, -4, 0, 1, 5, 11, 26, 61}
	netAmmos   = [...]int{1, 2, 3, 4}
	netBlasts  = [...]int{3, 4, 5, 6}
	netGaps    = [...]int{2, 3, 4, 5, 7, 9, 12}
	netForests = [...]int{1, 4, 8, 14, 22}
)

func stepOf(x int, steps []int) int {
	n := 0
	for n < len(steps) && x >= steps[n] {
		n++
	}
	return n
}

// netInput is 1 for the features that are on.
type netInput [netFeatures]uint8

func (in *netInput) add(feature int) { in[feature] = 1 }

func (s *analysis) express() {
	in, p := &s.input, &s.planner
	*in = netInput{}
	self := p.root.Agents[p.seat].Cell
	for plane := range s.planes {
		for c := range s.planes[plane].All {
			rows, cols := c.Row()-self.Row(), c.Col()-self.Col()
			if max(rows, -rows, cols, -cols) <= netReach {
				in.add(plane*netWindow + (rows+netReach)*netSide + cols + netReach)
			}
		}
	}
	for move := range s.moves.All {
		s.expressMove(move, netBlocks+blockSize*int(move))
	}
	s.expressRest()
}

func (s *analysis) expressMove(move pommerman.Action, block int) {
	in, p, f := &s.input, &s.planner, &s.fates[move]
	in.add(block + blockUseful)
	in.add(block + blockOwn + stepOf(f.own, netSizes[:]))
	in.add(block + blockTight + stepOf(f.tight, netSizes[:]))
	fewest, next := math.MaxInt, math.MaxInt
	for other := range f.others {
		switch n := f.others[other]; {
		case !p.others.Has(other):
		case other == p.mate:
			in.add(block + blockMate + stepOf(n, netSizes[:]))
		case n < fewest:
			fewest, next = n, fewest
		default:
			next = min(next, n)
		}
	}
	if fewest < math.MaxInt {
		in.add(block + blockRival + stepOf(fewest, netSizes[:]))
	}
	if next < math.MaxInt {
		in.add(block + blockNext + stepOf(next, netSizes[:]))
	}
	if move == pommerman.LayBomb {
		more := s.ahead[1].burnt.AndNot(s.ahead[0].burnt)
		in.add(block + blockWood + stepOf(more.Len(), netWoods[:]))
	}
	self := p.root.Agents[p.seat].Cell
	in.add(block + blockGood + stepOf(int(p.ground.good[f.at]-p.ground.good[self]), netGoods[:]))
	burns := 1
	for burns <= p.ground.span && !s.ahead[0].burns[burns].Has(f.at) {
		burns++
	}
	in.add(block + blockBurns + stepOf(burns%(p.ground.span+1), netTimes[:]))
	if f.at != self && p.root.BombAt(f.at) {
		in.add(block + blockKicks)
	}
}

// expressRest adds what is not of a cell or a move.
func (s *analysis) expressRest() {
	in, p := &s.input, &s.planner
	self := &p.root.Agents[p.seat]
	in.add(netRest + restAmmo + stepOf(int(self.Ammo), netAmmos[:]))
	in.add(netRest + restBlast + stepOf(int(self.Blast), netBlasts[:]))
	if self.Kicks {
		in.add(netRest + restKicks)
	}
	in.add(netRest + restTime + min(int(p.root.StepCount)/50, restKind-restTime-1))
	switch {
	case p.rules.Teams():
		in.add(netRest + restKind + 1)
	case p.rules.Seats() == 2:
		in.add(netRest + restKind + 2)
	default:
		in.add(netRest + restKind)
	}
	if p.rules.ViewSize != 0 {
		in.add(netRest + restFog)
	}
	enemies := p.others
	if p.mate != pommerman.NoSeat {
		enemies = enemies.Without(p.mate)
		if p.others.Has(p.mate) {
			in.add(netRest + restMate)
		}
	}
	if n := enemies.Len(); n > 0 {
		in.add(netRest + restEnemies + n - 1)
	}
	s.expressNearest()
	in.add(netRest + restWood + stepOf(p.ground.wood.Len(), netForests[:]))
}

// expressNearest adds where the nearest enemy in view is.
func (s *analysis) expressNearest() {
	in, p := &s.input, &s.planner
	self, near, gap := p.root.Agents[p.seat].Cell, grid.Cell(0), math.MaxInt
	for c := range s.planes[planeEnemy].All {
		if d := c.Distance(self); d < gap {
			near, gap = c, d
		}
	}
	if near == 0 {
		return
	}
	rows, cols := near.Row()-self.Row(), near.Col()-self.Col()
	in.add(netRest + restNear + stepOf(gap, netGaps[:]))
	in.add(netRest + restWhere + 3*(sign(rows)+1) + sign(cols) + 1)
}

func sign(x int) int { return min(max(x, -1), 1) }
