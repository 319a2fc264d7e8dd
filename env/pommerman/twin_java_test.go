package pommerman

import (
	"cmp"
	"slices"

	"pommego/env/grid"
)

// The slow twin's step by the Java rules: sections 2 to 4 of the rules page as
// plainly as they can be. The comments are the page's numbers.

// thing is an agent or a bomb on its way.
type thing struct {
	at, wish twinPos
	agent    int // -1 for bombs
	bomb     *twinBomb
}

func (g *thing) moving() bool { return g.wish != g.at }

func (g *thing) revert() { g.wish = g.at }

// stepJava makes one step.
func (t *twin) stepJava(moves []Action) {
	agents := t.actJava(moves) // 2.1
	for i := range t.flames {
		t.flames[i].life-- // 2.2, -1 is a dying one
	}
	bombs := t.rollJava() // 2.3
	swaps(agents, agents, true)
	swaps(bombs, bombs, true)
	swaps(agents, bombs, false) // 2.4
	part(agents)
	part(bombs) // 2.5
	for _, b := range bombs {
		for _, p := range agents {
			t.kickJava(b, p) // 2.6
		}
	}
	part(bombs)               // 2.7
	t.moveJava(agents, bombs) // 2.8
	for _, p := range agents {
		t.takeJava(p) // 2.9
	}
	burning := t.explodeJava()              // 2.10
	dead := t.dieJava(agents, burning)      // 2.11
	t.judgeJava(dead)                       // 2.12
	t.judgeJava(t.fallJava())               // 2.13
	if t.steps++; t.steps == t.r.MaxSteps { // 2.14
		for i, a := range t.agents {
			if t.r.Teams() || a.alive {
				t.results[i] = 2
			}
		}
	}
	t.forgetJava()
}

func (t *twin) actJava(moves []Action) (agents []*thing) {
	taken := map[twinPos]bool{}
	for _, b := range t.bombs {
		taken[b.at] = true
	}
	for i := range t.agents {
		a := &t.agents[i]
		if !a.alive {
			continue
		}
		p := &thing{at: a.at, wish: a.at, agent: i}
		if moves[i] != LayBomb {
			p.wish = a.at.add(grid.Dir(moves[i]))
		} else if a.ammo > 0 && !taken[a.at] {
			a.ammo--
			t.bombs = append(t.bombs, &twinBomb{a.at, t.r.BombLife, a.blast, i, grid.Stay})
			t.board[a.at] = BombItem
		}
		if t.wall(p.wish) {
			p.revert()
		}
		agents = append(agents, p)
	}
	return agents
}

func (t *twin) rollJava() (bombs []*thing) {
	for _, b := range t.bombs {
		b.life--
		g := &thing{at: b.at, wish: b.at.add(b.dir), agent: -1, bomb: b}
		if t.wall(g.wish) {
			g.revert()
			b.dir = grid.Stay
		}
		bombs = append(bombs, g)
	}
	return bombs
}

// swaps lets nobody swap cells. Of a swap both revert, or only the second.
func swaps(ones, others []*thing, both bool) {
	for _, g := range ones {
		for _, h := range others {
			if g.moving() && h.moving() && g.wish == h.at && h.wish == g.at {
				h.revert()
				if both {
					g.revert()
				}
			}
		}
	}
}

// part reverts those that want the same cell.
func part(all []*thing) {
	want := map[twinPos]int{}
	for _, g := range all {
		want[g.wish]++
	}
	for _, g := range all {
		if want[g.wish] > 1 {
			g.revert()
		}
	}
}

func (t *twin) kickJava(b, p *thing) {
	if !b.moving() {
		b.bomb.dir = grid.Stay
	}
	if p.wish != b.wish {
		return
	}
	if !t.agents[p.agent].kick {
		p.revert()
		b.revert()
		return
	}
	b.bomb.dir = grid.Stay
	for _, d := range grid.Dirs {
		if p.at.add(d) != p.wish {
			continue
		}
		to := b.wish.add(d)
		if t.wall(to) || t.board[to] >= t.r.Agent0() {
			b.revert()
			return
		}
		b.bomb.dir, b.wish = d, to
		return
	}
}

func (t *twin) moveJava(agents, bombs []*thing) {
	for _, b := range bombs {
		for _, p := range agents {
			if p.wish == b.wish {
				p.revert()
			}
		}
		if b.moving() {
			if t.powerup(b.wish) {
				t.items[b.wish] = t.board[b.wish]
			}
			if !t.powerup(b.at) && t.board[b.at] != Flames && t.board[b.at] < t.r.Agent0() {
				t.bareJava(b.at)
			}
			b.bomb.at = b.wish
		}
		t.board[b.bomb.at] = BombItem
	}
}

// bareJava draws what is hidden at a cell, which is hidden no longer, or a passage.
func (t *twin) bareJava(p twinPos) {
	t.board[p] = t.items[p]
	delete(t.items, p)
}

// arm gives an agent a bomb. A state holds numbers up to 255, which no game comes near.
func (a *twinAgent) arm() { a.ammo = min(a.ammo+1, 255) }

