package pommerman

import "pommego/env/grid"

// explode lets bombs explode. It passes over their list until it finds none that is due
// or in flames. Flames burn at once: so a later bomb of the same pass is set off, and
// its ray runs on through wood that has burnt.
func (t *javaTurn) explode() {
	s := t.s
	for {
		var gone [MaxBombs]uint8 // the bombs that exploded in this pass
		n := 0
		for i := range s.bombs() {
			if b := &s.Bombs[i]; b.Life == 0 || t.burning.Has(b.Cell) {
				t.blast(b)
				gone[n] = uint8(i)
				n++
			}
		}
		if n == 0 {
			return
		}
		was := s.Bombs
		s.keepBombs(func(b *Bomb) bool {
			for _, i := range gone[:n] { // removes also bombs with the same cell and life
				if was[i].Cell == b.Cell && was[i].Life == b.Life {
					return false
				}
			}
			return true
		})
	}
}

// blast lays a bomb's flames: on its cell, along its row and along its column.
func (t *javaTurn) blast(b *Bomb) {
	t.s.giveBack(b)
	t.track.explodeJava(t, b)
	if t.s.Board[b.Cell] != Rigid {
		t.lay(b, b.Cell)
	}
	t.rays(b, grid.Right, grid.Left)
	t.rays(b, grid.Down, grid.Up)
}

// rays lays the flames of two opposite rays, cell by cell in turn. A ray ends before a
// rigid wall or the border, and on the first wood.
func (t *javaTurn) rays(b *Bomb, one, other grid.Dir) {
	dirs, at, on := [2]grid.Dir{one, other}, [2]grid.Cell{b.Cell, b.Cell}, [2]bool{true, true}
	for range int(b.Blast) - 1 {
		for k, d := range dirs {
			if !on[k] {
				continue
			}
			at[k] = at[k].Next(d)
			item := t.s.Board[at[k]]
			on[k] = !item.wall()
			if item != Rigid {
				t.lay(b, at[k])
			}
		}
	}
}

// lay lays a flame of a bomb. If it is the second of this step on its cell, the item
// hidden there is lost, unless a ring falls on the cell before both flames go out.
func (t *javaTurn) lay(b *Bomb, c grid.Cell) {
	s, young, lost := t.s, &t.s.flames[t.r.FlameLife-1], Passage
	t.track.flameJava(s, b, c)
	if young.Has(c) && !t.r.fallsOn(c, int(s.StepCount), t.r.FlameLife) {
		lost = s.Hidden(c)
		s.Hide(c, Passage)
	}
	if t.lit != nil {
		t.lit(c, lost)
	}
	young.Add(c)
	t.burning.Add(c)
	s.Board[c] = Flames
}

// putOut ends the dying flames. An item that appears under another flame is lost.
func (t *javaTurn) putOut() {
	for c := range t.dying.All {
		t.s.uncover(c)
	}
	t.s.drawOldFlames()
}
