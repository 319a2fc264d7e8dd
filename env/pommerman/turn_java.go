package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// javaTurn is the working memory of one step by the Java rules, which are those
// of the code of the Java re-implementation.
//
// The drawn board is part of the state: the rules read it, and it can be wrong. A cell
// can hold two agents or several bombs, of which it shows one; a bomb that lies in a
// wall destroys it. Items lie hidden under wood, under bombs and in walls. Nothing
// limits ammo and blast strength.
type javaTurn struct {
	r     *Rules
	s     *State
	lit   func(at grid.Cell, lost Item) // see StepJava
	track *tracker                      // nil: nobody follows the match

	movers // without agents that are Nowhere

	dying   grid.Bits // flames that go out in this step, and burn until then
	burning grid.Bits // every cell with a flame, also a dying one
}

// StepJava makes one move by the Java rules. It calls lit with what the state after it does
// not show: the cell of each flame, in the order in which they were laid, and the item that
// is lost because two flames of the step burn there, Passage if none is. In the original,
// the first of the two flames to go out uncovers the item and the second destroys it, in one
// step. Our state drops the item at once, because its sets of cells do not count flames.
func (r *Rules) StepJava(s *State, actions []uint8, lit func(at grid.Cell, lost Item)) {
	r.stepJava(s, actions, lit, nil)
}

// stepJava makes one move of all agents by the Java rules. actions holds one number per
// seat. The numbers are those of the rules page. Unless they are nil, lit is called
// with each flame, and track notes what happens.
func (r *Rules) stepJava(s *State, actions []uint8, lit func(grid.Cell, Item), track *tracker) {
	t := javaTurn{r: r, s: s, lit: lit, track: track}
	t.act(actions)             // 2.1
	t.tickFlames()             // 2.2
	t.tickBombs()              // 2.3
	t.undoSwaps()              // 2.4
	t.partMeetings(t.agents()) // 2.5
	t.partBombs()              // 2.5
	t.kick()                   // 2.6
	t.partBombs()              // 2.7
	t.moveBombs()              // 2.8
	t.pickUp()                 // 2.9
	t.explode()                // 2.10
	t.putOut()                 // 2.10
	s.judge(r, t.moveAgents()) // 2.11 and 2.12
	s.judge(r, t.fall())       // 2.13
	s.StepCount++              // 2.14
	s.timeOut(r)
}

// act takes the actions of the agents whose result is open: they lay bombs and want
// cells. An agent can lay onto a bomb of this step, but not onto one of an earlier step.
func (t *javaTurn) act(actions []uint8) {
	s := t.s
	before := int(s.NumBombs)
	for i := range s.Agents {
		a := &s.Agents[i]
		if !a.Alive || a.Cell == Nowhere {
			continue
		}
		action := Action(actions[i])
		if s.result(i) != env.Incomplete {
			action = Stop
		}
		if action == LayBomb && a.Ammo > 0 && int(s.NumBombs) < MaxBombs && !occupied(s.Bombs[:before], a.Cell) {
			a.Ammo--
			s.addBomb(NewBomb(a.Cell, uint8(t.r.BombLife), a.Blast, i, grid.Stay))
			s.Board[a.Cell] = BombItem
		} else if action == LayBomb {
			t.track.notLaid(i, a.Cell)
		}
		wish := a.Cell.Next(grid.Dir(action))
		if s.Board[wish].wall() {
			wish = a.Cell
		}
		t.add(uint8(i), a.Cell, wish)
	}
	t.track.laid(s, uint8(before))
}

// tickFlames ages the flames. The dying ones still burn in this step.
func (t *javaTurn) tickFlames() {
	s, youngest := t.s, t.r.FlameLife-1
	t.dying, t.burning = s.flames[0], s.burning()
	copy(s.flames[:youngest], s.flames[1:])
	s.flames[youngest] = grid.Bits{}
}

// tickBombs ages the bombs and finds the cell each wants. Walls alone stop one
// that rolls.
func (t *javaTurn) tickBombs() {
	for i := range t.s.bombs() {
		b := &t.s.Bombs[i]
		b.Life--
		wish := b.Cell.Next(b.Moving())
		if t.s.Board[wish].wall() {
			wish = b.Cell
			b.roll(grid.Stay)
		}
		t.add(uint8(MaxAgents+i), b.Cell, wish)
	}
}

// undoSwaps prevents swaps of cells: two agents both stay, two bombs both stay, and of
// an agent and a bomb the bomb stays.
func (t *javaTurn) undoSwaps() {
	t.partPairs(t.agents(), t.agents(), true)
	t.partPairs(t.bombs(), t.bombs(), true)
	t.partPairs(t.agents(), t.bombs(), false)
}

// partBombs makes every bomb stay that wants a cell which another one wants too.
func (t *javaTurn) partBombs() {
	var once, twice grid.Bits
	for _, b := range t.bombs() {
		if once.Has(t.wish[b]) {
			twice.Add(t.wish[b])
		}
		once.Add(t.wish[b])
	}
	for _, b := range t.bombs() {
		if twice.Has(t.wish[b]) {
			t.stays(b)
		}
	}
}

