package pommerman

import (
	"math/bits"

	"pommego/env"
	"pommego/env/grid"
)

// turn is the working memory of one step: what living agents do and which cells
// they want.
type turn struct {
	s       *State
	actions [MaxAgents]uint8 // by agent: its Action

	agentWish [MaxAgents]grid.Cell // by living agent: the cell it wants
	wishes    uint32               // agentWish as the bytes of a word, with away for agents that are out
	cells     uint32               // the cells of the agents, in the same form
	stirred   bool                 // a bomb rolls, or an agent walks onto one
	uncovered bool                 // a bomb has left a cell that burns, only in hand-made states
	kicks     [MaxAgents]uint8     // by agent: the bomb that it kicks, as MaxAgents plus its index plus one
}

// away holds the cells of agents that are out: each has its own in the border.
const away = 0x03020100

// Step makes one move of all agents. actions holds 1+RadioWords numbers per seat.
// Observations, rewards and the result follow from the state after it; a ring of the
// collapse that became due falls when the next step begins.
func (r *Rules) Step(s *State, actions []uint8) { r.step(s, actions, nil) }

// stepToday is a step by today's rules. The numbers in the comments are those of
// the rules in docs/games/pommerman.md.
func (r *Rules) stepToday(s *State, actions []uint8, track *tracker) {
	var t turn
	t.s = s
	track.fallDue(r, s) // 14, of the step before
	s.burnDown(r)       // 1
	t.read(r, actions)  // reads the moves of living agents, and what they say
	bombs := s.NumBombs
	t.agentsWish(r) // 2
	track.laidToday(&t, bombs)
	due := t.tickBombs() // 10: nothing before it depends on it
	if !t.undisturbed() {
		s.liftBombs()
		t.resolve() // 3 to 8
		track.kicksToday(&t)
		due = s.catchFire() || due // 10
	}
	t.moveAgents(r, track) // 9
	if due {
		s.explode(r, track) // 11 and 12
	} else {
		s.drawBombs() // 12
	}
	if t.uncovered {
		s.drawOldFlames() // 12
	}
	t.deaths(r, track) // 13
	r.count(s)         // 14
}

// count counts a step. The ring of the collapse that is due now falls later, in fallDue.
func (r *Rules) count(s *State) {
	s.StepCount++
	if r.FirstCollapse != NoCollapse {
		s.due = int8(r.ringDue(int(s.StepCount)) + 1)
	}
}

// read takes the actions and stores what the living agents send by radio; a dead
// agent sends nothing.
func (t *turn) read(r *Rules, actions []uint8) {
	width := 1 + r.RadioWords
	if width == 1 && len(actions) == MaxAgents {
		t.actions = [MaxAgents]uint8(actions)
	} else {
		for a := range r.Seats() {
			t.actions[a] = actions[a*width]
		}
	}
	if r.RadioWords == 0 {
		return
	}
	t.s.Radio = [MaxAgents][MaxWords]uint8{}
	for a := range r.Seats() {
		if t.s.Agents[a].Alive {
			copy(t.s.Radio[a][:], actions[a*width+1:][:r.RadioWords])
		}
	}
}

// burnDown ages the flames. Where the last one goes out, the item hidden there
// appears, or a passage; an item that appears under another flame is lost.
func (s *State) burnDown(r *Rules) {
	none := s.flames[0].Empty() // before ageFlames, so that it need not wait for its copies
	out := s.ageFlames()
	if none {
		return
	}
	still := s.burning()
	for c := range out.All {
		if still.Has(c) {
			s.Board[c] = Flames
		} else {
			s.Board[c] = s.Hidden(c)
		}
	}
	for digit := range s.hidden {
		s.hidden[digit] = s.hidden[digit].AndNot(out)
	}
	s.drawBombs() // in some states a bomb lay in a flame that is out now
}

func (s *State) ageFlames() (out grid.Bits) {
	f := &s.flames
	out = f[0]
	f[0] = f[1]
	f[1] = f[2]
	f[2] = f[3]
	f[3] = f[4]
	f[4] = grid.Bits{}
	return out
}

