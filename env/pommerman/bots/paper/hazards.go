package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// horizon is how many steps ahead hazards are known cell by cell: a bomb of the
// slowest preset and its flames.
const horizon = 40

// hazards is what bombs, flames and the collapse are going to do if nobody lays, kicks or
// moves anything: bombs set each other off (or in 2018 take each other away), burnt wood
// lets later rays through, rolling bombs roll until something stops them. Step 1 is the
// one to come.
type hazards struct {
	deadly [horizon + 1]grid.Bits // by step: where nobody survives its end
	due    [256]uint8             // the first step in which a bomb or a ring reaches the cell, 0 if none
	last   int                    // the last step that is deadly anywhere, 0 if none
}

// foresee finds the hazards of what a seat knows. laying reports whether the seat
// itself lays a bomb in the coming step.
func (h *hazards) foresee(v *pommerman.View, laying bool) {
	*h = hazards{}
	lasting := 1 // steps for which an explosion is deadly
	if v.Rules.Traits().FlamesKill {
		h.seeFlames(v)
		lasting = v.Rules.FlameLife + v.Rules.Traits().Lingers
	}
	h.seeRings(v)
	var bombs tactics.Bombs
	bombs.See(v)
	if v.Rules.Traits().Lingers == 0 {
		h.bury(&bombs, v.Rules.RingAt(v.StepCount))
	}
	if laying {
		bombs.Add(pommerman.SeenBomb{Cell: v.Self.Cell, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast})
	}
	board := v.Board
	for {
		at, burnt := bombs.Explode(v.Rules, &board)
		if at == 0 {
			return
		}
		h.explode(at, lasting, burnt)
	}
}

// bury takes away the bombs on rings that fall before they explode. The ring that falls
// next takes all on it.
func (h *hazards) bury(bombs *tactics.Bombs, next grid.Bits) {
	bombs.Keep(func(b *pommerman.SeenBomb) bool {
		falls := h.due[b.Cell]
		return !next.Has(b.Cell) && (falls == 0 || falls >= b.Life)
	})
}

// seeFlames marks the cells that burn: a flame that shows for one observation
// more goes out before anybody moves.
func (h *hazards) seeFlames(v *pommerman.View) {
	for c, life := range v.Flames {
		for t := 1; life > 0 && t < min(int(life)+v.Rules.Traits().Lingers, horizon); t++ {
			h.deadly[t].Add(grid.Cell(c))
			h.last = max(h.last, t)
		}
	}
}

// seeRings marks the rings of the collapse. Agents on one die at
// the end of the step at whose count it is due, and from then on it is a wall.
func (h *hazards) seeRings(v *pommerman.View) {
	if v.Rules.FirstCollapse == pommerman.NoCollapse {
		return
	}
	for t := range horizon + 1 {
		cells := v.Rules.RingAt(v.StepCount + t)
		if cells.Empty() {
			continue
		}
		first := max(t+v.Rules.Traits().Lingers, 1)
		for later := first; later <= horizon; later++ {
			h.deadly[later] = h.deadly[later].Or(cells)
		}
		h.last = horizon
		h.mark(uint8(first), cells)
	}
}

// explode marks what bombs burn in a step, and for how many steps that lasts.
func (h *hazards) explode(at, lasting int, burnt grid.Bits) {
	for t := at; t < at+lasting && t <= horizon; t++ {
		h.deadly[t] = h.deadly[t].Or(burnt)
		h.last = max(h.last, t)
	}
	h.mark(uint8(at), burnt)
}

func (h *hazards) mark(at uint8, cells grid.Bits) {
	for c := range cells.All {
		if h.due[c] == 0 || at < h.due[c] {
			h.due[c] = at
		}
	}
}
