package basewar

import (
	"fmt"
	"slices"
	"testing"

	"pommego/env/grid"
)

// The slow twin: the rules page written down as plainly as it can be, with
// lists and a map of characters instead of bits, and no thought of speed. It
// shares no code with the fast step.

type twinPos struct{ row, col int }

var twinWays = map[Action]twinPos{Up: {-1, 0}, Down: {1, 0}, Left: {0, -1}, Right: {0, 1}}

func (p twinPos) add(d twinPos, n int) twinPos { return twinPos{p.row + n*d.row, p.col + n*d.col} }

type twinBomber struct {
	at           twinPos
	lives, bombs int
}

type twinBomb struct {
	at     twinPos
	life   int
	owners []int
	fresh  bool
}

type twin struct {
	r       *Rules
	board   map[twinPos]byte // '.', '#', '%', '<' and '>'; cells off the board are missing
	bombers []twinBomber
	bombs   []*twinBomb
	energy  [2]int
	score   [2]int
	gained  [2]int
	steps   int
	blast   map[twinPos]bool
}

func twinAt(c grid.Cell) twinPos { return twinPos{c.Row(), c.Col()} }

// newTwin reads a State.
func newTwin(r *Rules, s *State) *twin {
	t := &twin{r: r, board: map[twinPos]byte{}, blast: map[twinPos]bool{}, steps: int(s.StepCount)}
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			c, at := grid.At(row, col), twinPos{row, col}
			t.board[at] = '.'
			if s.Stones.Has(c) {
				t.board[at] = '#'
			}
			if s.Boxes.Has(c) {
				t.board[at] = '%'
			}
			if s.Blast.Has(c) {
				t.blast[at] = true
			}
		}
	}
	t.board[twinPos{r.BoardSize / 2, 0}] = '<'
	t.board[twinPos{r.BoardSize / 2, r.BoardSize - 1}] = '>'
	for _, b := range s.Bombers {
		t.bombers = append(t.bombers, twinBomber{twinAt(b.Cell), int(b.Lives), int(b.Bombs)})
	}
	for _, b := range s.Bombs[:s.NumBombs] {
		bomb := &twinBomb{at: twinAt(b.Cell), life: int(b.Life)}
		for id := range NumBombers {
			if b.Owners>>id&1 != 0 {
				bomb.owners = append(bomb.owners, id)
			}
		}
		t.bombs = append(t.bombs, bomb)
	}
	for side := range 2 {
		t.energy[side], t.score[side], t.gained[side] = int(s.Energy[side]), int(s.Score[side]), int(s.Gained[side])
	}
	return t
}

// text writes everything down, so that two states can be compared and read.
func (t *twin) text() string {
	out := fmt.Appendf(nil, "round %d, energy %v, score %v, gained %v\n", t.steps, t.energy, t.score, t.gained)
	for row := range t.r.BoardSize {
		for col := range t.r.BoardSize {
			ch := t.board[twinPos{row, col}]
			if t.blast[twinPos{row, col}] && ch == '.' {
				ch = '*'
			}
			out = append(out, ch)
		}
		out = append(out, '\n')
	}
	for id, b := range t.bombers {
		out = fmt.Appendf(out, "bomber %d %+v\n", id, b)
	}
	for _, b := range t.bombs {
		out = fmt.Appendf(out, "bomb at %v, life %d, of %v\n", b.at, b.life, b.owners)
	}
	return string(out)
}

func (t *twin) bombAt(p twinPos) *twinBomb {
	for _, b := range t.bombs {
		if b.at == p {
			return b
		}
	}
	return nil
}

func (t *twin) step(moves []Action) {
	t.blast, t.gained = map[twinPos]bool{}, [2]int{}
	for _, b := range t.bombs {
		b.fresh = false
	}
	if t.r.LayFirst {
		t.lay(moves)
		t.move(moves)
	} else {
		t.move(moves)
		t.lay(moves)
	}
	for _, b := range t.bombs {
		if !b.fresh || t.r.TickAtOnce {
			b.life--
		}
	}
	t.explode()
	t.steps++
}

func (t *twin) move(moves []Action) {
	for id := range t.bombers {
		b := &t.bombers[id]
		way, walks := twinWays[moves[id]]
		if b.lives == 0 || !walks {
			continue
		}
		if to := b.at.add(way, 1); t.board[to] == '.' && t.bombAt(to) == nil {
			b.at = to
		}
	}
}

func (t *twin) lay(moves []Action) {
	for id := range t.bombers {
		b := &t.bombers[id]
		if b.lives == 0 || moves[id] != LayBomb || b.bombs == 0 {
			continue
		}
		lies := t.bombAt(b.at)
		switch {
		case lies == nil:
			t.bombs = append(t.bombs, &twinBomb{b.at, t.r.BombLife, []int{id}, true})
			b.bombs--
		case lies.fresh && (t.r.AllPay || !slices.ContainsFunc(lies.owners, func(other int) bool { return other%2 == id%2 })):
			lies.owners = append(lies.owners, id)
			b.bombs--
		}
	}
}

// mark is who reaches a cell.
type mark struct{ blue, green, public bool }

