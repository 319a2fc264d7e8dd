package pommerman

import "pommego/env/grid"

// Horizon is how many steps ahead hazards are known cell by cell: a bomb of the
// slowest preset and its flames.
const Horizon = 40

// Hazards is what bombs, flames and the collapse are going to do if nobody lays, kicks or
// moves anything: bombs set each other off (or in 2018 take each other away), burnt wood
// lets later rays through, rolling bombs roll until something stops them. Step 1 is the
// one to come.
type Hazards struct {
	Deadly [Horizon + 1]grid.Bits // by step: where nobody survives its end
	Due    [256]uint8             // the first step in which a bomb or a ring reaches the cell, 0 if none
	Last   int                    // the last step that is deadly anywhere, 0 if none
}

// Foresee finds the hazards of what a seat knows. laying reports whether the seat
// itself lays a bomb in the coming step.
func (h *Hazards) Foresee(v *View, laying bool) {
	*h = Hazards{}
	lasting := 1 // steps for which an explosion is deadly
	if v.Rules.Traits().FlamesKill {
		h.seeFlames(v)
		lasting = v.Rules.FlameLife + v.Rules.Traits().Lingers
	}
	h.seeRings(v)
	var bombs Bombs
	bombs.See(v)
	if v.Rules.Traits().Lingers == 0 {
		h.bury(&bombs, v.Rules.RingAt(v.StepCount))
	}
	if laying {
		bombs.Add(SeenBomb{Cell: v.Self.Cell, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast})
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
func (h *Hazards) bury(bombs *Bombs, next grid.Bits) {
	bombs.Keep(func(b *SeenBomb) bool {
		falls := h.Due[b.Cell]
		return !next.Has(b.Cell) && (falls == 0 || falls >= b.Life)
	})
}

// seeFlames marks the cells that burn: a flame that shows for one observation
// more goes out before anybody moves.
func (h *Hazards) seeFlames(v *View) {
	for c, life := range v.Flames {
		for t := 1; life > 0 && t < min(int(life)+v.Rules.Traits().Lingers, Horizon); t++ {
			h.Deadly[t].Add(grid.Cell(c))
			h.Last = max(h.Last, t)
		}
	}
}

// seeRings marks the rings of the collapse. Agents on one die at
// the end of the step at whose count it is due, and from then on it is a wall.
func (h *Hazards) seeRings(v *View) {
	if v.Rules.FirstCollapse == NoCollapse {
		return
	}
	for t := range Horizon + 1 {
		cells := v.Rules.RingAt(v.StepCount + t)
		if cells.Empty() {
			continue
		}
		first := max(t+v.Rules.Traits().Lingers, 1)
		for later := first; later <= Horizon; later++ {
			h.Deadly[later] = h.Deadly[later].Or(cells)
		}
		h.Last = Horizon
		h.mark(uint8(first), cells)
	}
}

// explode marks what bombs burn in a step, and for how many steps that lasts.
func (h *Hazards) explode(at, lasting int, burnt grid.Bits) {
	for t := at; t < at+lasting && t <= Horizon; t++ {
		h.Deadly[t] = h.Deadly[t].Or(burnt)
		h.Last = max(h.Last, t)
	}
	h.mark(uint8(at), burnt)
}

func (h *Hazards) mark(at uint8, cells grid.Bits) {
	for c := range cells.All {
		if h.Due[c] == 0 || at < h.Due[c] {
			h.Due[c] = at
		}
	}
}
