package pommerman

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"pommego/env/grid"
)

// The slow twin: the rules page written down as plainly as it can be, with
// lists and maps instead of bits and tables, flames as a list in the
// reference's order, and no thought of speed. It shares no code with the
// fast step.

type twinPos struct{ row, col int }

func (p twinPos) add(d grid.Dir) twinPos {
	switch d {
	case grid.Up:
		return twinPos{p.row - 1, p.col}
	case grid.Down:
		return twinPos{p.row + 1, p.col}
	case grid.Left:
		return twinPos{p.row, p.col - 1}
	case grid.Right:
		return twinPos{p.row, p.col + 1}
	}
	return p
}

type twinAgent struct {
	at          twinPos
	ammo, blast int
	alive, kick bool
}

type twinBomb struct {
	at          twinPos
	life, blast int
	owner       int
	dir         grid.Dir
}

type twinFlame struct {
	at   twinPos
	life int
}

type twin struct {
	r      *Rules
	board  map[twinPos]Item // cells off the board are missing
	agents []twinAgent
	bombs  []*twinBomb
	flames []twinFlame
	items  map[twinPos]Item
	steps  int
	skull  func() int // 0, 1 or 2

	results []int // by the Java rules
}

func twinAt(c grid.Cell) twinPos { return twinPos{c.Row(), c.Col()} }

// newTwin reads a State.
func newTwin(r *Rules, s *State) *twin {
	t := &twin{r: r, board: map[twinPos]Item{}, items: map[twinPos]Item{}, steps: int(s.StepCount)}
	rng := s.RNG
	t.skull = func() int { return rng.IntN(3) }
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			c := grid.At(row, col)
			t.board[twinPos{row, col}] = s.Board[c]
			if item := s.Hidden(c); item != Passage {
				t.items[twinPos{row, col}] = item
			}
		}
	}
	for _, a := range s.Agents[:r.Seats()] {
		t.agents = append(t.agents, twinAgent{twinAt(a.Cell), int(a.Ammo), int(a.Blast), a.Alive, a.Kicks})
	}
	for _, b := range s.Bombs[:s.NumBombs] {
		t.bombs = append(t.bombs, &twinBomb{twinAt(b.Cell), int(b.Life), int(b.Blast), b.Owner(), b.Moving()})
	}
	for life, layer := range s.flames {
		for c := range layer.All {
			t.flames = append(t.flames, twinFlame{twinAt(c), life})
		}
	}
	if r.StepKind == StepJava {
		t.results = s.resultRow()
	}
	return t
}

// equal reports whether both hold the same, lists in the same order: what text writes.
func (t *twin) equal(other *twin) bool {
	same := func(a, b *twinBomb) bool { return *a == *b }
	return t.steps == other.steps && maps.Equal(t.board, other.board) && slices.Equal(t.agents, other.agents) &&
		slices.EqualFunc(t.bombs, other.bombs, same) && slices.Equal(t.flames, other.flames) &&
		maps.Equal(t.items, other.items) && slices.Equal(t.results, other.results)
}

// text writes everything down, to be read.
func (t *twin) text() string {
	out := fmt.Appendf(nil, "step %d\n", t.steps)
	for row := range t.r.BoardSize {
		for col := range t.r.BoardSize {
			out = fmt.Appendf(out, "%3d", t.board[twinPos{row, col}])
		}
		out = append(out, '\n')
	}
	for i, a := range t.agents {
		out = fmt.Appendf(out, "agent %d %+v\n", i, a)
	}
	for _, b := range t.bombs {
		out = fmt.Appendf(out, "bomb %+v\n", *b)
	}
	for _, f := range t.flames {
		out = fmt.Appendf(out, "flame %+v\n", f)
	}
	for _, p := range slices.SortedFunc(maps.Keys(t.items), func(a, b twinPos) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	}) {
		out = fmt.Appendf(out, "item %v %d\n", p, t.items[p])
	}
	return string(fmt.Appendln(out, "results", t.results))
}

func (t *twin) wall(p twinPos) bool {
	item, on := t.board[p]
	return !on || item == Rigid || item == Wood
}

func (t *twin) powerup(p twinPos) bool {
	return slices.Contains([]Item{ExtraBomb, IncrRange, Kick, Skull}, t.board[p])
}

// mover is an agent or a bomb on its way.
type mover struct {
	from, want twinPos
	agent      int // -1 for bombs
	bomb       *twinBomb
	kicked     *mover // the bomb this agent kicked, or the agent that kicked this bomb
}

