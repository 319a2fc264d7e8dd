package bots

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
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
	if v.Rules.FlamesKill() {
		h.seeFlames(v)
		lasting = v.Rules.FlameLife + lingers(v.Rules)
	}
	h.seeRings(v)
	var f fuses
	f.light(v)
	if lingers(v.Rules) == 0 {
		f.bury(h, ringAt(v.Rules, v.StepCount))
	}
	if laying && f.n < len(f.bombs) {
		f.bombs[f.n] = pommerman.SeenBomb{Cell: v.Self.Cell, Life: uint8(v.Rules.BombLife), Blast: v.Self.Blast}
		f.n++
	}
	if f.n == 0 {
		return
	}
	board := v.Board
	for {
		at, burnt := f.blow(&board, v.Rules)
		if at == 0 {
			return
		}
		h.explode(at, lasting, burnt)
		for c := range burnt.All {
			if board[c] == pommerman.Wood {
				board[c] = pommerman.Passage
			}
		}
	}
}

// lingers is by how many steps flames outlast the observations that show them,
// and by how many a ring falls later than it is due: 1 by the Java step, which
// lets both happen at its end. For what it hides the worst is assumed: bombs lie
// still, but flames are as young as they can be.
func lingers(r *pommerman.Rules) int {
	if r.StepKind == pommerman.StepJava {
		return 1
	}
	return 0
}

// seeFlames marks the cells that burn: a flame that shows for one observation
// more goes out before anybody moves.
func (h *hazards) seeFlames(v *pommerman.View) {
	for c, life := range v.Flames {
		for t := 1; life > 0 && t < min(int(life)+lingers(v.Rules), horizon); t++ {
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
		cells := ringAt(v.Rules, v.StepCount+t)
		if cells.Empty() {
			continue
		}
		first := max(t+lingers(v.Rules), 1)
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

// fuses is the bombs that have not exploded yet, their lives counted from now.
type fuses struct {
	bombs [pommerman.MaxBombs]pommerman.SeenBomb
	n     int
}

// light takes the bombs of a view to where they will explode.
func (f *fuses) light(v *pommerman.View) {
	f.n = copy(f.bombs[:], v.Bombs[:v.NumBombs])
	f.settle(v.Rules, &v.Board, func(c grid.Cell) uint8 { return v.Flames[c] })
}

// lightAll does so with the bombs of a state.
func (f *fuses) lightAll(r *pommerman.Rules, s *pommerman.State) {
	f.n = int(s.NumBombs)
	for i := range s.Bombs[:s.NumBombs] {
		b := &s.Bombs[i]
		f.bombs[i] = pommerman.SeenBomb{Cell: b.Cell, Life: b.Life, Blast: b.Blast, Moving: b.Moving()}
	}
	f.settle(r, &s.Board, s.Flame)
}

// settle takes the bombs to where they will explode, on a board with flames of the
// given lives.
func (f *fuses) settle(r *pommerman.Rules, board *[256]pommerman.Item, flame func(grid.Cell) uint8) {
	for i := range f.bombs[:f.n] {
		b := &f.bombs[i]
		b.Life = max(b.Life, 1)
		for step := uint8(1); step <= b.Life; step++ {
			to := b.Cell.Next(b.Moving)
			if b.Moving == grid.Stay || board[to] != pommerman.Passage && board[to] != pommerman.Flames {
				break
			}
			b.Cell = to
			if !r.FlamesKill() && flame(to) > step {
				b.Life = step
			}
		}
		if r.FlamesKill() && flame(b.Cell) > 1 {
			b.Life = 1
		}
	}
}

// bury takes away the bombs on rings that fall before they explode, of which h
// knows nothing else yet. The ring that falls next takes all on it.
func (f *fuses) bury(h *hazards, next grid.Bits) {
	n := 0
	for _, b := range f.bombs[:f.n] {
		falls := h.due[b.Cell]
		if !next.Has(b.Cell) && (falls == 0 || falls >= b.Life) {
			f.bombs[n] = b
			n++
		}
	}
	f.n = n
}

// blow lets the bombs that are due first explode, takes them off the list, and
// tells when that is and what they burn; 0 if there are none left.
func (f *fuses) blow(board *[256]pommerman.Item, r *pommerman.Rules) (at int, burnt grid.Bits) {
	if f.n == 0 {
		return 0, burnt
	}
	first := f.bombs[0].Life
	for _, b := range f.bombs[:f.n] {
		first = min(first, b.Life)
	}
	for again := true; again; {
		again = false
		n := 0
		for _, b := range f.bombs[:f.n] {
			if b.Life == first {
				burn(board, b.Cell, b.Blast, &burnt)
				again = !r.DelayedChain
				continue
			}
			f.bombs[n] = b
			n++
		}
		f.n = n
		if r.BombsVanish() {
			f.takeAway(&burnt)
		} else {
			f.setOff(first, r.DelayedChain, &burnt)
		}
	}
	return int(first), burnt
}

// takeAway takes the bombs on burnt cells off the list.
func (f *fuses) takeAway(burnt *grid.Bits) {
	n := 0
	for _, b := range f.bombs[:f.n] {
		if !burnt.Has(b.Cell) {
			f.bombs[n] = b
			n++
		}
	}
	f.n = n
}

// setOff lights the bombs on burnt cells.
func (f *fuses) setOff(at uint8, delayed bool, burnt *grid.Bits) {
	if delayed {
		at++
	}
	for i := range f.bombs[:f.n] {
		if b := &f.bombs[i]; burnt.Has(b.Cell) {
			b.Life = min(b.Life, at)
		}
	}
}

// ringAt is the ring of the collapse that falls between the step that brings the
// count to step and the next.
func ringAt(r *pommerman.Rules, step int) (ring grid.Bits) {
	if r.FirstCollapse == pommerman.NoCollapse || step < r.FirstCollapse || step >= r.MaxSteps {
		return ring
	}
	past, every := step-r.FirstCollapse, r.CollapseStep()
	if past%every != 0 {
		return ring
	}
	near := past / every
	far := r.BoardSize - near - 1
	for i := near; i <= far; i++ {
		ring.Add(grid.At(near, i))
		ring.Add(grid.At(i, near))
		ring.Add(grid.At(far, i))
		ring.Add(grid.At(i, far))
	}
	return ring
}