// agentsWish lays the bombs and finds the cell each living agent wants. An agent
// that stops or lays a bomb wants its own cell, which cannot be a wall now.
func (t *turn) agentsWish(r *Rules) {
	s, wishes, cells := t.s, uint32(away), uint32(away)
	for a := range s.Agents {
		agent := &s.Agents[a]
		if !agent.Alive {
			continue
		}
		s.Board[agent.Cell] = Passage
		action := Action(t.actions[a])
		if action == LayBomb && agent.Ammo > 0 && !s.BombAt(agent.Cell) {
			agent.Ammo--
			s.addBomb(NewBomb(agent.Cell, uint8(r.BombLife), agent.Blast, a, grid.Stay))
		}
		wish := uint(agent.Cell.Next(grid.Dir(action))) // without a branch, as walls are hard to predict
		item := s.Board[wish&255]
		if item.wall() {
			wish = uint(agent.Cell)
		}
		if item == BombItem || item == Flames { // in some states these hide a bomb
			t.stirred = t.stirred || s.BombAt(grid.Cell(wish))
		}
		t.agentWish[a] = grid.Cell(wish)
		wishes ^= uint32(grid.Cell(wish)^grid.Cell(a)) << (8 * a & 31)
		cells ^= uint32(agent.Cell^grid.Cell(a)) << (8 * a & 31)
	}
	t.wishes, t.cells = wishes, cells // as words: reading bytes would wait for each write
}

// tickBombs ages the bombs and reports whether one is at the end of its life.
func (t *turn) tickBombs() (due bool) {
	bombs := t.s.bombs()
	for i := range bombs {
		b := &bombs[i]
		b.Life--
		due = due || b.Life == 0
		t.stirred = t.stirred || b.Moving() != grid.Stay
	}
	return due
}

// undisturbed reports whether everyone surely gets the cell that it wants, as in most
// steps: no bomb rolls, no agent walks onto a bomb, and no two agents want the same
// cell or the cell that another comes from. Then phases 3 to 8 change nothing and are
// left out.
//
// Actions are hard to predict, so it does not branch: it compares the agents'
// cells four at a time, as the bytes of a word.
func (t *turn) undisturbed() bool {
	wish, at := t.wishes, t.cells
	meet := equalBytes(wish, bits.RotateLeft32(wish, 8)) | equalBytes(wish, bits.RotateLeft32(wish, 16))
	meet |= equalBytes(wish, bits.RotateLeft32(at, 8)) | equalBytes(wish, bits.RotateLeft32(at, 16))
	meet |= equalBytes(wish, bits.RotateLeft32(at, 24))
	return meet == 0 && !t.stirred
}

// equalBytes returns 0 unless a byte of a is equal to the byte of b in the same place.
func equalBytes(a, b uint32) uint32 {
	x := a ^ b
	return (x - 0x01010101) &^ x & 0x80808080
}

// moveAgents moves the agents and lets them pick up what is there. There is never an
// item where an agent stayed.
func (t *turn) moveAgents(r *Rules, track *tracker) {
	s := t.s
	for a := range s.Agents {
		agent := &s.Agents[a]
		if !agent.Alive {
			continue
		}
		agent.Cell = t.agentWish[a]
		if item := s.Board[agent.Cell]; item.powerup() {
			track.pickedUp(a, item, agent.Cell)
			agent.pickUp(r, item, &s.RNG)
		}
	}
}

// pickUp applies an item. A blast strength above the cap falls to the cap.
func (a *Agent) pickUp(r *Rules, item Item, rng *env.RNG) {
	switch item {
	case ExtraBomb:
		a.giveAmmo(r)
	case IncrRange:
		a.Blast = uint8(min(int(a.Blast)+1, r.MaxBlast))
	case Kick:
		a.Kicks = true
	case Skull:
		a.suffer(r, float64(rng.IntN(3))/3) // each effect has the same chance
	}
}

// giveAmmo adds one bomb to carry, up to the cap.
func (a *Agent) giveAmmo(r *Rules) { a.Ammo = uint8(min(int(a.Ammo)+1, r.MaxAmmo)) }

// deaths kills the living agents that stand in flames and draws the others.
func (t *turn) deaths(r *Rules, track *tracker) {
	s, first := t.s, r.Agent0()
	for a := range s.Agents {
		agent := &s.Agents[a]
		switch {
		case !agent.Alive:
		case s.Board[agent.Cell] == Flames:
			agent.Alive = false
			track.diedIn(s, a, agent.Cell, r.FlameLife-1)
		default:
			s.Board[agent.Cell] = first + Item(a)
		}
	}
}