func (t *twin) step(moves []Action) {
	t.burn()
	agents, bombs := t.wishes(moves)
	t.cross(agents, bombs)
	onAgents, onBombs := map[twinPos]int{}, map[twinPos]int{}
	for _, a := range agents {
		onAgents[a.want]++
	}
	for _, b := range bombs {
		onBombs[b.want]++
	}
	back := func(m *mover) {
		m.want = m.from
		if m.agent >= 0 {
			onAgents[m.from]++
		} else {
			onBombs[m.from]++
		}
	}
	crowd := func(m *mover) bool {
		return m.want != m.from && (onAgents[m.want] > 1 || onBombs[m.want] > 1)
	}
	for again := true; again; {
		again = false
		for _, m := range append(slices.Clone(agents), bombs...) {
			if crowd(m) {
				back(m)
				again = true
			}
		}
	}
	if t.kicks(moves, agents, bombs, onAgents, onBombs, back) {
		t.settleKicks(agents, bombs, onAgents, onBombs, back)
	}
	for _, b := range bombs {
		if b.want == b.from && b.kicked == nil {
			b.bomb.dir = grid.Stay
		}
		b.bomb.at = b.want
	}
	for _, a := range agents {
		if a.want != a.from {
			t.agents[a.agent].at = a.want
			t.pick(&t.agents[a.agent])
		}
	}
	t.explode()
	for i := range t.agents {
		if a := &t.agents[i]; a.alive {
			if t.board[a.at] == Flames {
				a.alive = false
			} else {
				t.board[a.at] = t.r.Agent0() + Item(i)
			}
		}
	}
	t.steps++
}

// burn ages the flames, and draws those that are left over what others uncover.
func (t *twin) burn() {
	t.ageFlames()
	t.drawFlames()
}

// ageFlames puts out the flames that are at their end.
func (t *twin) ageFlames() {
	var left []twinFlame
	for _, f := range t.flames {
		if f.life > 0 {
			left = append(left, twinFlame{f.at, f.life - 1})
			continue
		}
		t.board[f.at] = t.items[f.at] // Passage if there is none
		delete(t.items, f.at)
	}
	t.flames = left
}

// flare lays flames on the cells that were hit, and draws all of them.
func (t *twin) flare(hit map[twinPos]bool) {
	for row := range t.r.BoardSize {
		for col := range t.r.BoardSize {
			if p := (twinPos{row, col}); hit[p] {
				t.flames = append(t.flames, twinFlame{p, t.r.FlameLife - 1})
			}
		}
	}
	t.drawFlames()
}

func (t *twin) drawFlames() {
	for _, f := range t.flames {
		t.board[f.at] = Flames
	}
}

// rays visits the cells that a bomb reaches besides its own.
func (t *twin) rays(b *twinBomb, visit func(p twinPos)) {
	for _, d := range grid.Dirs {
		p := b.at
		for range b.blast - 1 {
			p = p.add(d)
			item, on := t.board[p]
			if !on || item == Rigid {
				break
			}
			visit(p)
			if item == Wood {
				break
			}
		}
	}
}

func (t *twin) wishes(moves []Action) (agents, bombs []*mover) {
	for i := range t.agents {
		a := &t.agents[i]
		if !a.alive {
			continue
		}
		t.board[a.at] = Passage
		m := &mover{from: a.at, want: a.at, agent: i}
		if moves[i] == LayBomb {
			free := !slices.ContainsFunc(t.bombs, func(b *twinBomb) bool { return b.at == a.at })
			if free && a.ammo > 0 {
				a.ammo--
				t.bombs = append(t.bombs, &twinBomb{a.at, t.r.BombLife, a.blast, i, grid.Stay})
			}
		} else if to := a.at.add(grid.Dir(moves[i])); !t.wall(to) {
			m.want = to
		}
		agents = append(agents, m)
	}
	for _, b := range t.bombs {
		t.board[b.at] = Passage
		m := &mover{from: b.at, want: b.at, agent: -1, bomb: b}
		if to := b.at.add(b.dir); b.dir != grid.Stay && !t.wall(to) && !t.powerup(to) {
			m.want = to
		}
		bombs = append(bombs, m)
	}
	return agents, bombs
}

func (t *twin) cross(agents, bombs []*mover) {
	type edge [2]twinPos
	first := map[edge]*mover{}
	for _, m := range append(slices.Clone(agents), bombs...) {
		if m.want == m.from {
			continue
		}
		e := edge{m.from, m.want}
		if m.want.row < m.from.row || m.want.col < m.from.col {
			e = edge{m.want, m.from}
		}
		other, met := first[e]
		if !met {
			first[e] = m
			continue
		}
		m.want = m.from
		if (m.agent >= 0) == (other.agent >= 0) {
			other.want = other.from
		}
	}
}

