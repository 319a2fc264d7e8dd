package pommerman

import (
	"slices"

	"pommego/env/grid"
)

// movers are the agents and bombs that may meet: agents by their ids, and bomb i of the
// list as MaxAgents+i.
type movers struct {
	list     [maxMovers]uint8 // the living agents, then the bombs
	alive, n int              // how many agents, and how many movers in all
	at, wish [maxMovers]grid.Cell
}

const maxMovers = MaxAgents + MaxBombs

func (m *movers) add(id uint8, at, wish grid.Cell) {
	m.list[m.n], m.at[id], m.wish[id] = id, at, wish
	m.n++
	m.alive += int(1 - kindOf(id))
}

func (m *movers) agents() []uint8 { return m.list[:m.alive] }

func (m *movers) bombs() []uint8 { return m.list[m.alive:m.n] }

func (m *movers) moves(id uint8) bool { return m.wish[id] != m.at[id] }

func (m *movers) stays(id uint8) { m.wish[id] = m.at[id] }

// partPairs makes movers stay that want each other's cells: both of them, or the
// second. A mover that stays counts as standing there for later pairs.
func (m *movers) partPairs(first, second []uint8, both bool) {
	for _, a := range first {
		for _, b := range second {
			if m.moves(a) && m.moves(b) && m.wish[a] == m.at[b] && m.wish[b] == m.at[a] {
				m.stays(b)
				if both {
					m.stays(a)
				}
			}
		}
	}
}

// partMeetings makes all movers stay that want a cell which another one wants too, and
// reports whether any of them had wanted to move. It counts the wishes once: a mover
// that stays may share its cell with one that comes.
func (m *movers) partMeetings(list []uint8) (changed bool) {
	wishes := m.wish
	for _, a := range list {
		for _, b := range list {
			if a != b && wishes[a] == wishes[b] {
				changed = changed || m.moves(a)
				m.stays(a)
			}
		}
	}
	return changed
}

// kindOf returns 0 for an agent and 1 for a bomb.
func kindOf(id uint8) uint8 { return toByte(id >= MaxAgents) }

// crowd is a turn in which agents and bombs may meet. It counts the wishes for each
// cell, and notes who kicks which bomb.
type crowd struct {
	*turn
	movers

	// on counts the wishes for each cell, of agents and of bombs. A count is never taken
	// back when a mover no longer wants the cell: so an agent that had to stay still
	// blocks a kick.
	on [2][256]uint8

	kick [maxMovers]uint8 // by agent the bomb that it kicks, by bomb the agent that kicks it, plus one
}

// resolve decides who gets the cell that it wants, and moves the bombs.
func (t *turn) resolve() {
	c := crowd{turn: t}
	c.gather()           // 3
	c.cross()            // 4
	c.settle()           // 5
	if c.meetAtBombs() { // 6
		c.settleKicks() // 7
	}
	c.moveBombs() // 8
}

// gather lists who may move, and finds the cell that each bomb wants: the next one if
// the bomb rolls and only flames, bombs or agents are there.
func (t *crowd) gather() {
	for a := range t.s.Agents {
		if agent := &t.s.Agents[a]; agent.Alive {
			t.add(uint8(a), agent.Cell, t.agentWish[a])
		}
	}
	for i := range t.s.bombs() {
		b := &t.s.Bombs[i]
		wish := b.Cell.Next(b.Moving())
		if item := t.s.Board[wish]; item.wall() || item.powerup() {
			wish = b.Cell
		}
		t.add(uint8(MaxAgents+i), b.Cell, wish)
	}
}

// border is the border between two neighbouring cells.
type border uint16

func borderOf(a, b grid.Cell) border {
	low, high := min(a, b), max(a, b)
	return border(low)<<1 | border(high-low)&1
}

// cross prevents swaps of cells: two agents both stay, two bombs both stay, and of an
// agent and a bomb the bomb stays. It remembers for each border the first that crosses
// it.
func (t *crowd) cross() {
	var used [maxMovers]border
	var user [maxMovers]uint8
	n := 0
	for _, id := range t.list[:t.n] {
		if !t.moves(id) {
			continue
		}
		b := borderOf(t.at[id], t.wish[id])
		k := slices.Index(used[:n], b)
		if k < 0 {
			used[n], user[n] = b, id
			n++
			continue
		}
		if t.movers.stays(id); kindOf(user[k]) == kindOf(id) {
			t.movers.stays(user[k])
		}
	}
}

