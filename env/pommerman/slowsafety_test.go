package pommerman_test

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

// TestSafetyAgreesWithItsSlowTwin, which goes forwards from each move, wherever both foresee the same: fire, and what
// bombs do that the seat lays or kicks. The twin knows neither rings nor agents that are in the way of what rolls:
// TestForecastsComeTrue and TestMovesAreForeseen compare those with the game.
func TestSafetyAgreesWithItsSlowTwin(t *testing.T) {
	var safety pommerman.Safety
	var laid pommerman.Forecast
	checked, unsafe, kicks := 0, 0, 0
	pommermantest.Situations(t, bots.Roster, 4+*forecasts/1000, func(s *pommermantest.Situation) {
		for seat := range s.Rules.Seats() {
			var v pommerman.View
			s.Rules.See(&s.State, seat, &v)
			if !v.Self.Alive || s.Rolling() || s.Stacked() || s.RingsFall(horizon) || s.Rules.BombLife > 20 {
				continue
			}
			safety.See(&v)
			var slow look
			slow.see(&v)
			var also forecast
			slow.rolling(&also, 0, grid.Stay)
			own := pommerman.Bomb{Cell: v.Self.Cell, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast}
			slow.roll(&also, &own, grid.Stay)
			slow.explode(&also)
			laid.Foresee(&v, pommerman.LayBomb)
			if !slow.foresees(&slow.ahead, &safety.Stays) || !slow.foresees(&also, &laid) {
				continue
			}
			kicked, same := 0, true
			for move := pommerman.Up; move <= pommerman.Right; move++ {
				if v.Kicks(move) {
					kicked++
					after := slow.kicked(grid.Dir(move))
					laid.Foresee(&v, move)
					same = same && slow.foresees(&after, &laid)
				}
			}
			if !same {
				continue
			}
			checked, kicks = checked+1, kicks+kicked
			legal := legalMoves(match(s), seat)
			want, got := slow.moves(), safety.Moves()
			if want &= legal; want == 0 {
				want = legal
			}
			if got != legal {
				unsafe++
			}
			if got != want {
				t.Fatalf("seat %d of %+v has the safe moves %b, want %b of %b\n%s", seat, s.Rules, got, want, legal,
					pommermantest.Picture(&v))
			}
		}
	})
	t.Logf("%d positions, in %d of them some move was not safe, %d kicks", checked, unsafe, kicks)
	if checked < 2000 || unsafe < 500 || kicks < 50 {
		t.Errorf("%d positions, in %d of them some move was not safe, %d kicks: want more", checked, unsafe, kicks)
	}
}

// foresees reports whether a slow forecast is the same as one.
func (l *look) foresees(slow *forecast, f *pommerman.Forecast) bool {
	for t := 1; t < maxSteps; t++ {
		var burns grid.Bits
		for begun := max(t-l.lasts()+1, 1); begun <= t; begun++ {
			burns = burns.Or(slow.begins[begun])
		}
		for c := range grid.Square(l.v.Rules.BoardSize).All {
			if life := int(l.v.Flame(c)); life > 0 && t < life+l.v.Rules.Traits().Lingers {
				burns.Add(c)
			}
		}
		if burns != f.Deadly[t] {
			return false
		}
	}
	return true
}

const maxSteps = 32 // that are looked ahead

// look is what a seat sees, and what bombs in view will do if all agents stay where they are.
type look struct {
	v      *pommerman.View
	bombs  [256]*pommerman.Bomb
	ground grid.Bits // without walls and other agents
	ahead  forecast
}

// forecast is what bombs do.
type forecast struct {
	list   [pommerman.MaxBombs + 1]future // those in view, and one just laid
	n      int
	rest   grid.Bits           // where they stop
	begins [maxSteps]grid.Bits // what begins to burn in each step
}

// future is that of a bomb.
type future struct {
	path        [maxSteps]grid.Cell // where it is after each step
	blast, life uint8
}

func (l *look) see(v *pommerman.View) {
	*l = look{v: v}
	for i := range v.NumBombs {
		l.bombs[v.Bombs[i].Cell] = &v.Bombs[i]
	}
	for c := range grid.Square(v.Rules.BoardSize).All {
		if !isWall(v.Board[c]) && (!l.isAgent(c) || l.isSelf(c)) {
			l.ground.Add(c)
		}
	}
	l.rolling(&l.ahead, 0, grid.Stay)
	l.explode(&l.ahead)
}

func isWall(item pommerman.Item) bool { return item == pommerman.Rigid || item == pommerman.Wood }

func (l *look) isAgent(c grid.Cell) bool { return l.v.Board[c] >= l.v.Rules.Agent0() }

func (l *look) isSelf(c grid.Cell) bool {
	return l.v.Board[c] == l.v.Rules.Agent0()+pommerman.Item(l.v.Seat)
}

// rolling adds the bombs in view, of which the one on a cell is kicked.
func (l *look) rolling(f *forecast, kicked grid.Cell, kick grid.Dir) {
	for i := range l.v.NumBombs {
		b := &l.v.Bombs[i]
		if b.Cell == kicked {
			l.roll(f, b, kick)
		} else {
			l.roll(f, b, b.Moving())
		}
	}
}

