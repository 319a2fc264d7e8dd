package pommerman

import "pommego/env/grid"

// turn2018 is the working memory of one step of 2018. Most of it depends on what the
// board shows. Until phase 9 draws it anew, the board shows where everyone stood at the
// start of the step.
type turn2018 struct {
	turn
	movers // the living agents
	skull  func(agent int) float64
	track  *tracker  // nil: nobody follows the match
	marked grid.Bits // the cells that this step's explosions reach
	left   grid.Bits // the cells from which bombs rolled into flames
}

// Step2018 makes one move by the rules of 2018. For each skull that an agent takes,
// skull makes the draw, from 0 to less than 1, instead of the game's RNG.
func (r *Rules) Step2018(s *State, actions []uint8, skull func(agent int) float64) {
	r.step2018(s, actions, skull, nil)
}

// step2018 makes one move of all agents by the rules of 2018. The numbers in the
// comments are those of its section in docs/games/pommerman.md. skull draws for skulls;
// nil: the game's RNG does. track, if not nil, notes what happens.
func (r *Rules) step2018(s *State, actions []uint8, skull func(agent int) float64, track *tracker) {
	t := turn2018{skull: skull, track: track}
	t.s = s
	track.fallDue(r, s) // the ring of the step before
	t.burnDown(r)       // 1
	t.read(r, actions)
	bombs := s.NumBombs
	t.agentsWish(r) // 2
	t.cutWords(r)
	track.laid(s, bombs)
	t.partPairs(t.agents(), t.agents(), true) // 3
	for t.partMeetings(t.agents()) {          // 4
	}
	track.pickUps(s, t.agents(), t.wish[:])
	t.moveAgents(r) // 5
	t.moveBombs()   // 6
	track.burnWood2018(s, t.marked)
	s.takeBombs(t.marked) // 7: these bombs do not explode
	t.deaths()            // 8
	t.draw(r)             // 9
	r.count(s)            // 10
}

// burnDown ages the flames. Where one goes out, the item hidden there appears, or
// a passage, even if another still burns there.
func (t *turn2018) burnDown(r *Rules) {
	for c := range t.s.ageFlames().All {
		t.s.uncover(c)
	}
}

// cutWords turns all that living agents send by radio into words, from 1 on: by these rules there is no silence.
func (t *turn2018) cutWords(r *Rules) {
	for _, a := range t.agents() {
		for w := range r.RadioWords {
			word := &t.s.Radio[a][w]
			*word = min(max(*word, 1), uint8(r.RadioVocab))
		}
	}
}

// agentsWish lays the bombs and finds the cell each living agent wants.
func (t *turn2018) agentsWish(r *Rules) {
	s := t.s
	for a := range s.Agents {
		agent := &s.Agents[a]
		if !agent.Alive {
			continue
		}
		wish := agent.Cell
		switch action := Action(t.actions[a]); {
		case action == Stop:
		case action == LayBomb:
			if agent.Ammo > 0 {
				agent.Ammo--
				s.addBomb(NewBomb(agent.Cell, uint8(r.BombLife), agent.Blast, a, grid.Stay))
			} else {
				t.track.notLaid(a, agent.Cell)
			}
		case t.mayEnter(agent, grid.Dir(action)):
			wish = agent.Cell.Next(grid.Dir(action))
		}
		t.add(uint8(a), agent.Cell, wish)
	}
}

// mayEnter reports whether an agent may want the next cell in a direction. If a bomb
// lies there, the agent must be able to kick it onto a cell that shows passage.
func (t *turn2018) mayEnter(agent *Agent, d grid.Dir) bool {
	s, next := t.s, agent.Cell.Next(d)
	if s.Board[next].wall() {
		return false
	}
	return !s.BombAt(next) || agent.Kicks && s.Board[next.Next(d)] == Passage
}

