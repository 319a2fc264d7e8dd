package pommerman

import "pommego/env/grid"

// Bombs holds the bombs of a position, and finds what they do while everybody stands still.
// [Bombs.Explode] returns one explosion after another, with its time since the position. Bombs set each
// other off (or in 2018 take each other away), and burnt wood lets later rays through. While a bomb
// rolls, which is rare, the rules themselves are played. A Bombs can be used again for another position.
type Bombs struct {
	Board [256]Item // what stops rays; burnt wood is gone from it
	Rest  grid.Bits // where bombs lie still, including those that have exploded since
	Still grid.Bits // where bombs lay still at first
	Rolls grid.Bits // where bombs rolled at first

	rules *Rules
	list  [MaxBombs + 1]Bomb // their lives are counted from the position
	n     int

	// While something rolls, the bombs are those of this state, which is so many steps later, and the list is not used.
	rolling bool
	now     int
	state   State
	first   [MaxAgents * (1 + MaxWords)]uint8 // the agents' actions in the first step
	seat    int
	own     Agent // the seat's own agent after the first step
}

// See takes the bombs of a view. move is what the seat itself does in the coming step,
// before it stands still: a bomb that it lays or kicks then is one of the bombs.
func (f *Bombs) See(v *View, move Action) {
	r := v.Rules
	f.begin(r, v.Bombs[:v.NumBombs])
	f.seat, f.own = v.Seat, v.Self
	kicks := v.Kicks(move)
	f.rolling = kicks || !f.Rolls.Empty() || r.StepKind == StepJava && v.NumBombs+int(toByte(move == LayBomb)) > 1
	if kicks {
		f.Rest.Remove(v.Self.Cell.Next(grid.Dir(move)))
	}
	if f.rolling {
		v.guess(&f.state)
		f.first[v.Seat*(1+r.RadioWords)] = uint8(move)
		return
	}
	f.settle(&v.Board, v.Bombs[:v.NumBombs])
	if move == LayBomb {
		f.list[f.n] = Bomb{Cell: v.Self.Cell, Life: uint8(r.BombLife), Blast: v.Self.Blast}
		f.n++
		f.Rest.Add(v.Self.Cell)
	}
}

// Take takes the bombs of a state. Bombs that lie still are not played by step java either, which searches would feel:
// so there a bomb does not burn on through wood that another burns in the same step.
func (f *Bombs) Take(r *Rules, s *State) {
	f.begin(r, s.bombs())
	if f.rolling = !f.Rolls.Empty(); f.rolling {
		f.state = *s
		return
	}
	f.settle(&s.Board, s.bombs())
}

func (f *Bombs) begin(r *Rules, bombs []Bomb) {
	f.rules, f.Still, f.Rolls, f.n, f.now, f.seat = r, grid.Bits{}, grid.Bits{}, 0, 0, 0
	if f.first != [len(f.first)]uint8{} {
		clear(f.first[:])
	}
	for i := range bombs {
		if b := &bombs[i]; b.Moving() == grid.Stay {
			f.Still.Add(b.Cell)
		} else {
			f.Rolls.Add(b.Cell)
		}
	}
	f.Rest = f.Still
}

// settle lists bombs of which none rolls. A bomb whose life is 0, as in a state made by hand, is due next.
func (f *Bombs) settle(board *[256]Item, bombs []Bomb) {
	f.rolling, f.Board, f.n = false, *board, copy(f.list[:], bombs)
	for i := range f.list[:f.n] {
		b := &f.list[i]
		b.Life = max(b.Life, 1) + uint8(f.now)
		f.Rest.Add(b.Cell)
	}
}

// Kicks reports whether a move of the seat leads onto a bomb that it can kick.
func (v *View) Kicks(move Action) bool {
	return v.Self.Kicks && Up <= move && move <= Right && v.BombAt(v.Self.Cell.Next(grid.Dir(move)))
}

// BombAt reports whether a bomb is seen on a cell.
func (v *View) BombAt(c grid.Cell) bool { return occupied(v.Bombs[:v.NumBombs], c) }

