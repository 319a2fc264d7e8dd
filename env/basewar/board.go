package basewar

import (
	"errors"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
)

// layout holds what all maps of one set of rules have in common.
type layout struct {
	rules *Rules
	blank State     // bombers and energy on an empty map
	open  grid.Bits // the board without bases
	spots []spot    // free cells, each with its counterpart
}

// spot is a cell on which a stone or a box may be put, and its counterpart, which gets
// the same. A cell in the middle column of a mirrored map is its own counterpart.
type spot struct{ a, b grid.Cell }

func (p spot) single() bool { return p.a == p.b }

// start is the cell where a bomber starts: A above its base, B in front of it, C below.
func (r *Rules) start(id int) grid.Cell {
	front := [2]grid.Dir{Blue: grid.Right, Green: grid.Left}[SideOf(id)]
	return r.Base(SideOf(id)).Next([NumBombers / 2]grid.Dir{grid.Up, front, grid.Down}[id/2])
}

// newLayout works out where stones and boxes may stand.
func newLayout(r *Rules) (*layout, error) {
	l := &layout{rules: r, open: grid.Square(r.BoardSize)}
	for side := range l.blank.Energy {
		l.blank.Energy[side] = uint8(r.BaseEnergy)
		l.open.Remove(r.Base(Side(side)))
	}
	free := l.open
	for id := range l.blank.Bombers {
		start := r.start(id)
		l.blank.Bombers[id] = Bomber{start, uint8(r.Lives), uint8(r.Bombs)}
		for c := range free.All {
			if c.Distance(start) <= r.FreeSteps {
				free.Remove(c)
			}
		}
		free.Remove(start)
	}
	for c := range free.All {
		if other := r.counterpart(c); c <= other {
			l.spots = append(l.spots, spot{c, other})
		}
	}
	return l, l.check()
}

func (r *Rules) counterpart(c grid.Cell) grid.Cell {
	last := r.BoardSize - 1
	switch r.Symmetry {
	case Mirrored:
		return grid.At(c.Row(), last-c.Col())
	case Rotated:
		return grid.At(last-c.Row(), last-c.Col())
	}
	return c
}

// check returns an error unless maps can be made: there must be room for stones and
// boxes, and the RNG must find a connected map soon.
func (l *layout) check() error {
	r, pair := l.rules, func(p spot) bool { return !p.single() }
	singles := len(slices.DeleteFunc(slices.Clone(l.spots), pair))
	if r.Symmetry != Unrelated && r.NumStones%2+r.NumBoxes%2 > singles {
		return fmt.Errorf("rules: num_stones is %d and num_boxes is %d, want at most %d of them odd: with symmetry %s "+
			"the other free cells are pairs", r.NumStones, r.NumBoxes, singles, r.Symmetry)
	}
	rng := env.Seed{}.RNG(env.StreamBoard)
	for range 10_000 {
		if _, _, ok := l.draw(&rng); ok {
			return nil
		}
	}
	return errors.New("rules: num_stones and num_boxes hardly ever fit on a connected map: lower them, or raise " +
		"board_size")
}

func (l *layout) deal(s *State, rng *env.RNG) {
	for {
		if stones, boxes, ok := l.draw(rng); ok {
			*s = l.blank
			s.Stones, s.Boxes = stones, boxes
			return
		}
	}
}

// draw puts stones and then boxes on spots, each as likely as any other, and
// reports whether the map is valid: all of it must be reachable once the boxes are
// gone.
func (l *layout) draw(rng *env.RNG) (stones, boxes grid.Bits, ok bool) {
	var list [grid.MaxSharedSide * grid.MaxSharedSide]spot
	left := list[:copy(list[:], l.spots)]
	stones, left, ok = fill(left, l.rules.NumStones, rng)
	if !ok || !l.connected(stones) {
		return stones, boxes, false
	}
	boxes, _, ok = fill(left, l.rules.NumBoxes, rng)
	return stones, boxes, ok
}

// fill draws spots until they have n cells. If one cell is left to fill, pairs do not
// fit; fill fails if there are only pairs.
func fill(left []spot, n int, rng *env.RNG) (cells grid.Bits, rest []spot, ok bool) {
	for n > 0 {
		if len(left) == 0 || n == 1 && !slices.ContainsFunc(left, spot.single) {
			return cells, left, false
		}
		k, last := rng.IntN(len(left)), len(left)-1
		p := left[k]
		if n == 1 && !p.single() {
			continue
		}
		cells.Add(p.a)
		cells.Add(p.b)
		if n--; !p.single() {
			n--
		}
		left[k] = left[last]
		left = left[:last]
	}
	return cells, left, true
}

func (l *layout) connected(stones grid.Bits) bool {
	open := l.open.AndNot(stones)
	return grid.Only(l.blank.Bombers[0].Cell).Flood(open) == open
}
