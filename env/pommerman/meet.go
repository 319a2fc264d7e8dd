package pommerman

import "pommego/env/grid"

// crowd is a turn in which agents and bombs may meet: how many wishes each cell
// has received, and who kicks which bomb.
type crowd struct {
	*turn
	bombWish [MaxBombs]grid.Cell

	// Wishes counted on each cell. Counts are never taken back from a cell
	// that is no longer wanted: an agent that had to stay still blocks a kick.
	agentsOn [256]uint8
	bombsOn  [256]uint8

	kickedBy [MaxBombs]uint8 // the agent that kicks each bomb, plus one
}

// resolve decides who gets the cell it wants, and moves the bombs.
func (t *turn) resolve() {
	t.listLiving()
	c := crowd{turn: t}
	c.bombsWish() // 3
	c.cross()     // 4
	c.settle()    // 5
	if c.kick() { // 6
		c.settleKicks() // 7
	}
	c.moveBombs() // 8
}

// bombsWish finds the cell each bomb wants: the next one if it rolls and nothing
// but flames, bombs or agents is there.
func (t *crowd) bombsWish() {
	s := t.s
	for i := range s.bombs() {
		b := &s.Bombs[i]
		wish := b.Cell.Next(b.Moving())
		if s.Board[wish].wall() || s.Board[wish].powerup() {
			wish = b.Cell
		}
		t.bombWish[i] = wish
	}
}

// border names the border between two neighbouring cells.
type border uint16

func borderOf(a, b grid.Cell) border {
	low, high := min(a, b), max(a, b)
	return border(low)<<1 | border(high-low)&1
}

// cross lets nobody swap cells: two agents both stay, two bombs both stay, and
// against an agent the bomb stays. The first to use a border is the one
// remembered for it.
func (t *crowd) cross() {
	s := t.s
	var used [MaxAgents + MaxBombs]border
	var user [MaxAgents + MaxBombs]uint8 // an agent, or MaxAgents plus a bomb
	n := 0
	find := func(b border) int {
		for i, u := range used[:n] {
			if u == b {
				return int(user[i])
			}
		}
		return -1
	}
	for _, a := range t.living[:t.alive] {
		if t.agentWish[a] == s.Agents[a].Cell {
			continue
		}
		b := borderOf(s.Agents[a].Cell, t.agentWish[a])
		if other := find(b); other >= 0 {
			t.agentWish[a] = s.Agents[a].Cell
			t.agentWish[other] = s.Agents[other].Cell
			continue
		}
		used[n], user[n] = b, a
		n++
	}
	for i := range s.bombs() {
		if t.bombWish[i] == s.Bombs[i].Cell {
			continue
		}
		b := borderOf(s.Bombs[i].Cell, t.bombWish[i])
		if other := find(b); other >= 0 {
			t.bombWish[i] = s.Bombs[i].Cell
			if other >= MaxAgents {
				t.bombWish[other-MaxAgents] = s.Bombs[other-MaxAgents].Cell
			}
			continue
		}
		used[n], user[n] = b, uint8(MaxAgents+i)
		n++
	}
}

// settle sends back everyone who wants a cell that two agents or two bombs
// want, until nothing changes.
func (t *crowd) settle() {
	s := t.s
	for _, a := range t.living[:t.alive] {
		t.agentsOn[t.agentWish[a]]++
	}
	for i := range s.bombs() {
		t.bombsOn[t.bombWish[i]]++
	}
	for changed := true; changed; {
		changed = false
		for _, a := range t.living[:t.alive] {
			wish, cell := t.agentWish[a], s.Agents[a].Cell
			if wish != cell && (t.agentsOn[wish] > 1 || t.bombsOn[wish] > 1) {
				t.agentStays(a)
				changed = true
			}
		}
		for i := range s.bombs() {
			wish, cell := t.bombWish[i], s.Bombs[i].Cell
			if wish != cell && (t.bombsOn[wish] > 1 || t.agentsOn[wish] > 1) {
				t.bombStays(i)
				changed = true
			}
		}
	}
}

func (t *crowd) agentStays(a uint8) {
	cell := t.s.Agents[a].Cell
	t.agentWish[a] = cell
	t.agentsOn[cell]++
}

