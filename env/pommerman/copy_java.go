package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// CopyJava sets s to the copy of the game that the Java re-implementation gives a
// player for planning: what the seat sees now, and nothing else. Bombs lie still and
// have no owner, flames are new, other agents have the ammo and abilities of the start,
// and those that are not visible are [Nowhere]. Cells in fog can be entered and can
// burn. Only the Java step can play on from this copy.
//
// Without fog the original shows its players more, see [Rules.CopyWhole].
func (r *Rules) CopyJava(v *View, s *State) {
	*s = State{Board: v.Board, StepCount: uint16(v.StepCount)}
	youngest := &s.flames[r.FlameLife-1]
	for seat := range r.Seats() {
		s.Agents[seat] = Agent{Nowhere, uint8(r.StartAmmo), uint8(r.StartBlast), v.Alive.Has(seat), false}
	}
	for c := range grid.Square(r.BoardSize).All {
		switch item := v.Board[c]; {
		case item == Flames:
			youngest.Add(c)
		case item >= r.Agent0() && item < r.Agent0()+Item(r.Seats()):
			s.Agents[item-r.Agent0()].Cell = c
		}
	}
	s.Agents[v.Seat] = v.Self
	s.Agents[v.Seat].Alive = v.Alive.Has(v.Seat)
	for i := range v.NumBombs {
		b := &v.Bombs[i]
		s.addBomb(NewBomb(b.Cell, b.Life, b.Blast, Nobody, grid.Stay))
	}
}

// CopyWhole sets s to the copy that the Java re-implementation gives a player without fog. It holds
// everything, including what others carry and what is hidden under wood; but bombs lie still and
// have no owner, and flames are new. With other steps, s is the state itself. A copy has no RNG.
func (r *Rules) CopyWhole(of, s *State) {
	*s = *of
	s.RNG = env.RNG{}
	if !r.Traits().Conceals {
		return
	}
	s.flames.renew(r)
	for i, b := range s.bombs() {
		s.Bombs[i] = NewBomb(b.Cell, b.Life, b.Blast, Nobody, grid.Stay)
	}
}
