package orders

import (
	"cmp"
	"slices"

	"pommego/arena/scene"
	"pommego/env"
)

// The choices of an action that move a figure, as many as env.Moves, and the one after them that
// lays a bomb.
const (
	moves = 5
	lay   = moves
)

// task is one tick of a seat's orders.
type task struct {
	*Controller
	head *scene.Head
	seen scene.Step
	seat int

	figures, others []*env.SceneAgent // the seat's by their number, dead ones too; the others on the board
	at              int               // the cell of the first figure
	ways            [2]*scene.Way     // [0] enters no cell that another figure is beside, [1] does
	made            []uint8           // the moves of the figures
}

// look updates the task from what the seat sees. It says why the seat plays no more; "" if it plays.
func (t *task) look() string {
	for i := range t.seen.Agents {
		switch a := &t.seen.Agents[i]; {
		case a.Seat == t.seat:
			t.figures = append(t.figures, a)
		case a.Alive:
			t.others = append(t.others, a)
		}
	}
	t.at = t.cell(t.figures[0].At)
	if t.tick == 0 {
		t.start = t.at
	}
	t.Look(t.seat)
	return cmp.Or(when(t.seen.Status.Over, "the game is over"),
		when(!slices.Contains(t.seen.Status.In, t.seat), "you are out"))
}

// when returns why if ends is true; else "".
func when(ends bool, why string) string {
	if ends {
		return why
	}
	return ""
}

func (t *task) cell(at env.Place) int { return at[0]*t.head.Cols + at[1] }

func (t *task) place(cell int) env.Place { return env.Place{cell / t.head.Cols, cell % t.head.Cols} }

// distance is how many rows and columns lie between two places.
func (t *task) distance(a, b env.Place) int {
	rows, cols := t.head.Way(a, b)
	return max(rows, -rows) + max(cols, -cols)
}

// foresee finds the ways after a move, which may lay or kick a bomb. The first way avoids cells
// that another figure is beside, since that figure may enter them first.
func (t *task) foresee(move uint8) (ways [2]*scene.Way) {
	var f env.Forecast
	t.sight.Foresee(move, &f)
	f.Open[t.at] = f.Open[t.at] && move != lay
	quiet := slices.Clone(f.Open)
	for _, o := range t.others {
		for a := range uint8(moves) {
			if c := t.head.Neighbour(t.cell(o.At), int(a)); c >= 0 {
				quiet[c] = false
			}
		}
	}
	for i, open := range [2][]bool{quiet, f.Open} {
		ways[i] = scene.NewWay(t.head, f.Burns, func(_, cell int) bool { return open[cell] })
	}
	return ways
}

// carry decides on the action of an order in this tick. done says why the order is finished; "" if it is not.
func (t *task) carry() (action uint8, done string) {
	t.ways = t.foresee(0)
	quiet := when(t.ways[0].Last == 0, "nothing is going to burn")
	switch t.orders.Kind {
	case Go:
		action, found := t.toward(func(c int) bool { return c == t.cell(t.orders.Cell) })
		there := when(t.at == t.cell(t.orders.Cell), "you are there")
		return action, cmp.Or(there, when(!found, "there is no safe way"))
	case Wait:
		action, _ = t.toward(func(c int) bool { return c == t.start })
		return action, ""
	case Follow:
		mate := t.nearest(true)
		if mate == nil {
			return t.hide(), "no teammate is in view"
		}
		action, _ = t.toward(func(c int) bool { return t.distance(t.place(c), mate.At) <= 2 })
		return action, ""
	case Bomb:
		if t.tick == 0 {
			if t.unlaid = !t.mayLay(); !t.unlaid {
				return lay, ""
			}
		}
		return t.hide(), quiet
	case Dig, Hunt:
		action, found := t.bomb()
		why := cmp.Or(when(t.figures[0].Ammo == 0, "you have no bomb to lay"),
			"no target is left that you can reach and bomb safely")
		return action, when(!found && quiet != "", why)
	}
	return t.hide(), ""
}