// moveAgents moves the agents and lets each take the item that its cell shows, whether it
// has moved or not. An agent that can kick kicks the first bomb on the cell that it enters.
func (t *turn2018) moveAgents(r *Rules) {
	s := t.s
	for _, a := range t.agents() {
		agent := &s.Agents[a]
		if t.wish[a] != agent.Cell {
			agent.Cell = t.wish[a]
			if agent.Kicks {
				t.kick(int(a), agent.Cell, grid.Dir(t.actions[a]))
			}
		}
		switch item := s.Board[agent.Cell]; {
		case !item.powerup():
			continue
		case item == Skull:
			agent.suffer(r, t.drawSkull(int(a)))
		default:
			agent.pickUp(r, item, nil)
		}
		s.Board[agent.Cell] = Passage
	}
}

// kick kicks the first bomb of the list that lies on a cell that an agent enters, if
// there is one.
func (t *turn2018) kick(agent int, c grid.Cell, d grid.Dir) {
	for i := range t.s.bombs() {
		if b := &t.s.Bombs[i]; b.Cell == c {
			b.roll(d)
			t.track.kicked(agent, c, d)
			return
		}
	}
}

// drawSkull draws a number for a skull that an agent takes.
func (t *turn2018) drawSkull(agent int) float64 {
	if t.skull == nil {
		return t.s.RNG.Float64()
	}
	return t.skull(agent)
}

// suffer applies a skull to an agent by a draw from 0 to less than 1: the agent loses
// blast or ammo, or gains blast.
func (a *Agent) suffer(r *Rules, u float64) {
	switch {
	case u < 0.33:
		a.Blast = max(a.Blast, 3) - 1
	case u < 0.66:
		a.Ammo = max(a.Ammo, 2) - 1
	default:
		a.Blast = uint8(min(int(a.Blast)+2, r.MaxBlast))
	}
}

// moveBombs ages, rolls and explodes the bombs; it finishes each bomb before the next.
func (t *turn2018) moveBombs() {
	s := t.s
	s.keepBombs(func(b *Bomb) bool {
		b.Life--
		t.roll(b)
		if b.Life != 0 {
			return true
		}
		s.giveBack(b)
		Rays(&s.Board, b.Cell, b.Blast, &t.marked)
		t.track.explode2018(s, b)
		return false
	})
}

// roll moves a rolling bomb onto a cell that shows passage, or into flames, which set
// it off. Anything else stops the bomb for good.
func (t *turn2018) roll(b *Bomb) {
	s, next := t.s, b.Cell.Next(b.Moving())
	switch {
	case b.Moving() == grid.Stay:
	case s.Board[next] == Passage:
		s.Board[b.Cell] = Passage
		b.Cell = next
	case s.Board[next] == Flames:
		t.left.Add(b.Cell)
		b.Cell, b.Life = next, 0
	default:
		b.roll(grid.Stay)
	}
}

// deaths kills the living agents that an explosion reaches. Older flames kill
// nobody.
func (t *turn2018) deaths() {
	for _, a := range t.agents() {
		agent := &t.s.Agents[a]
		if agent.Alive = !t.marked.Has(agent.Cell); !agent.Alive {
			t.track.diedIn(t.s, int(a), agent.Cell, 0)
		}
	}
}

// draw draws the board: bombs, agents over them, flames over everything.
func (t *turn2018) draw(r *Rules) {
	s := t.s
	for c := range t.left.All {
		if s.Board[c] == BombItem { // a blast of strength 1 does not reach the cell its bomb came from
			s.Board[c] = Passage
		}
	}
	for i := range s.bombs() {
		s.Board[s.Bombs[i].Cell] = BombItem
	}
	for _, a := range t.agents() {
		agent, self := &s.Agents[a], r.Agent0()+Item(a)
		if s.Board[t.at[a]] == self {
			s.Board[t.at[a]] = Passage
		}
		if agent.Alive {
			s.Board[agent.Cell] = self
		}
	}
	s.flames[r.FlameLife-1] = t.marked
	s.drawOldFlames()
}
