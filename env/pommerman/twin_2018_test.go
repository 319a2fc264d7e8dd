package pommerman

import (
	"slices"

	"pommego/env/grid"
)

// The slow twin's step of 2018: the rules page as plainly as it can be.

// step2018 makes one step. u draws for skulls.
func (t *twin) step2018(moves []Action, u func() float64) {
	var living []int
	start := make([]twinPos, len(t.agents))
	for i, a := range t.agents {
		start[i] = a.at
		if a.alive {
			living = append(living, i)
		}
	}
	t.ageFlames()
	wish := t.wishes2018(moves, living)
	for i, a := range living {
		for _, b := range living[i+1:] {
			if wish[a] == start[b] && wish[b] == start[a] {
				wish[a], wish[b] = start[a], start[b]
			}
		}
	}
	for {
		count := map[twinPos][]int{}
		for _, a := range living {
			count[wish[a]] = append(count[wish[a]], a)
		}
		again := false
		for p, all := range count {
			for _, a := range all {
				if len(all) > 1 && start[a] != p {
					wish[a] = start[a]
					again = true
				}
			}
		}
		if !again {
			break
		}
	}
	for _, a := range living {
		t.move2018(a, wish[a], grid.Dir(moves[a]), u)
	}
	t.bombs2018(living)
	t.steps++
}

func (t *twin) wishes2018(moves []Action, living []int) map[int]twinPos {
	wish := map[int]twinPos{}
	for _, i := range living {
		a := &t.agents[i]
		wish[i] = a.at
		if moves[i] == LayBomb {
			if a.ammo > 0 {
				a.ammo--
				t.bombs = append(t.bombs, &twinBomb{a.at, t.r.BombLife, a.blast, i, grid.Stay})
			}
			continue
		}
		next := a.at.add(grid.Dir(moves[i]))
		item, on := t.board[next]
		if moves[i] == Stop || !on || item == Rigid || item == Wood {
			continue
		}
		if t.first2018(next) != nil {
			beyond, on := t.board[next.add(grid.Dir(moves[i]))]
			if !a.kick || !on || beyond != Passage {
				continue
			}
		}
		wish[i] = next
	}
	return wish
}

// first2018 is the first bomb of the list on a cell.
func (t *twin) first2018(p twinPos) *twinBomb {
	for _, b := range t.bombs {
		if b.at == p {
			return b
		}
	}
	return nil
}

func (t *twin) move2018(i int, to twinPos, d grid.Dir, u func() float64) {
	a := &t.agents[i]
	if a.at != to {
		a.at = to
		if b := t.first2018(to); b != nil && a.kick {
			b.dir = d
		}
	}
	switch t.board[to] {
	case ExtraBomb:
		a.ammo = min(a.ammo+1, t.r.MaxAmmo)
	case IncrRange:
		a.blast = min(a.blast+1, t.r.MaxBlast)
	case Kick:
		a.kick = true
	case Skull:
		switch v := u(); {
		case v < 0.33:
			a.blast = max(2, a.blast-1)
		case v < 0.66:
			a.ammo = max(1, a.ammo-1)
		default:
			a.blast = min(a.blast+2, t.r.MaxBlast)
		}
	default:
		return
	}
	t.board[to] = Passage
}

// bombs2018 is everything from the bombs' moves to the drawing.
func (t *twin) bombs2018(living []int) {
	hit := map[twinPos]bool{}
	var left []*twinBomb
	for _, b := range t.bombs {
		b.life--
		if next := b.at.add(b.dir); b.dir != grid.Stay {
			switch item, on := t.board[next]; {
			case on && item == Passage:
				t.board[b.at] = Passage
				b.at = next
			case on && item == Flames:
				b.at, b.life = next, 0
			default:
				b.dir = grid.Stay
			}
		}
		if b.life != 0 {
			left = append(left, b)
			continue
		}
		t.agents[b.owner].ammo++
		hit[b.at] = true
		t.rays(b, func(p twinPos) { hit[p] = true })
	}
	t.bombs = slices.DeleteFunc(left, func(b *twinBomb) bool {
		if hit[b.at] {
			t.agents[b.owner].ammo++
		}
		return hit[b.at]
	})
	for _, b := range t.bombs {
		t.board[b.at] = BombItem
	}
	for _, i := range living {
		t.agents[i].alive = !hit[t.agents[i].at]
		for p, item := range t.board {
			if item == t.r.Agent0()+Item(i) {
				t.board[p] = Passage
			}
		}
		if t.agents[i].alive {
			t.board[t.agents[i].at] = t.r.Agent0() + Item(i)
		}
	}
	t.flare(hit)
}
