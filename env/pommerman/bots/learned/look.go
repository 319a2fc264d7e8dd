package learned

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

const maxSteps = 32 // that are looked ahead

// fires is what begins to burn in each step.
type fires [maxSteps]grid.Bits

// look is what a seat sees, and what bombs in view will do if all agents stay where they are.
// Python's pommego.pommerman.safety.Safety tells the same from planes.
type look struct {
	v     *pommerman.View
	bombs [256]*pommerman.SeenBomb
	last  pommerman.Bombs // where they explode
	free  grid.Bits       // what it can step on
	fires fires
}

func (l *look) see(v *pommerman.View) {
	*l = look{v: v}
	for i := range v.NumBombs {
		l.bombs[v.Bombs[i].Cell] = &v.Bombs[i]
	}
	for c := range grid.Square(v.Rules.BoardSize).All {
		if l.bombs[c] == nil && !isWall(v.Board[c]) && (!l.isAgent(c) || l.isSelf(c)) {
			l.free.Add(c)
		}
	}
	l.last.See(v)
	l.explode(l.last.All(), &l.fires)
}

func isWall(item pommerman.Item) bool { return item == pommerman.Rigid || item == pommerman.Wood }

func (l *look) isAgent(c grid.Cell) bool { return l.v.Board[c] >= l.v.Rules.Agent0() }

func (l *look) isSelf(c grid.Cell) bool {
	return l.v.Board[c] == l.v.Rules.Agent0()+pommerman.Item(l.v.Seat)
}

// explode adds what bombs set on fire. One that another reaches explodes with it.
func (l *look) explode(bombs []pommerman.SeenBomb, to *fires) {
	var reached [pommerman.MaxBombs]grid.Bits
	var life [pommerman.MaxBombs]uint8
	for i, b := range bombs {
		life[i] = b.Life
		pommerman.Rays(&l.v.Board, b.Cell, b.Blast, &reached[i])
	}
	for changed := true; changed; {
		changed = false
		for i := range bombs {
			for j := range bombs {
				if sooner := life[j] + one(l.v.Rules.DelayedChain); sooner < life[i] && reached[j].Has(bombs[i].Cell) {
					life[i], changed = sooner, true
				}
			}
		}
	}
	for i := range bombs {
		at := &to[life[i]%maxSteps]
		*at = at.Or(reached[i])
	}
}

// moves is those that do something, and of them those that can be survived and kick no
// bomb, unless there are none.
func (l *look) moves() tactics.Moves {
	v, self := l.v, l.v.Self.Cell
	var allowed, safe tactics.Moves
	for move := pommerman.Stop; move <= pommerman.LayBomb; move++ {
		to, free, fires := self, l.free, l.fires
		switch {
		case move == pommerman.LayBomb:
			if v.Self.Ammo == 0 || l.bombs[self] != nil && !v.Rules.Traits().BombsStack {
				continue
			}
			bombs := l.last
			bombs.Add(pommerman.SeenBomb{Cell: self, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast})
			l.explode(bombs.All(), &fires)
			free.Remove(self)
		case move != pommerman.Stop:
			to = self.Next(grid.Dir(move))
			if isWall(v.Board[to]) {
				continue
			}
		}
		allowed = allowed.With(move)
		kicks := to != self && v.Self.Kicks && l.bombs[to] != nil
		if !free.Has(to) {
			to = self
		}
		if !kicks && l.survives(to, &free, &fires) {
			safe = safe.With(move)
		}
	}
	if safe == 0 {
		return allowed
	}
	return safe
}

// survives reports whether, from a cell that it is on after the next step, there is a path
// that no flame touches until the last of the bombs has burnt out.
func (l *look) survives(from grid.Cell, free *grid.Bits, begin *fires) bool {
	lingers := l.v.Rules.Traits().Lingers
	flames := l.v.Rules.FlameLife + lingers
	var at grid.Bits
	at.Add(from)
	for t := 1; t < min(l.v.Rules.BombLife+flames, maxSteps); t++ {
		if t > 1 {
			at = at.Or(at.Grow().And(*free))
		}
		for begun := max(t-flames+1, 1); begun <= t; begun++ {
			at = at.AndNot(begin[begun])
		}
		for c := range at.All {
			if life := int(l.v.Flames[c]); life > 0 && t < life+lingers {
				at.Remove(c)
			}
		}
	}
	return !at.Empty()
}
