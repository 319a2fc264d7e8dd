package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// turn is the working memory of one step: what agents and bombs wish for, and
// how many wishes each cell has received.
type turn struct {
	s       *State
	actions [MaxAgents]Action
	living  [MaxAgents]uint8 // ids of the living agents, in order
	alive   int              // how many

	agentWish [MaxAgents]grid.Cell
	bombWish  [MaxBombs]grid.Cell

	// Wishes counted on each cell. Counts are never taken back from a cell
	// that is no longer wished: one who bounced still blocks a kick.
	agentsOn [256]uint8
	bombsOn  [256]uint8

	// Kicks of this step: the bomb each agent kicked and the agent that kicked
	// each bomb, plus one.
	kickedBy [MaxBombs]uint8
	kicks    [MaxAgents]uint8
}

// Step makes one move of all agents. actions holds 1+RadioWords numbers a seat.
// The numbers in the comments are those of the rules page in the package
// comment. Observations, rewards and the result are read off the state after
// it; a ring of the collapse that became due falls when the next step begins.
func (r *Rules) Step(s *State, actions []uint8) {
	t := turn{s: s}
	r.fallDue(s)       // 14, of the step before
	s.burnDown()       // 1
	t.read(r, actions) // the moves of the living, and what they say
	t.agentsWish(r)    // 2
	t.bombsWish()      // 3
	t.cross()          // 4
	t.settle()         // 5
	if t.kick() {      // 6
		t.settleKicks() // 7
	}
	t.moveBombs()              // 8
	t.moveAgents(r)            // 9
	due := s.tickBombs()       // 10
	blast := s.explode(r, due) // 11
	s.draw(r, blast)           // 12
	t.deaths(r)                // 13
	s.StepCount++              // 14
	if ring := r.ringDue(int(s.StepCount)); ring >= 0 {
		s.due = int8(ring + 1)
	}
}

// read takes the actions of the living agents and stores what they send by
// radio; a dead agent sends nothing.
func (t *turn) read(r *Rules, actions []uint8) {
	width := 1 + r.RadioWords
	for a := range r.Seats() {
		own := actions[a*width : (a+1)*width]
		if r.RadioWords > 0 {
			t.s.Radio[a] = [MaxWords]uint8{}
		}
		if !t.s.Agents[a].Alive {
			continue
		}
		t.actions[a] = Action(own[0])
		t.living[t.alive] = uint8(a)
		t.alive++
		copy(t.s.Radio[a][:], own[1:])
	}
}

// burnDown ages the flames. Where the last one goes out, the item hidden there
// appears, or a passage; an item that appears under another flame is lost.
func (s *State) burnDown() {
	out := s.flames[0]
	copy(s.flames[:], s.flames[1:])
	s.flames[maxFlameLife-1] = grid.Bits{}
	if out.Empty() {
		return
	}
	still := s.burning()
	for c := range out.All {
		if still.Has(c) {
			s.Board[c] = Flames
		} else {
			s.Board[c] = s.Hidden(c)
		}
		s.hide(c, Passage)
	}
}

// agentsWish lays the bombs and finds the cell each living agent wants.
func (t *turn) agentsWish(r *Rules) {
	s := t.s
	for _, a := range t.living[:t.alive] {
		agent := &s.Agents[a]
		s.Board[agent.Cell] = Passage
		wish := agent.Cell
		switch action := t.actions[a]; action {
		case Stop:
		case LayBomb:
			if agent.Ammo > 0 && !s.bombAt(agent.Cell) {
				agent.Ammo--
				s.addBomb(NewBomb(agent.Cell, uint8(r.BombLife), agent.Blast, int(a), grid.Stay))
			}
		default:
			if next := agent.Cell.Next(grid.Dir(action)); !s.Board[next].wall() {
				wish = next
			}
		}
		t.agentWish[a] = wish
	}
}