func (t *twin) kicks(moves []Action, agents, bombs []*mover, onAgents, onBombs map[twinPos]int,
	back func(*mover)) bool {
	var later []func()
	var laterAgents []func()
	for _, b := range bombs {
		if onAgents[b.want] == 0 {
			continue
		}
		i := slices.IndexFunc(agents, func(a *mover) bool { return a.want == b.want })
		if i < 0 {
			continue
		}
		a := agents[i]
		if a.want == a.from {
			if b.want != b.from {
				later = append(later, func() { back(b) })
			}
			continue
		}
		to := a.want.add(grid.Dir(moves[a.agent]))
		if t.agents[a.agent].kick && onAgents[to] == 0 && onBombs[to] == 0 && !t.wall(to) && !t.powerup(to) {
			onBombs[b.want] = 0
			b.bomb.dir = grid.Dir(moves[a.agent])
			a.kicked, b.kicked = b, a
			later = append(later, func() { b.want = to; onBombs[to]++ })
			continue
		}
		later = append(later, func() { back(b) })
		laterAgents = append(laterAgents, func() { back(a) })
	}
	for _, f := range append(later, laterAgents...) {
		f()
	}
	return len(later) > 0
}

func (t *twin) settleKicks(agents, bombs []*mover, onAgents, onBombs map[twinPos]int, back func(*mover)) {
	undo := func(m *mover) {
		back(m)
		if m.kicked != nil {
			back(m.kicked)
			m.kicked.kicked, m.kicked = nil, nil
		}
	}
	for again := true; again; {
		again = false
		for _, a := range agents {
			if a.want != a.from && (onAgents[a.want] > 1 || onBombs[a.want] > 0) {
				undo(a)
				again = true
			}
		}
		for _, b := range bombs {
			if b.want == b.from && b.kicked == nil {
				continue
			}
			if onBombs[b.want] > 1 || onAgents[b.want] > 0 {
				undo(b)
				again = true
			}
		}
	}
}

func (t *twin) pick(a *twinAgent) {
	switch t.board[a.at] {
	case ExtraBomb:
		a.ammo = min(a.ammo+1, t.r.MaxAmmo)
	case IncrRange:
		a.blast = min(a.blast+1, t.r.MaxBlast)
	case Kick:
		a.kick = true
	case Skull:
		switch t.skull() {
		case 0:
			a.blast = max(a.blast-1, 2)
		case 1:
			a.ammo = max(a.ammo-1, 1)
		case 2:
			a.blast = min(a.blast+2, t.r.MaxBlast)
		}
	}
}

func (t *twin) explode() {
	for _, b := range t.bombs {
		b.life--
		if t.board[b.at] == Flames {
			b.life = 0
		}
	}
	hit := map[twinPos]bool{}
	for round := 0; ; round++ {
		var due, left []*twinBomb
		for _, b := range t.bombs {
			if b.life == 0 {
				due = append(due, b)
			} else {
				left = append(left, b)
			}
		}
		if len(due) == 0 {
			break
		}
		for _, b := range due {
			owner := &t.agents[b.owner]
			owner.ammo = min(owner.ammo+1, t.r.MaxAmmo)
			hit[b.at] = true
			t.rays(b, func(p twinPos) { hit[p] = true })
		}
		t.bombs = left
		for _, b := range left {
			if hit[b.at] {
				b.life = 0
				if t.r.DelayedChain {
					b.life = 1
				}
			}
		}
	}
	for _, b := range t.bombs {
		t.board[b.at] = BombItem
	}
	t.flare(hit)
}

// collapse lets a ring fall.
func (t *twin) collapse(ring int) {
	n := t.r.BoardSize
	on := func(p twinPos) bool {
		return min(p.row, p.col, n-1-p.row, n-1-p.col) == ring
	}
	for i := range t.agents {
		t.agents[i].alive = t.agents[i].alive && !on(t.agents[i].at)
	}
	for p := range t.board {
		if !on(p) {
			continue
		}
		delete(t.items, p)
		t.board[p] = Rigid
	}
	t.bombs = slices.DeleteFunc(t.bombs, func(b *twinBomb) bool {
		if on(b.at) {
			if t.agents[b.owner].arm(); t.r.StepKind != Step2018 {
				t.agents[b.owner].ammo = min(t.agents[b.owner].ammo, t.r.MaxAmmo)
			}
		}
		return on(b.at)
	})
	t.flames = slices.DeleteFunc(t.flames, func(f twinFlame) bool { return on(f.at) })
}

func cell(i int) grid.Cell { return grid.Cell(i) }

const stateSize = int(unsafe.Sizeof(State{}))