func (t *twin) takeJava(p *thing) {
	a := &t.agents[p.agent]
	switch t.board[p.wish] {
	case ExtraBomb:
		a.arm()
	case IncrRange:
		a.blast = min(a.blast+1, mostOfBomb)
	case Kick:
		a.kick = true
	}
}

// explodeJava is explosions and the end of old flames. It returns what burns.
func (t *twin) explodeJava() map[twinPos]bool {
	burning := map[twinPos]bool{}
	for _, f := range t.flames {
		burning[f.at] = true
	}
	lay := func(p twinPos) {
		t.flames = append(t.flames, twinFlame{p, t.r.FlameLife - 1})
		t.board[p] = Flames
		burning[p] = true
	}
	for {
		type twins struct {
			at   twinPos
			life int
		}
		gone := map[twins]bool{}
		for _, b := range t.bombs {
			if b.life != 0 && !burning[b.at] {
				continue
			}
			if t.board[b.at] != Rigid {
				lay(b.at)
			}
			t.rays(b, lay)
			t.agents[b.owner].arm()
			gone[twins{b.at, b.life}] = true
		}
		if len(gone) == 0 {
			break
		}
		t.bombs = slices.DeleteFunc(t.bombs, func(b *twinBomb) bool { return gone[twins{b.at, b.life}] })
	}
	for _, f := range t.flames {
		if f.life < 0 {
			t.bareJava(f.at)
		}
	}
	t.flames = slices.DeleteFunc(t.flames, func(f twinFlame) bool { return f.life < 0 })
	t.drawFlames()
	return burning
}

func (t *twin) dieJava(agents []*thing, burning map[twinPos]bool) (dead []int) {
	for _, p := range agents {
		a, drawn := &t.agents[p.agent], t.board[p.at]
		own := t.r.Agent0() + Item(p.agent)
		if burning[p.wish] {
			a.alive = false
			dead = append(dead, p.agent)
			if drawn != BombItem && drawn != Flames {
				t.board[p.at] = Passage
			}
			continue
		}
		if p.moving() {
			if !t.powerup(p.at) && drawn != Flames && drawn != BombItem && (drawn < t.r.Agent0() || drawn == own) {
				t.bareJava(p.at)
			}
			a.at = p.wish
		}
		t.board[a.at] = own
	}
	return dead
}

// judgeJava gives out the results of deaths.
func (t *twin) judgeJava(dead []int) {
	if len(dead) == 0 {
		return
	}
	team := func(i int) int {
		if t.r.Teams() {
			return i % 2
		}
		return i
	}
	left := map[int]bool{}
	for i, a := range t.agents {
		if a.alive {
			left[team(i)] = true
		}
	}
	for i := range t.agents {
		switch {
		case len(left) == 0 && (t.r.Teams() || slices.Contains(dead, i)):
			t.results[i] = 2
		case slices.Contains(dead, i), len(left) > 0 && !left[team(i)]:
			t.results[i] = 1
		}
		if len(left) == 1 && left[team(i)] {
			t.results[i] = 0
		}
	}
}

// fallJava lets the ring fall that is due, and returns who dies of it.
func (t *twin) fallJava() (dead []int) {
	past := t.steps - t.r.FirstCollapse
	if t.r.FirstCollapse < 0 || past < 0 || past%t.r.CollapseStep() != 0 {
		return nil
	}
	n := t.r.BoardSize
	for row := range n {
		for col := range n {
			p := twinPos{row, col}
			if min(row, col, n-1-row, n-1-col) != past/t.r.CollapseStep() {
				continue
			}
			switch drawn := t.board[p]; {
			case drawn == BombItem:
				t.bombs = slices.DeleteFunc(t.bombs, func(b *twinBomb) bool {
					if b.at == p {
						t.agents[b.owner].arm()
					}
					return b.at == p
				})
			case drawn == Flames:
				t.flames = slices.DeleteFunc(t.flames, func(f twinFlame) bool { return f.at == p })
			case drawn >= t.r.Agent0():
				for i, a := range t.agents {
					if a.alive && a.at == p {
						dead = append(dead, i)
					}
				}
			}
			t.board[p] = Rigid
		}
	}
	for _, i := range dead {
		t.agents[i].alive = false
	}
	return dead
}

// forgetJava lets go of what a State does not keep: the order of flames, the second
// of two of an age on a cell, and the item that is lost when they go out together.
func (t *twin) forgetJava() {
	n := t.r.BoardSize
	for i, f := range t.flames {
		spared := false // by a ring that takes away both flames
		for at := t.steps; at < t.steps+f.life; at++ {
			past := at - t.r.FirstCollapse
			ring := min(f.at.row, f.at.col, n-1-f.at.row, n-1-f.at.col)
			spared = spared || t.r.FirstCollapse >= 0 && past == ring*t.r.CollapseStep()
		}
		if slices.Contains(t.flames[:i], f) && !spared {
			delete(t.items, f.at)
		}
	}
	slices.SortFunc(t.flames, func(a, b twinFlame) int {
		return cmp.Or(cmp.Compare(a.life, b.life), cmp.Compare(a.at.row, b.at.row), cmp.Compare(a.at.col, b.at.col))
	})
	t.flames = slices.Compact(t.flames)
}
