package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// turn is the working memory of one step: what the living do and where agents
// and bombs wish to be.
type turn struct {
	s       *State
	actions [MaxAgents]Action
	living  [MaxAgents]uint8 // ids of the living agents, in order
	alive   int              // how many

	agentWish [MaxAgents]grid.Cell
	bombWish  [MaxBombs]grid.Cell
	bombs     grid.Bits // where the bombs lie
	rolling   bool      // at least one of them rolls
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
	if !t.undisturbed() {
		t.resolve() // 4 to 8
	}
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
		t.bombs.Add(b.Cell)
		wish := b.Cell
		if d := b.Moving(); d != grid.Stay {
			t.rolling = true
			if next := b.Cell.Next(d); !s.Board[next].wall() && !s.Board[next].powerup() {
				wish = next
			}
		}
		t.bombWish[i] = wish
	}
}

// undisturbed tells whether everyone gets what it wishes for, as in most steps:
// no bomb rolls, no agent walks onto a bomb, and no two agents want the same
// cell or each other's. Then phases 4 to 8 change nothing and are left out.
func (t *turn) undisturbed() bool {
	if t.rolling {
		return false
	}
	for i, a := range t.living[:t.alive] {
		wish, cell := t.agentWish[a], t.s.Agents[a].Cell
		if wish != cell && t.bombs.Has(wish) {
			return false
		}
		for _, b := range t.living[:i] {
			if wish == t.agentWish[b] || wish == t.s.Agents[b].Cell && cell == t.agentWish[b] {
				return false
			}
		}
	}
	return true
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