// explode finds who is reached by whom before anything changes.
func (t *twin) explode() {
	reached := map[twinPos]mark{}
	baseHits := [2]int{}
	var done []*twinBomb
	var queue []*twinBomb
	for _, b := range t.bombs {
		if b.life == 0 {
			queue = append(queue, b)
		}
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if slices.Contains(done, b) {
			continue
		}
		done = append(done, b)
		blue := slices.ContainsFunc(b.owners, func(id int) bool { return id%2 == 0 })
		green := slices.ContainsFunc(b.owners, func(id int) bool { return id%2 == 1 })
		for _, p := range t.rays(b.at) {
			m := reached[p]
			m.blue = m.blue || blue && !green
			m.green = m.green || green && !blue
			m.public = m.public || blue && green
			reached[p] = m
			if t.board[p] == '<' && !(t.r.OwnHarmless && blue && !green) {
				baseHits[0]++
			}
			if t.board[p] == '>' && !(t.r.OwnHarmless && green && !blue) {
				baseHits[1]++
			}
			if other := t.bombAt(p); other != nil {
				queue = append(queue, other)
			}
		}
	}
	t.damage(reached, baseHits)
	for _, b := range done {
		if !t.r.BombsSpent {
			for _, id := range b.owners {
				t.bombers[id].bombs++
			}
		}
	}
	t.bombs = slices.DeleteFunc(t.bombs, func(b *twinBomb) bool { return slices.Contains(done, b) })
}

// rays lists the cells a bomb reaches, each once.
func (t *twin) rays(at twinPos) []twinPos {
	var cells []twinPos
	if !t.r.OwnCellSafe {
		cells = append(cells, at)
	}
	if t.r.OwnCellShields && t.manned(at) {
		return cells
	}
	for _, way := range twinWays {
		for n := 1; n <= t.r.BlastRange; n++ {
			p := at.add(way, n)
			if ch, on := t.board[p]; !on || ch == '#' {
				break
			}
			cells = append(cells, p)
			if t.board[p] != '.' || t.manned(p) {
				break
			}
		}
	}
	return cells
}

func (t *twin) manned(p twinPos) bool {
	return slices.ContainsFunc(t.bombers, func(b twinBomber) bool { return b.lives > 0 && b.at == p })
}

func (t *twin) points(side, n int) {
	t.score[side] += n
	t.gained[side] += n
}

func (t *twin) damage(reached map[twinPos]mark, baseHits [2]int) {
	for p, m := range reached {
		t.blast[p] = true
		if t.board[p] != '%' {
			continue
		}
		t.board[p] = '.'
		if m.blue {
			t.points(0, t.r.BoxPoints)
		}
		if m.green {
			t.points(1, t.r.BoxPoints)
		}
	}
	hurt := map[twinPos]bool{}
	for id := range t.bombers {
		b := &t.bombers[id]
		m := reached[b.at]
		hit := m.blue || m.green || m.public
		if t.r.OwnHarmless {
			hit = m.public || id%2 == 0 && m.green || id%2 == 1 && m.blue
		}
		if b.lives == 0 || !hit || t.r.HurtFirst && hurt[b.at] {
			continue
		}
		hurt[b.at] = true
		b.lives--
		if b.lives == 0 {
			t.points(1-id%2, t.r.DeathPoints)
		}
	}
	for side, hits := range baseHits {
		if t.r.BaseDamage == PerRound {
			hits = min(hits, 1)
		}
		t.energy[side] = max(t.energy[side]-hits, 0)
	}
}

// moves is the action of each bomber.
func (g *Game) moves(actions []uint8) []Action {
	list := make([]Action, NumBombers)
	for id := range list {
		if g.rules.Sides {
			list[id] = Action(actions[id%2*3+id/2])
		} else {
			list[id] = Action(actions[id])
		}
	}
	return list
}

// compareStep plays one round with the state and with its slow twin.
func compareStep(t testing.TB, g *Game, s *State, actions []uint8) {
	t.Helper()
	r := g.Rules()
	before := *s
	slow := newTwin(r, s)
	slow.step(g.moves(actions))
	g.Step(s, actions)
	if got, want := newTwin(r, s).text(), slow.text(); got != want {
		t.Fatalf("moves %v from\n%s\ngave\n%s\nwant, by the slow twin,\n%s", g.moves(actions), newTwin(r, &before).text(),
			got, want)
	}
	if err := r.form().Check(s); err != nil {
		t.Fatalf("moves %v from\n%s\nbroke an invariant: %v", g.moves(actions), newTwin(r, &before).text(), err)
	}
	checkCourse(t, r, &before, s)
}

// checkCourse demands what holds from one round to the next.
func checkCourse(t testing.TB, r *Rules, before, after *State) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s, from\n%s\nto\n%s", fmt.Sprintf(format, args...), newTwin(r, before).text(), newTwin(r, after).text())
	}
	switch {
	case before.Stones != after.Stones:
		fail("stones changed")
	case after.Boxes.Or(before.Boxes) != before.Boxes:
		fail("a box appeared")
	case after.StepCount != before.StepCount+1:
		fail("%d rounds became %d", before.StepCount, after.StepCount)
	}
	deaths := [2]int{}
	for id := range after.Bombers {
		was, is := before.Bombers[id], after.Bombers[id]
		if is.Lives > was.Lives || was.Lives-is.Lives > 1 {
			fail("bomber %d had %d lives and has %d", id, was.Lives, is.Lives)
		}
		if was.Cell.Distance(is.Cell) > 1 || !was.Alive() && was.Cell != is.Cell {
			fail("bomber %d went from %s to %s", id, where(was.Cell), where(is.Cell))
		}
		if was.Alive() && !is.Alive() {
			deaths[SideOf(id)]++
		}
	}
	burnt := before.Boxes.Len() - after.Boxes.Len()
	for side := range after.Energy {
		if after.Energy[side] > before.Energy[side] {
			fail("the energy of base %d rose", side)
		}
		gained := int(after.Score[side]) - int(before.Score[side])
		least := deaths[1-side] * r.DeathPoints
		if gained != int(after.Gained[side]) || gained < least || gained > least+burnt*r.BoxPoints {
			fail("side %d gained %d points (%d noted) with %d boxes burnt and %d enemies dead", side, gained, after.Gained[side],
				burnt, deaths[1-side])
		}
	}
}