// guess sets s to what the view shows, with nothing hidden. Cells in fog can burn, and nothing rolls into them.
func (v *View) guess(s *State) {
	r := v.Rules
	*s = State{Board: v.Board, StepCount: uint16(v.StepCount), flames: v.flames}
	for c := range grid.Square(r.BoardSize).All {
		switch item := v.Board[c]; {
		case item == Fog:
			s.Board[c] = ExtraBomb
		case item >= r.Agent0():
			s.Agents[(item-r.Agent0())%MaxAgents] = Agent{Cell: c, Alive: true, Blast: 1}
		}
	}
	s.Agents[v.Seat] = v.Self
	for i := range v.Bombs[:v.NumBombs] {
		b := &v.Bombs[i]
		s.addBomb(NewBomb(b.Cell, max(b.Life, 1), b.Blast, v.Seat, b.Moving()))
	}
	if r.Traits().ringsWait {
		s.due = int8(r.ringDue(v.StepCount) + 1)
	}
}

// Explode lets the bombs that are due first explode, and returns when that is and which cells burn. It
// returns 0 if no bomb is left. While a bomb rolls, each call plays one step, in which perhaps nothing burns.
// fallen is what [Rules.Fallen] wrote for the position; nil: no ring falls. Rings bury the bombs on them.
func (f *Bombs) Explode(fallen []grid.Bits) (at int, burnt grid.Bits) {
	if f.rolling {
		return f.play()
	}
	if len(fallen) > 0 && !fallen[len(fallen)-1].Empty() {
		f.bury(fallen)
	}
	if f.n == 0 {
		return 0, burnt
	}
	r, first := f.rules, f.due()
	for again := true; again; {
		again = false
		f.keep(func(b *Bomb) bool {
			if b.Life != first {
				return true
			}
			Rays(&f.Board, b.Cell, b.Blast, &burnt)
			again = !r.DelayedChain
			return false
		})
		if r.Traits().BombsVanish {
			f.keep(func(b *Bomb) bool { return !burnt.Has(b.Cell) })
		} else {
			f.setOff(first, &burnt)
		}
	}
	for c := range burnt.All {
		if f.Board[c] == Wood {
			f.Board[c] = Passage
		}
	}
	return int(first), burnt
}

// play plays one step by the rules.
func (f *Bombs) play() (at int, burnt grid.Bits) {
	s := &f.state
	f.rules.Step(s, f.first[:])
	clear(f.first[:])
	if f.now++; f.now == 1 {
		f.own = s.Agents[f.seat]
	}
	rolling := f.rules.StepKind == StepJava && s.NumBombs > 0
	for i := range s.bombs() {
		if b := &s.Bombs[i]; b.Moving() != grid.Stay {
			rolling = true
		} else {
			f.Rest.Add(b.Cell)
		}
	}
	if burnt = s.flames[f.rules.FlameLife-1]; !rolling {
		f.settle(&s.Board, s.bombs())
	}
	return f.now, burnt
}

// due returns when the first of the listed bombs explode.
func (f *Bombs) due() uint8 {
	first := f.list[0].Life
	for _, b := range f.list[1:f.n] {
		first = min(first, b.Life)
	}
	return first
}

func (f *Bombs) setOff(at uint8, burnt *grid.Bits) {
	at += toByte(f.rules.DelayedChain)
	for i := range f.list[:f.n] {
		if b := &f.list[i]; burnt.Has(b.Cell) {
			b.Life = min(b.Life, at)
		}
	}
}

// bury removes the bombs on rings that fall before the next bomb explodes.
func (f *Bombs) bury(fallen []grid.Bits) {
	for n := -1; n != f.n && f.n > 0; {
		n = f.n
		walls := &fallen[min(int(f.due()), len(fallen))-1]
		f.keep(func(b *Bomb) bool { return !walls.Has(b.Cell) })
	}
}

// keep keeps the listed bombs for which good returns true, in order.
func (f *Bombs) keep(good func(b *Bomb) bool) {
	n := 0
	for i := range f.list[:f.n] {
		if good(&f.list[i]) {
			f.list[n] = f.list[i]
			n++
		}
	}
	f.n = n
}