// roll adds a bomb that rolls until it explodes, or something is in its way.
func (l *look) roll(f *forecast, from *pommerman.Bomb, way grid.Dir) {
	b, cell := &f.list[f.n], from.Cell
	f.n++
	b.blast, b.life = from.Blast, max(from.Life, 1)
	b.path[0] = cell
	for t := 1; t < maxSteps; t++ {
		to := cell.Next(way)
		if item := l.v.Board[to]; t > int(b.life) || item != pommerman.Passage && item != pommerman.Flames {
			way = grid.Stay
		}
		cell = cell.Next(way)
		if way != grid.Stay && int(l.v.Flame(cell)) > t {
			b.life = uint8(t)
		}
		b.path[t] = cell
	}
	f.rest.Add(cell)
}

// explode finds what begins to burn. A bomb that another reaches explodes with it.
func (l *look) explode(f *forecast) {
	delay := int(one(l.v.Rules.DelayedChain))
	for changed := true; changed; {
		f.begins, changed = [maxSteps]grid.Bits{}, false
		for i := range f.n {
			b := &f.list[i]
			pommerman.Rays(&l.v.Board, b.path[b.life%maxSteps], b.blast, &f.begins[b.life%maxSteps])
		}
		for i := range f.n {
			b := &f.list[i]
			for t := 1; t+delay < int(b.life); t++ {
				if l.burns(f, b.path[t%maxSteps], t) {
					b.life, changed = uint8(t+delay), true
				}
			}
		}
	}
}

// lasts is for how many steps a cell burns.
func (l *look) lasts() int { return l.v.Rules.FlameLife + l.v.Rules.Traits().Lingers }

// burns reports whether a cell is in flames of these bombs in a step.
func (l *look) burns(f *forecast, c grid.Cell, t int) bool {
	for begun := max(t-l.lasts()+1, 1); begun <= t; begun++ {
		if f.begins[begun%maxSteps].Has(c) {
			return true
		}
	}
	return false
}

// moves is those that do something, and of them those that can be survived, unless there are none.
func (l *look) moves() pommerman.Moves {
	v, self := l.v, l.v.Self.Cell
	var allowed, safe pommerman.Moves
	for move := pommerman.Stop; move <= pommerman.LayBomb; move++ {
		var survived bool
		switch {
		case move == pommerman.Stop:
			survived = l.survives(self, &l.ahead)
		case move == pommerman.LayBomb:
			if v.Self.Ammo == 0 || l.bombs[self] != nil && !v.Rules.Traits().BombsStack {
				continue
			}
			var laid forecast
			l.rolling(&laid, 0, grid.Stay)
			l.roll(&laid, &pommerman.Bomb{Cell: self, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast}, grid.Stay)
			l.explode(&laid)
			survived = l.survives(self, &laid)
		case isWall(v.Board[self.Next(grid.Dir(move))]):
			continue
		default:
			survived = l.walks(grid.Dir(move))
		}
		allowed = allowed.With(move)
		if survived {
			safe = safe.With(move)
		}
	}
	if safe == 0 {
		return allowed
	}
	return safe
}

// walks reports whether a step can be survived. Who kicks a bomb that cannot move stays.
func (l *look) walks(way grid.Dir) bool {
	self := l.v.Self.Cell
	to := self.Next(way)
	switch bomb := l.bombs[to]; {
	case bomb == nil || !l.ahead.rest.Has(to):
		if !l.ground.Has(to) {
			to = self
		}
		return l.survives(to, &l.ahead)
	case !l.v.Self.Kicks:
		return l.survives(self, &l.ahead)
	}
	kicked := l.kicked(way)
	if kicked.rest.Has(to) {
		to = self
	}
	return l.survives(to, &kicked)
}

// kicked is what bombs do after the kick of the one that lies that way, which moves it unless an agent stands there.
func (l *look) kicked(way grid.Dir) (f forecast) {
	bomb := l.v.Self.Cell.Next(way)
	if l.isAgent(bomb) {
		way = grid.Stay
	}
	l.rolling(&f, bomb, way)
	l.explode(&f)
	return f
}

// survives reports whether, from a cell that it is on after the next step, there is a path
// that no flame touches until the last of the bombs has burnt out.
func (l *look) survives(from grid.Cell, f *forecast) bool {
	free, lingers := l.ground.AndNot(f.rest), l.v.Rules.Traits().Lingers
	var at grid.Bits
	at.Add(from)
	for t := 1; t < min(l.v.Rules.BombLife+l.lasts(), maxSteps); t++ {
		if t > 1 {
			at = at.Or(at.Grow().And(free))
		}
		for begun := max(t-l.lasts()+1, 1); begun <= t; begun++ {
			at = at.AndNot(f.begins[begun])
		}
		for c := range at.All {
			if life := int(l.v.Flame(c)); life > 0 && t < life+lingers {
				at.Remove(c)
			}
		}
	}
	return !at.Empty()
}
