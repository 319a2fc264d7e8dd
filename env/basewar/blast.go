package basewar

import (
	"math/bits"

	"pommego/env/grid"
)

// blast holds all explosions of one round.
type blast struct {
	by    [numOwners]grid.Bits // the cells reached by bombs of each owner
	bases [2]int               // how many bombs hurt each side's base
	gone  uint32               // the bombs that explode
}

// explode lets the bombs explode that are due, and those that they reach, all at once:
// nothing changes until the last ray has been cast.
func (g *Game) explode(s *State) {
	b := g.burst(s)
	s.Blast = b.cells()
	s.clearBombs(&g.rules, b.gone)
	s.burnBoxes(&g.rules, &b)
	s.hurtBombers(&g.rules, &b)
	for side := range s.Energy {
		damage := b.bases[side]
		if g.rules.BaseDamage == PerRound {
			damage = min(damage, 1)
		}
		s.Energy[side] -= uint8(min(damage, int(s.Energy[side])))
	}
}

// burst finds the explosions of the bombs whose time is up.
func (g *Game) burst(s *State) blast {
	due := uint32(0)
	for i := range s.bombs() {
		due |= uint32(toByte(s.Bombs[i].Life == 0)) << i
	}
	walls, stops := g.barriers(s)
	return g.chain(s, due, s.bombCells(), &walls, &stops)
}

// chain follows the explosions from the bombs that are due to all bombs in lie that they reach.
func (g *Game) chain(s *State, due uint32, lie grid.Bits, walls, stops *grid.Bits) (b blast) {
	for due != 0 {
		i := bits.TrailingZeros32(due)
		b.gone |= 1 << i
		bomb := &s.Bombs[i]
		cells := g.rules.rays(bomb.Cell, walls, stops)
		owner := bomb.Owner()
		b.by[owner] = b.by[owner].Or(cells)
		for side := range b.bases {
			if cells.Has(g.bases[side]) && !(g.rules.OwnHarmless && owner == Side(side)) {
				b.bases[side]++
			}
		}
		due &^= 1 << i
		lie.Remove(bomb.Cell)
		if met := cells.And(lie); !met.Empty() {
			for c := range met.All {
				due |= 1 << s.bombAt(c)
			}
		}
	}
	return b
}

// cells is the set of cells that any bomb reaches.
func (b *blast) cells() grid.Bits { return b.by[Blue].Or(b.by[Green]).Or(b.by[Public]) }

// barriers returns walls, the cells that explosions do not reach, and stops, which also has the cells at which they
// end.
func (g *Game) barriers(s *State) (walls, stops grid.Bits) {
	walls = g.off.Or(s.Stones)
	return walls, walls.Or(s.Boxes).Or(g.fixed).Or(s.cellsOf(s.Living()))
}

// rays is the set of cells that a bomb's explosion reaches: its own, and BlastRange
// cells each way, up to and including the first that stops it. Walls are not reached.
func (r *Rules) rays(at grid.Cell, walls, stops *grid.Bits) grid.Bits {
	var cells grid.Bits
	if !r.OwnCellSafe {
		cells.Add(at)
	}
	if r.OwnCellShields && stops.Has(at) {
		return cells
	}
	for _, d := range grid.Dirs {
		c := at
		for range r.BlastRange {
			c = c.Next(d)
			if walls.Has(c) {
				break
			}
			cells.Add(c)
			if stops.Has(c) {
				break
			}
		}
	}
	return cells
}

func (s *State) clearBombs(r *Rules, gone uint32) {
	n := 0
	for i := range s.bombs() {
		b := s.Bombs[i]
		if gone>>i&1 == 0 {
			s.Bombs[n] = b
			n++
			continue
		}
		for owners := b.Owners; owners != 0 && !r.BombsSpent; owners &= owners - 1 {
			s.Bombers[owners.first()].Bombs++
		}
	}
	clear(s.Bombs[n:s.NumBombs])
	s.NumBombs = uint8(n)
}

func (s *State) burnBoxes(r *Rules, b *blast) {
	burnt := s.Boxes.And(s.Blast)
	if burnt.Empty() {
		return
	}
	for side := range s.Score {
		own := burnt.And(b.by[side])
		s.score(Side(side), own.Len()*r.BoxPoints)
	}
	s.Boxes = s.Boxes.AndNot(burnt)
}

func (s *State) hurtBombers(r *Rules, b *blast) {
	hurt := [2]grid.Bits{s.Blast, s.Blast}
	if r.OwnHarmless {
		hurt[Blue] = b.by[Green].Or(b.by[Public])
		hurt[Green] = b.by[Blue].Or(b.by[Public])
	}
	var done grid.Bits // cells on which a bomber has been hurt
	for id := range s.Bombers {
		bomber, side := &s.Bombers[id], SideOf(id)
		if !bomber.Alive() || !hurt[side].Has(bomber.Cell) || r.HurtFirst && done.Has(bomber.Cell) {
			continue
		}
		done.Add(bomber.Cell)
		bomber.Lives--
		if bomber.Lives == 0 {
			s.score(side.Other(), r.DeathPoints)
		}
	}
}

func (s *State) score(side Side, points int) {
	s.Score[side] += uint16(points)
	s.Gained[side] += uint16(points)
}
