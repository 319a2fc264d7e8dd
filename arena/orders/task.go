package orders

import (
	"slices"

	"pommego/arena/scene"
	"pommego/env"
)

// task is one tick of a seat's orders.
type task struct {
	*Controller
	head *scene.Head
	seen *scene.Step
	seat int
	team env.SeatSet // the seat and its teammates

	figures, others []*env.SceneAgent // that live
	at              int               // the cell of the first figure
	ways            [2]*way           // with care, and without
}

// look takes in what the seat sees, and reports whether it still plays.
func (t *task) look() bool {
	for _, team := range t.head.Teams {
		if slices.Contains(team, t.seat) {
			for _, mate := range team {
				t.team = t.team.With(mate)
			}
		}
	}
	for i := range t.seen.Agents {
		switch a := &t.seen.Agents[i]; {
		case a.Seat == t.seat && (a.Alive || Movers(t.head) > 1):
			t.figures = append(t.figures, a)
		case a.Alive && a.Seat != t.seat:
			t.others = append(t.others, a)
		}
	}
	if len(t.figures) == 0 || t.seen.Status.Over || !slices.Contains(t.seen.Status.In, t.seat) {
		return false
	}
	if t.at = t.cell(t.figures[0].At); t.tick == 0 {
		t.start = t.at
	}
	if t.sight == nil {
		if f, ok := t.match.(env.Foreseer); ok {
			t.sight = f.Foresight(t.seat)
		}
	}
	if t.sight != nil {
		t.sight.Look(t.match)
	}
	return true
}

func (t *task) cell(at env.Place) int { return at[0]*t.head.Cols + at[1] }

// distance is how many rows and columns lie between two cells.
func (t *task) distance(a, b int) int {
	rows, cols := a/t.head.Cols-b/t.head.Cols, a%t.head.Cols-b%t.head.Cols
	rows, cols = max(rows, -rows), max(cols, -cols)
	if t.head.Torus {
		rows, cols = min(rows, t.head.Rows-rows), min(cols, t.head.Cols-cols)
	}
	return rows + cols
}

// foresee finds the ways that are left, if a move is made now that may lay or kick a bomb. A careful
// way does not rely on cells that another figure is beside: it may be there first.
func (t *task) foresee(move uint8) (ways [2]*way) {
	var f env.Forecast
	t.sight.Foresee(move, &f)
	f.Open[t.at] = f.Open[t.at] && move != lay
	quiet := slices.Clone(f.Open)
	for _, o := range t.others {
		for a := range uint8(moves) {
			if c := neighbour(t.head, t.cell(o.At), a); c >= 0 {
				quiet[c] = false
			}
		}
	}
	return [2]*way{newWay(t.head, &f, quiet, t.at), newWay(t.head, &f, f.Open, t.at)}
}

// carry decides on a tick of an order. done reports that nothing is left of it to do.
func (t *task) carry() (action uint8, done bool) {
	if t.sight == nil {
		return 0, true
	}
	t.ways = t.foresee(0)
	switch t.orders.Kind {
	case Go:
		goal := t.cell(t.orders.Cell)
		action, ok := t.toward(func(c int) bool { return c == goal })
		return action, !ok || t.at == goal
	case Wait:
		action, _ := t.toward(func(c int) bool { return c == t.start })
		return action, false
	case Bomb:
		if t.tick == 0 && t.mayLay() {
			return lay, false
		}
		return t.hide(), t.tick == 0 || t.ways[0].last == 0
	case Dig:
		return t.dig()
	case Hunt:
		return t.hunt()
	case Follow:
		return t.follow()
	}
	return t.hide(), false
}

// toward is the first move of a way to a goal on which the seat lives; without one it is the move
// by which it lives longest.
func (t *task) toward(goal func(c int) bool) (move uint8, found bool) {
	for _, w := range t.ways {
		if move, found = w.to(w.lives, goal); found {
			return move, true
		}
	}
	return t.hide(), false
}

// hide is a move to the nearest cell that is never going to burn, or to where the seat lives
// longest.
func (t *task) hide() (move uint8) {
	found := false
	for _, w := range t.ways {
		if move, found = w.to(w.lives, func(c int) bool { return w.fire[c] == 0 }); found {
			return move
		}
	}
	for a := range uint8(moves) {
		if w := t.foresee(a)[1]; w.step(t.at, a) >= 0 && w.lives(1, w.step(t.at, a)) {
			return a // it may kick a bomb
		}
	}
	move, _ = t.ways[1].to(t.ways[1].cold, func(int) bool { return false })
	return move
}

// mayLay reports whether the seat can lay a bomb and live.
func (t *task) mayLay() bool {
	onBomb := slices.ContainsFunc(t.seen.Bombs, func(b env.SceneBomb) bool { return t.cell(b.At) == t.at })
	return t.figures[0].Ammo > 0 && !onBomb && t.foresee(lay)[0].lives(1, t.at)
}

// dig bombs wood that is not going to burn.
func (t *task) dig() (action uint8, done bool) {
	beside := func(c int) bool {
		for a := uint8(1); a < moves; a++ {
			to := neighbour(t.head, c, a)
			if to >= 0 && t.seen.Ground[to] == env.GroundWood && t.ways[0].fire[to] == 0 {
				return true
			}
		}
		return false
	}
	if t.figures[0].Ammo == 0 {
		return t.hide(), false
	}
	if beside(t.at) && t.mayLay() {
		return lay, false
	}
	action, found := t.toward(func(c int) bool { return c != t.at && beside(c) })
	return action, !found && t.ways[0].last == 0
}

// hunt bombs the nearest enemy in view, and digs where there is no way to it.
func (t *task) hunt() (action uint8, done bool) {
	prey := t.nearest(func(o *env.SceneAgent) bool { return !t.team.Has(o.Seat) })
	if prey == nil {
		return t.dig()
	}
	if t.figures[0].Ammo == 0 {
		return t.hide(), false
	}
	if t.reaches(t.at, t.cell(prey.At)) && t.mayLay() {
		return lay, false
	}
	action, found := t.toward(func(c int) bool { return c != t.at && t.reaches(c, t.cell(prey.At)) })
	if !found {
		return t.dig()
	}
	return action, false
}

// reaches reports whether the seat's bomb on a cell would reach another.
func (t *task) reaches(from, to int) bool {
	for a := uint8(1); a < moves; a++ {
		c := from
		for range t.figures[0].Blast - 1 {
			if c = neighbour(t.head, c, a); c < 0 || t.seen.Ground[c] == env.GroundWall || t.seen.Ground[c] == env.GroundWood {
				break
			}
			if c == to {
				return true
			}
		}
	}
	return false
}

// follow keeps two cells or less from the nearest teammate.
func (t *task) follow() (action uint8, done bool) {
	mate := t.nearest(func(o *env.SceneAgent) bool { return t.team.Has(o.Seat) })
	if mate == nil {
		return t.hide(), true
	}
	action, _ = t.toward(func(c int) bool { return t.distance(c, t.cell(mate.At)) <= 2 })
	return action, false
}

// nearest is the nearest of some other figures, nil if none is in view.
func (t *task) nearest(some func(*env.SceneAgent) bool) (best *env.SceneAgent) {
	for _, o := range t.others {
		if some(o) && (best == nil || t.distance(t.at, t.cell(o.At)) < t.distance(t.at, t.cell(best.At))) {
			best = o
		}
	}
	return best
}