// bombsWish finds the cell each bomb wants: the next one if it rolls and
// nothing but flames, bombs or agents is there.
func (t *turn) bombsWish() {
	s := t.s
	for i := range s.bombs() {
		b := &s.Bombs[i]
		s.Board[b.Cell] = Passage
		wish := b.Cell
		if d := b.Moving(); d != grid.Stay {
			if next := b.Cell.Next(d); !s.Board[next].wall() && !s.Board[next].powerup() {
				wish = next
			}
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
func (t *turn) cross() {
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
func (t *turn) settle() {
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

func (t *turn) agentStays(a uint8) {
	cell := t.s.Agents[a].Cell
	t.agentWish[a] = cell
	t.agentsOn[cell]++
}

func (t *turn) bombStays(i int) {
	cell := t.s.Bombs[i].Cell
	t.bombWish[i] = cell
	t.bombsOn[cell]++
}

// kick settles agents that walk into bombs and bombs that roll into agents. It
// tells whether anything changed. What happens is applied after all bombs have
// been looked at.
func (t *turn) kick() bool {
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
func (t *turn) agentWishing(c grid.Cell) int {
	for _, a := range t.living[:t.alive] {
		if t.agentWish[a] == c {
			return int(a)
		}
	}
	return -1
}

// kickTarget is the cell to which agent a, moving onto a bomb's cell, would
// kick that bomb, and whether it can.
func (t *turn) kickTarget(a int, bomb grid.Cell) (grid.Cell, bool) {
	target := bomb.Next(grid.Dir(t.actions[a]))
	item := t.s.Board[target]
	free := t.agentsOn[target] == 0 && t.bombsOn[target] == 0 && !item.powerup() && !item.wall()
	return target, free && t.s.Agents[a].Kicks
}

// settleKicks sends back everyone who wants a cell that is no longer free, and
// undoes the kicks this breaks, until nothing changes.
func (t *turn) settleKicks() {
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

// moveBombs moves the bombs. One that stays and was not kicked stops for good.
func (t *turn) moveBombs() {
	for i := range t.s.bombs() {
		b := &t.s.Bombs[i]
		if t.bombWish[i] == b.Cell && t.kickedBy[i] == 0 {
			b.roll(grid.Stay)
		}
		b.Cell = t.bombWish[i]
	}
}

// moveAgents moves the agents and lets those that moved pick up what is there.
func (t *turn) moveAgents(r *Rules) {
	s := t.s
	for _, a := range t.living[:t.alive] {
		agent := &s.Agents[a]
		if t.agentWish[a] == agent.Cell {
			continue
		}
		agent.Cell = t.agentWish[a]
		if item := s.Board[agent.Cell]; item.powerup() {
			agent.pickUp(r, item, &s.Dice)
		}
	}
}

// pickUp applies an item. A blast strength above the cap falls to it.
func (a *Agent) pickUp(r *Rules, item Item, dice *env.Dice) {
	switch item {
	case ExtraBomb:
		a.giveAmmo(r)
	case IncrRange:
		a.Blast = uint8(min(int(a.Blast)+1, r.MaxBlast))
	case Kick:
		a.Kicks = true
	case Skull:
		switch dice.IntN(3) {
		case 0:
			a.Blast = max(a.Blast, 3) - 1
		case 1:
			a.Ammo = max(a.Ammo, 2) - 1
		case 2:
			a.Blast = uint8(min(int(a.Blast)+2, r.MaxBlast))
		}
	}
}

// giveAmmo adds one bomb to carry, up to the cap.
func (a *Agent) giveAmmo(r *Rules) { a.Ammo = uint8(min(int(a.Ammo)+1, r.MaxAmmo)) }

// deaths kills the living agents that stand in flames and draws the others.
func (t *turn) deaths(r *Rules) {
	s := t.s
	for _, a := range t.living[:t.alive] {
		agent := &s.Agents[a]
		if s.Board[agent.Cell] == Flames {
			agent.Alive = false
		} else {
			s.Board[agent.Cell] = r.Agent0() + Item(a)
		}
	}
}