func (t *crowd) bombStays(i int) {
	cell := t.s.Bombs[i].Cell
	t.bombWish[i] = cell
	t.bombsOn[cell]++
}

// kick settles agents that walk into bombs and bombs that roll into agents. It
// reports whether anything changed. What happens is applied after all bombs have
// been looked at.
func (t *crowd) kick() bool {
	s := t.s
	var sent [MaxBombs]struct {
		bomb uint8
		to   grid.Cell
	}
	var stopped [MaxBombs]uint8
	nSent, nStopped := 0, 0
	for i := range s.bombs() {
		wish := t.bombWish[i]
		if t.agentsOn[wish] == 0 {
			continue
		}
		a := t.agentWishing(wish)
		if a < 0 || s.Agents[a].Cell == wish && s.Bombs[i].Cell == wish {
			continue
		}
		to := s.Bombs[i].Cell
		if s.Agents[a].Cell != wish { // the agent moves in
			if target, ok := t.kickTarget(a, wish); ok {
				to = target
				t.bombsOn[wish] = 0
				s.Bombs[i].roll(grid.Dir(t.actions[a]))
				t.kickedBy[i], t.kicks[a] = uint8(a+1), uint8(i+1)
			} else {
				stopped[nStopped] = uint8(a)
				nStopped++
			}
		}
		sent[nSent].bomb, sent[nSent].to = uint8(i), to
		nSent++
	}
	for _, k := range sent[:nSent] {
		t.bombWish[k.bomb] = k.to
		t.bombsOn[k.to]++
	}
	for _, a := range stopped[:nStopped] {
		t.agentStays(a)
	}
	return nSent > 0
}

// agentWishing is the agent that wants the cell, -1 for none. After settle it
// is one at the most.
func (t *crowd) agentWishing(c grid.Cell) int {
	for _, a := range t.living[:t.alive] {
		if t.agentWish[a] == c {
			return int(a)
		}
	}
	return -1
}

// kickTarget is the cell to which agent a, moving onto a bomb's cell, would
// kick that bomb, and whether it can.
func (t *crowd) kickTarget(a int, bomb grid.Cell) (grid.Cell, bool) {
	target := bomb.Next(grid.Dir(t.actions[a]))
	item := t.s.Board[target]
	free := t.agentsOn[target] == 0 && t.bombsOn[target] == 0 && !item.powerup() && !item.wall()
	return target, free && t.s.Agents[a].Kicks
}

// settleKicks sends back everyone who wants a cell that is no longer free, and
// undoes the kicks this breaks, until nothing changes.
func (t *crowd) settleKicks() {
	for changed := true; changed; {
		changed = false
		for _, a := range t.living[:t.alive] {
			wish := t.agentWish[a]
			if wish != t.s.Agents[a].Cell && (t.agentsOn[wish] > 1 || t.bombsOn[wish] != 0) {
				if t.kicks[a] != 0 {
					bomb := int(t.kicks[a]) - 1
					t.bombStays(bomb)
					t.kicks[a], t.kickedBy[bomb] = 0, 0
				}
				t.agentStays(a)
				changed = true
			}
		}
		for i := range t.s.bombs() {
			wish := t.bombWish[i]
			if wish == t.s.Bombs[i].Cell && t.kickedBy[i] == 0 {
				continue
			}
			if t.bombsOn[wish] > 1 || t.agentsOn[wish] != 0 {
				t.bombStays(i)
				if t.kickedBy[i] != 0 {
					a := t.kickedBy[i] - 1
					t.agentStays(a)
					t.kicks[a], t.kickedBy[i] = 0, 0
				}
				changed = true
			}
		}
	}
}

// moveBombs moves the bombs. One that stays and was not kicked stops rolling.
func (t *crowd) moveBombs() {
	for i := range t.s.bombs() {
		b := &t.s.Bombs[i]
		if t.bombWish[i] == b.Cell && t.kickedBy[i] == 0 {
			b.roll(grid.Stay)
		}
		t.uncovered = t.uncovered || t.bombWish[i] != b.Cell && t.s.Flame(b.Cell) != 0
		b.Cell = t.bombWish[i]
	}
}
