package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// Horizon is how many steps a forecast covers: enough for a bomb of the slowest preset and its flames.
const Horizon = 40

// Forecast holds what bombs, flames and the collapse are going to do while everybody
// stands still, by what a seat sees. It is exact, by the rules, for everything whose
// causes are all in view. Step 1 is the coming one; what is due later than Horizon counts as due in that step. A
// Forecast can be used again.
type Forecast struct {
	Deadly [Horizon + 1]grid.Bits // by step: cells on which nobody survives its end
	Due    [256]uint8             // by cell: the first step in which an explosion or a ring reaches it, 0 if none
	Struck grid.Bits              // the cells for which Due is not 0
	Ever   grid.Bits              // the cells that are deadly in some step
	Last   int                    // the last step in which some cell is deadly, 0 if none

	Bombs // the bombs that were seen

	fallen [Horizon + 1]grid.Bits // see Rules.Fallen; only by rules with a collapse
}

// Foresee finds what is to come of what a seat sees. move is what the seat itself does
// in the coming step: a bomb that it lays or kicks then counts.
func (f *Forecast) Foresee(v *View, move Action) {
	clear(f.Deadly[:f.Last+1])
	if !f.Struck.Empty() {
		f.Due, f.Struck = [256]uint8{}, grid.Bits{}
	}
	f.Ever, f.Last = grid.Bits{}, 0
	r := v.Rules
	lasting := r.Lasting()
	if r.Traits().FlamesKill {
		for life := range v.flames { // one that shows for one observation more goes out before anybody moves
			if burning := &v.flames[life]; !burning.Empty() {
				f.burn(1, life+r.Traits().Lingers, *burning)
			}
		}
	}
	var fallen []grid.Bits
	if r.FirstCollapse != NoCollapse {
		fallen = f.fallen[:]
		f.seeRings(v)
	}
	f.See(v, move)
	for f.rolling || f.n > 0 {
		if at, burnt := f.Explode(fallen); !burnt.Empty() {
			f.burn(at, at+lasting-1, burnt)
			f.mark(at, burnt)
		}
	}
}

// Lasting returns for how many steps an explosion is deadly.
func (r *Rules) Lasting() int {
	if r.Traits().FlamesKill {
		return r.FlameLife + r.Traits().Lingers
	}
	return 1
}

// burn marks cells as deadly in the steps from one to another.
func (f *Forecast) burn(from, to int, cells grid.Bits) {
	from, to = min(from, Horizon), min(to, Horizon)
	if from > to {
		return
	}
	for t := from; t <= to; t++ {
		f.Deadly[t] = f.Deadly[t].Or(cells)
	}
	f.Ever, f.Last = f.Ever.Or(cells), max(f.Last, to)
}

// seeRings finds the rings of the collapse. Agents on a ring die at the end
// of the step at whose count it is due; from then on the ring is a wall.
func (f *Forecast) seeRings(v *View) {
	v.Rules.Fallen(v.StepCount, f.fallen[:])
	var before grid.Bits
	for t := range f.fallen {
		if ring := f.fallen[t].AndNot(before); !ring.Empty() {
			f.burn(max(t, 1), Horizon, ring)
			f.mark(max(t, 1), ring)
			before = f.fallen[t]
		}
	}
}

func (f *Forecast) mark(at int, cells grid.Bits) {
	for c := range cells.AndNot(f.Struck).All {
		f.Due[c] = uint8(at)
	}
	for c := range cells.And(f.Struck).All {
		f.Due[c] = min(f.Due[c], uint8(at))
	}
	f.Struck = f.Struck.Or(cells)
}

// foresight is what a seat knows of the fire to come. In fog it uses what the seat believes about cells out of view.
type foresight struct {
	seat   int
	whole  Rules // the game's rules without fog
	view   View
	belief Belief
	unseen grid.Bits
	ahead  Forecast
}

// Foresight returns what a seat knows of the fire to come.
func (m *Match) Foresight(seat int) env.Foresight {
	f := &foresight{seat: seat, whole: m.game.rules}
	f.whole.ViewSize = 0
	return f
}

func (f *foresight) Look(m env.Match) {
	match := m.(*Match)
	r := &match.game.rules
	match.View(f.seat, &f.view)
	if r.ViewSize == 0 {
		return
	}
	f.unseen = grid.Square(r.BoardSize).AndNot(r.window(match.Agents[f.seat].Cell))
	r.Imagine(&f.belief, &f.view)
	f.whole.See(&f.belief.State, f.seat, &f.view)
}

// Foresee writes what is to come. Agents out of view are not in the way, because where
// they are is only a guess.
func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	n := f.whole.BoardSize
	f.ahead.Foresee(&f.view, Action(move))
	to.Clear(n * n)
	for i := range to.Burns {
		c := grid.At(i/n, i%n)
		for t := 1; t <= f.ahead.Last; t++ {
			to.Burns[i] |= uint64(toByte(f.ahead.Deadly[t].Has(c))) << t
		}
		item := f.view.Board[c]
		free := item != Rigid && item != Wood && !f.ahead.Rest.Has(c)
		to.Open[i] = free && (item < f.whole.Agent0() || f.unseen.Has(c))
	}
}