// settle makes everyone stay who wants a cell that two agents or two bombs want, until
// nothing changes.
func (t *crowd) settle() {
	for _, id := range t.list[:t.n] {
		t.on[kindOf(id)][t.wish[id]]++
	}
	for changed := true; changed; {
		changed = false
		for _, id := range t.list[:t.n] {
			if wish := t.wish[id]; t.moves(id) && (t.on[0][wish] > 1 || t.on[1][wish] > 1) {
				t.stays(id)
				changed = true
			}
		}
	}
}

// stays makes a mover stay; its own cell then counts as its wish.
func (t *crowd) stays(id uint8) {
	t.movers.stays(id)
	t.on[kindOf(id)][t.at[id]]++
}

// meetAtBombs settles agents that walk into bombs and bombs that roll into agents. It
// reports whether anything changed. Its results are applied after it has looked at all
// bombs.
func (t *crowd) meetAtBombs() bool {
	var sent [MaxBombs]struct {
		bomb uint8
		to   grid.Cell
	}
	var stopped [MaxBombs]uint8
	nSent, nStopped := 0, 0
	for _, bomb := range t.bombs() {
		wish := t.wish[bomb]
		if t.on[0][wish] == 0 {
			continue
		}
		k := slices.IndexFunc(t.agents(), func(a uint8) bool { return t.wish[a] == wish }) // at most one, after settle
		if k < 0 {
			continue
		}
		a, to := t.list[k], t.at[bomb]
		if !t.moves(a) && !t.moves(bomb) {
			continue
		}
		if t.moves(a) {
			if target, ok := t.kickTarget(a, wish); ok {
				to = target
				t.on[1][wish] = 0
				t.s.Bombs[bomb-MaxAgents].roll(grid.Dir(t.actions[a]))
				t.kick[bomb], t.kick[a] = a+1, bomb+1
			} else {
				stopped[nStopped] = a
				nStopped++
			}
		}
		sent[nSent].bomb, sent[nSent].to = bomb, to
		nSent++
	}
	for _, k := range sent[:nSent] {
		t.wish[k.bomb] = k.to
		t.on[1][k.to]++
	}
	for _, a := range stopped[:nStopped] {
		t.stays(a)
	}
	return nSent > 0
}

// kickTarget returns the cell to which agent a would kick the bomb on a cell that it
// enters, and whether it can.
func (t *crowd) kickTarget(a uint8, bomb grid.Cell) (grid.Cell, bool) {
	target := bomb.Next(grid.Dir(t.actions[a]))
	item := t.s.Board[target]
	free := t.on[0][target] == 0 && t.on[1][target] == 0 && !item.powerup() && !item.wall()
	return target, free && t.s.Agents[a].Kicks
}

// settleKicks makes everyone stay who wants a cell that is no longer free, and undoes
// the kicks that thus fail, until nothing changes.
func (t *crowd) settleKicks() {
	for changed := true; changed; {
		changed = false
		for _, id := range t.list[:t.n] {
			wish, kind, kick := t.wish[id], kindOf(id), t.kick[id]
			if !t.moves(id) && kick == 0 || t.on[kind][wish] <= 1 && t.on[1-kind][wish] == 0 {
				continue
			}
			if kick != 0 {
				t.stays(kick - 1)
				t.kick[id], t.kick[kick-1] = 0, 0
			}
			t.stays(id)
			changed = true
		}
	}
}

// moveBombs moves the bombs. A bomb that stays and was not kicked stops rolling.
func (t *crowd) moveBombs() {
	for i := range t.s.bombs() {
		b, wish, kicked := &t.s.Bombs[i], t.wish[MaxAgents+i], t.kick[MaxAgents+i] != 0
		if wish == b.Cell && !kicked {
			b.roll(grid.Stay)
		}
		t.uncovered = t.uncovered || wish != b.Cell && t.s.Flame(b.Cell) != 0
		b.Cell = wish
	}
	copy(t.agentWish[:], t.wish[:])
	copy(t.kicks[:], t.kick[:])
}
