package bots

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// hybridSearch is a hybrid agent that searches where it evades and attacks. It
// plans on what it believes, evading by the evade score and attacking by the
// attack score, with the target as a random mover and everybody else still.
type hybridSearch struct {
	hybrid
	planner planner
	ticks   uint64 // of the last decision
}

func (a *hybridSearch) Reset(dice env.Dice) {
	a.hybrid.Reset(dice)
	a.ticks = 0
}

// Searched is how many ticks the last decision simulated.
func (a *hybridSearch) Searched() uint64 { return a.ticks }

func (a *hybridSearch) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	a.ticks = 0
	var o outlook
	move, left := a.decide(v, &o)
	if v.Rules.ViewSize == 0 { // else decide has done it
		v.Rules.Imagine(&a.belief, v)
	}
	if left != nothing {
		move = a.search(&o, left)
	}
	action[0] = uint8(move)
}

// search plans a move. Where nothing can be planned, and where an attack
// promises nothing better than what is, the rules decide.
func (a *hybridSearch) search(o *outlook, left task) pommerman.Action {
	b := benches.Get().(*bench)
	defer benches.Put(b)
	w, root := &b.world, &a.belief.State
	if !w.imagine(o.v.Rules, root, o.v.Seat, left) {
		return o.answer(left)
	}
	if left == toAttack {
		w.target, w.movers = o.target, env.SeatSet(0).With(o.target)
	}
	w.first = o.lasting(w.first, root)
	found := a.planner.plan(b, root, &a.dice, nil)
	a.ticks = found.Ticks
	if left == toAttack && found.Score <= w.Score(root) {
		if move := o.attack(); w.first.has(move) {
			return move
		}
	}
	return pommerman.Action(found.Move)
}

// answer is what the rules say where nothing is searched.
func (o *outlook) answer(left task) pommerman.Action {
	if left == toEvade {
		return o.evade()
	}
	return o.attack()
}

// enoughRoom is how many cells of its own an agent wants: in less, others could
// lock it up with a bomb.
const enoughRoom = 8

// lasting is what to choose from: those moves after which the agent survives
// longest, and of these, as long as there is not enough, those that leave it the
// most room. A bomb is among them if it is no suicide and leaves as much.
func (o *outlook) lasting(moves actionSet, s *pommerman.State) (kept actionSet) {
	longest, widest := -1, 0
	for move := pommerman.Stop; move <= pommerman.Right; move++ {
		if !moves.has(move) {
			continue
		}
		d := grid.Dir(move)
		steps, room := o.survives(d), o.room(s, o.v.Self.Cell.Next(d), false)
		if steps > longest || steps == longest && room > widest {
			kept, longest, widest = 0, steps, room
		}
		if steps == longest && room == widest {
			kept = kept.with(move)
		}
	}
	if moves.has(pommerman.LayBomb) && o.mayBomb() && o.room(s, o.v.Self.Cell, true) >= widest {
		kept = kept.with(pommerman.LayBomb)
	}
	return kept
}

// room counts the cells that the agent, from the cell given, reaches before
// anybody else who has a bomb to lay, up to enough. laying tells whether it
// lays one first, which it cannot pass again.
func (o *outlook) room(s *pommerman.State, from grid.Cell, laying bool) int {
	open := o.open
	if laying {
		open.Remove(o.v.Self.Cell)
	}
	var mine, theirs grid.Bits
	mine.Add(from)
	for seat := range o.v.Rules.Seats() {
		if a := &s.Agents[seat]; seat != o.v.Seat && a.Alive && a.Ammo > 0 {
			theirs.Add(a.Cell)
		}
	}
	for mine.Len() < enoughRoom {
		theirs = theirs.Or(theirs.Grow().And(open))
		next := mine.Or(mine.Grow().And(open).AndNot(theirs))
		if next == mine {
			break
		}
		mine = next
	}
	return min(mine.Len(), enoughRoom)
}
