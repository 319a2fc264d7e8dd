package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/network"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
)

// netValues are those by which champion-net.net learned how good cells are: of
// champion's weights at that time. Tuning that agent does not change this one.
var netValues = weights{Ammo: 70, Blast: 50, Kick: 120, Wood: 40, Chase: 150, Stale: 6}

// analysis is the working memory of a look at a position.
type analysis struct {
	planner planner
	planes  [netPlanes]grid.Bits
	moves   tactics.Moves         // that are useful
	fates   [tactics.Choices]fate // what may come of them
	ahead   [2]forecast           // of bombs there are, and with one laid now
	input   netInput

	memory *network.Memory
}

// fate is what a useful move leaves to whom, in cells; see [analysis.foretell].
type fate struct {
	at         grid.Cell
	own, tight int
	others     [pommerman.MaxAgents]int
	safe       grid.Bits
}

// look finds out what there is to know about a position that a seat believes in.
func (s *analysis) look(r *pommerman.Rules, seat int, m *championMemory) {
	p := &s.planner
	p.begin(r, seat, &netValues, search.Budget{Ticks: 1}, m)
	s.ahead[0] = p.calm
	self := &p.root.Agents[seat]
	s.moves = tactics.UsefulMoves(r, &p.root.State, seat)
	for move := range s.moves.All {
		at, ahead := self.Cell, &s.ahead[0]
		if move == pommerman.LayBomb {
			ahead = &s.ahead[1]
			s.lay()
		} else {
			at = at.Next(grid.Dir(move))
		}
		s.fates[move] = s.foretell(at, ahead)
	}
	s.draw(m)
}

// lay forecasts what comes if a bomb is laid now.
func (s *analysis) lay() {
	p := &s.planner
	n := &p.stack[0]
	*n = p.root
	self := &n.Agents[p.seat]
	if int(n.NumBombs) < len(n.Bombs) {
		n.Bombs[n.NumBombs] = pommerman.NewBomb(self.Cell, uint8(p.rules.BombLife), self.Blast, p.seat, grid.Stay)
		n.NumBombs++
	}
	p.forecast(&s.ahead[1], n, 0)
}

// foretell plays a forecast with the sets of cells that all agents can be on and
// live, of which the seat's own begins on the given cell, as [planner.grow] and
// [planner.margin] do.
func (s *analysis) foretell(at grid.Cell, ahead *forecast) fate {
	p := &s.planner
	var body grid.Bits
	body.Add(at)
	f := fate{at: at, own: 256}
	own, tight, others, open := body, body, p.root.where, p.openCells(&p.root)
	for other := range f.others {
		f.others[other] = 256
	}
	for t := 1; t <= p.ground.span; t++ {
		burns := ahead.burns[t]
		if t > 1 {
			own, tight = own.Grow().And(open).Or(own), tight.Grow().And(open).Or(tight)
		}
		own, tight = own.AndNot(burns), tight.AndNot(burns)
		for other := range others {
			w := others[other]
			if !p.others.Has(other) {
				continue
			}
			w = w.Grow().And(open).Or(w).AndNot(burns)
			if t <= bodySteps {
				w = w.AndNot(body)
			}
			others[other] = w
			if t > 1 && t <= tightSteps+1 && (other != p.mate || t <= mateSteps+1) {
				tight = tight.AndNot(w)
			}
			if t >= lowFrom {
				f.others[other] = min(f.others[other], w.Len())
			}
		}
		if t >= lowFrom {
			f.own = min(f.own, own.Len())
		}
		open = open.Or(ahead.opens[t])
	}
	f.tight, f.safe = tight.Len(), own
	return f
}

// bearable is the useful moves after which something is left of the seat's own set.
// After the others it dies, unless somebody changes what the bombs do. If there are
// no others, they are all there is.
func (s *analysis) bearable() tactics.Moves {
	moves := s.moves
	for move := range s.moves.All {
		if s.fates[move].safe.Empty() {
			moves = moves.Without(move)
		}
	}
	if moves == 0 {
		return s.moves
	}
	return moves
}

func (s *analysis) draw(m *championMemory) {
	p := &s.planner
	r, root, planes := p.rules, &p.root, &s.planes
	*planes = [netPlanes]grid.Bits{}
	for row := -1; row <= r.BoardSize; row++ {
		for col := -1; col <= r.BoardSize; col++ {
			switch c := grid.At(row, col); root.Board[c] {
			case pommerman.Rigid:
				planes[planeRigid].Add(c)
			case pommerman.ExtraBomb, pommerman.IncrRange, pommerman.Kick:
				planes[planeExtraBomb+int(root.Board[c]-pommerman.ExtraBomb)].Add(c)
			}
		}
	}
	planes[planeWood] = p.ground.wood.AndNot(s.ahead[0].burnt)
	planes[planeTorch] = p.ground.wood.And(s.ahead[0].burnt)
	for other := range root.where {
		plane := planeEnemy
		if other == p.mate {
			plane = planeMate
		}
		if root.where[other].Len() != 1 {
			plane++
		}
		planes[plane] = planes[plane].Or(root.where[other])
	}
	for i := range root.Bombs[:root.NumBombs] {
		b := &root.Bombs[i]
		planes[planeBomb+int(b.Moving())].Add(b.Cell)
	}
	s.drawBurns()
	if r.ViewSize != 0 {
		planes[planeUnseen] = grid.Square(r.BoardSize).AndNot(m.belief.Seen)
	}
	for _, c := range m.lately() {
		if planes[planeVisited].Has(c) {
			planes[planeStale].Add(c)
		} else {
			planes[planeVisited].Add(c)
		}
	}
	pommerman.Rays(&root.Board, root.Agents[p.seat].Cell, root.Agents[p.seat].Blast, &planes[planeMine])
	if s.moves.Has(pommerman.Stop) {
		planes[planeSafe] = s.fates[pommerman.Stop].safe
	}
}

// drawBurns fills in when cells burn next.
func (s *analysis) drawBurns() {
	var before grid.Bits
	for t := 1; t <= s.planner.ground.span; t++ {
		burns := s.ahead[0].burns[t]
		plane := &s.planes[planeBurns+stepOf(t, netTimes[:])-1]
		*plane = plane.Or(burns.AndNot(before))
		before = before.Or(burns)
	}
}