// kick settles which of agents and bombs that want one cell get it. It looks at one bomb
// after another, and for each at one agent after another. A bomb that an agent stops
// keeps its direction, and rolls on in the next step, unless a later agent is looked at.
func (t *javaTurn) kick() {
	for _, b := range t.bombs() {
		for _, a := range t.agents() {
			if !t.moves(b) {
				t.s.Bombs[b-MaxAgents].roll(grid.Stay)
			}
			switch {
			case t.wish[a] != t.wish[b]:
			case t.s.Agents[a].Kicks:
				t.kickBomb(a, b)
			default:
				t.stays(a)
				t.stays(b)
			}
		}
	}
}

// kickBomb makes a bomb roll on in the direction of the agent that moves into it. Under
// an agent that stands still the bomb rolls, and stops.
func (t *javaTurn) kickBomb(a, b uint8) {
	bomb := &t.s.Bombs[b-MaxAgents]
	d := towards(t.at[a], t.wish[a])
	bomb.roll(d)
	if d == grid.Stay {
		return
	}
	target := t.wish[b].Next(d)
	if item := t.s.Board[target]; item.wall() || item >= t.r.Agent0() {
		t.stays(b)
		bomb.roll(grid.Stay)
		return
	}
	t.wish[b] = target
	t.track.kicked(int(a), t.wish[a], d)
}

// towards is the direction from a cell to its neighbour, or to itself.
func towards(from, to grid.Cell) grid.Dir {
	for _, d := range grid.Dirs {
		if from.Next(d) == to {
			return d
		}
	}
	return grid.Stay
}

// moveBombs moves the bombs, one after the other, and draws each. An agent that
// wants a bomb's cell stays. A cell that a bomb leaves is drawn without it, even
// if another bomb has just come there.
func (t *javaTurn) moveBombs() {
	s := t.s
	for i := range s.bombs() {
		b, wish := &s.Bombs[i], t.wish[MaxAgents+i]
		for _, a := range t.agents() {
			if t.wish[a] == wish {
				t.stays(a)
			}
		}
		if wish != b.Cell {
			if item := s.Board[wish]; item.powerup() {
				s.Hide(wish, item)
			}
			if left := s.Board[b.Cell]; !left.powerup() && left != Flames && left < t.r.Agent0() {
				s.uncover(b.Cell)
			}
			b.Cell = wish
		}
		s.Board[b.Cell] = BombItem
	}
}

// uncover draws the item hidden at a cell, which is then hidden no longer, or a
// passage.
func (s *State) uncover(c grid.Cell) {
	s.Board[c] = s.Hidden(c)
	s.Hide(c, Passage)
}

// pickUp gives the agents the items drawn where they want to be. That includes agents
// that are about to die.
func (t *javaTurn) pickUp() {
	t.track.pickUps(t.s, t.agents(), t.wish[:])
	for _, i := range t.agents() {
		a := &t.s.Agents[i]
		switch t.s.Board[t.wish[i]] {
		case ExtraBomb:
			a.addAmmo()
		case IncrRange:
			a.Blast = min(a.Blast, mostOfBomb-1) + 1
		case Kick:
			a.Kicks = true
		}
	}
}

// takeBombs removes the bombs on some cells, and gives them back to their owners.
func (s *State) takeBombs(cells grid.Bits) {
	s.keepBombs(func(b *Bomb) bool {
		taken := cells.Has(b.Cell)
		if taken {
			s.giveBack(b)
		}
		return !taken
	})
}

// giveBack gives the bomb's owner, if it has one, another bomb to lay, however many it already has.
func (s *State) giveBack(b *Bomb) {
	if owner := b.Owner(); owner != Nobody {
		s.Agents[owner].addAmmo()
	}
}

// addAmmo gives the agent a bomb to lay, without a cap.
func (a *Agent) addAmmo() { a.Ammo = min(a.Ammo, 254) + 1 }

// moveAgents moves the agents, or kills those whose wish burns, and reports who
// died. The dead stay where they were.
func (t *javaTurn) moveAgents() (dead env.SeatSet) {
	s := t.s
	for _, i := range t.agents() {
		a, wish, own := &s.Agents[i], t.wish[i], t.r.Agent0()+Item(i)
		left := s.Board[a.Cell]
		switch {
		case t.burning.Has(wish):
			a.Alive = false
			dead = dead.With(int(i))
			t.track.diedIn(s, int(i), wish, t.r.FlameLife)
			if left != BombItem && left != Flames {
				s.Board[a.Cell] = Passage
			}
			continue
		case wish != a.Cell:
			if left == own || left < t.r.Agent0() && left != BombItem && left != Flames && !left.powerup() {
				s.uncover(a.Cell)
			}
			a.Cell = wish
		}
		s.Board[a.Cell] = own
	}
	return dead
}