// bomb lays a bomb that reaches a target, or walks to a cell for one. The target of Hunt is the nearest
// enemy, else it is wood that is not going to burn. Without a target that it reaches safely, it hides.
func (t *task) bomb() (action uint8, found bool) {
	targets := []func(c int) bool{func(c int) bool { return t.seen.Ground[c] == env.GroundWood && t.ways[0].Fire[c] == 0 }}
	if enemy := t.nearest(false); enemy != nil && t.orders.Kind == Hunt {
		targets = slices.Insert(targets, 0, func(c int) bool { return c == t.cell(enemy.At) })
	}
	// A bomb laid on another may replace it, so that it would never go off.
	onBomb := slices.ContainsFunc(t.seen.Bombs, func(b env.SceneBomb) bool { return t.cell(b.At) == t.at })
	for _, target := range targets {
		if t.figures[0].Ammo == 0 {
			break
		}
		if !onBomb && t.reaches(t.at, target) && t.mayLay() {
			return lay, true
		}
		if action, found = t.toward(func(c int) bool { return c != t.at && t.reaches(c, target) }); found {
			return action, true
		}
	}
	return t.hide(), false
}

// mayLay reports whether the seat can lay a bomb and live.
func (t *task) mayLay() bool {
	mask := make([]uint8, (&env.Spec{Actions: t.head.Actions}).MaskSize())
	t.match.Mask(t.seat, mask)
	return mask[lay] != 0 && t.foresee(lay)[0].Lives(1, t.at)
}

// reaches reports whether the seat's bomb on a cell would reach a target.
func (t *task) reaches(from int, target func(c int) bool) bool {
	for a := uint8(1); a < moves; a++ {
		c := from
		for range t.figures[0].Blast - 1 {
			if c = t.head.Neighbour(c, int(a)); c < 0 || t.seen.Ground[c] == env.GroundWall {
				break
			}
			if target(c) {
				return true
			}
			if t.seen.Ground[c] == env.GroundWood {
				break
			}
		}
	}
	return false
}

// nearest is the nearest teammate or enemy in view, nil if there is none.
func (t *task) nearest(mate bool) (best *env.SceneAgent) {
	own := t.figures[0].At
	for _, o := range t.others {
		nearer := best == nil || t.distance(own, o.At) < t.distance(own, best.At)
		if nearer && env.Mates(t.head.Teams, t.seat, o.Seat) == mate {
			best = o
		}
	}
	return best
}

// toward is the first move of a way to a goal that the seat survives; without such a way, it hides.
func (t *task) toward(goal func(c int) bool) (move uint8, found bool) {
	for _, w := range t.ways {
		if move, found = route(w, t.at, w.Lives, goal); found {
			return move, true
		}
	}
	return t.hide(), false
}

// hide is a move to the nearest cell that is not going to burn; else a move that the seat survives,
// which may kick a bomb; else the move after which it lives longest.
func (t *task) hide() (move uint8) {
	for _, w := range t.ways {
		if move, found := route(w, t.at, w.Lives, func(c int) bool { return w.Fire[c] == 0 }); found {
			return move
		}
	}
	for a := range uint8(moves) {
		if w := t.foresee(a)[1]; w.Step(1, t.at, int(a)) >= 0 && w.Lives(1, w.Step(1, t.at, int(a))) {
			return a
		}
	}
	move, _ = route(t.ways[1], t.at, t.ways[1].Cold, func(int) bool { return false })
	return move
}

// route is the first move of the shortest way from a cell to a goal, over cells that are good at their ticks. If
// there is none, found is false, and move begins the way that lasts longest.
func route(w *scene.Way, from int, good func(t, c int) bool, goal func(c int) bool) (move uint8, found bool) {
	const unreached = moves
	now, first := []int{from}, make([]uint8, len(w.Fire))
	for t := 1; ; t++ {
		var next []int
		firsts := slices.Repeat([]uint8{unreached}, len(w.Fire))
		for _, c := range now {
			for a := range uint8(moves) {
				to := w.Step(t, c, int(a))
				if to < 0 || firsts[to] != unreached || !good(t, to) {
					continue
				}
				if firsts[to] = first[c]; t == 1 {
					firsts[to] = a
				}
				if goal(to) {
					return firsts[to], true
				}
				next = append(next, to)
			}
		}
		if len(next) == 0 || t > w.Last && len(next) == len(now) {
			return move, false
		}
		now, first, move = next, firsts, firsts[next[0]]
	}
}
