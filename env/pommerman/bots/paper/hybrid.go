package paper

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// task is what the state machine of a hybrid agent leaves to its search.
type task uint8

// The tasks. If nothing is left, the move is decided.
const (
	nothing  task = iota
	toEvade       // bombs threaten the agent, and the next cell of its way to safety
	toAttack      // the target is near
)

// hybrid is an agent by rules alone, and the common part of those that search: a state
// machine, which is Algorithm 1 of Zhou and others, "A Hybrid Search Agent in
// Pommerman" (FDG 2018), and the memory that it needs. In order:
//
//   - Evade. A bomb is dangerous with less than 5 steps to go, and 2 earlier for
//     each further bomb around the agent. If a dangerous one reaches the agent's
//     cell or one it could step onto, it goes to the nearest cell that none
//     reaches. If the first cell on the way there is threatened, or there is no
//     way, it searches.
//   - Attack, with a bomb to lay and an enemy within 6 rows and columns. It goes
//     there if it can; within 4 it searches.
//   - Explore: bomb wood, walk to items and wood, or to the cell least visited.
//
// Without a search the rules themselves evade and attack; see [analysis.evade] and
// [analysis.attack]. Dijkstra's algorithm finds the ways. The paper's rule against
// accidental suicide is [analysis.mayBomb].
//
// The text does not deal with an agent that walks into a corner which a bomb then
// closes. With bombs of 25 steps, games are lost in that way. So we have added these
// rules. The option careful=0 leaves them out; careful=0,allbombs=1 is the text alone:
//
//   - No rule makes a move after which the agent might not survive the bombs that
//     lie, or have room left, see [analysis.sound]; and a search has only the moves
//     with the best prospects to choose from.
//   - No escape counts on a cell that another agent may take.
//   - A search lays bombs only close to its target, and none to evade; and where
//     it finds nothing better than what is, the rules attack.
type hybrid struct {
	hybridMemory
	rng      env.RNG
	literal  bool // careful=0: leaves our own rules out
	allBombs bool // allbombs=1: also the first bomb around makes the time of danger longer
}

func (h *hybrid) own() *hybrid { return h }

func (h *hybrid) Reset(rng env.RNG) { *h = hybrid{rng: rng, literal: h.literal, allBombs: h.allBombs} }

func (h *hybrid) Reseed(rng env.RNG) { h.rng = rng }

// The distances, rows plus columns, at which an enemy is walked to, attacked, and
// bombed.
const (
	approachRange = 6
	attackRange   = 4
	bombRange     = 2
)

func (h *hybrid) Act(v *pommerman.View, action []uint8) {
	clear(action) // it sends no words
	var o analysis
	move, left := h.decide(v, &o)
	if left != nothing {
		move = o.answer(left)
	}
	action[0] = uint8(move)
}

// decide looks around, remembers, and goes through the state machine. It returns the
// move or, if something is left to plan, the task.
func (h *hybrid) decide(v *pommerman.View, o *analysis) (pommerman.Action, task) {
	o.literal, o.allBombs = h.literal, h.allBombs
	o.look(h.remember(v), &h.hybridMemory, &h.rng)
	switch {
	case o.mustEvade():
		d, found := o.toSafety()
		if !found || o.threatened(v.Self.Cell.Next(d)) {
			return pommerman.Stop, toEvade
		}
		return o.sound(pommerman.Action(d)), nothing
	case v.Self.Ammo > 0 && o.gap <= approachRange:
		if o.gap <= attackRange {
			return pommerman.Stop, toAttack
		}
		if d := o.toTarget(); d != grid.Stay {
			return o.sound(pommerman.Action(d)), nothing
		}
	}
	return o.sound(o.explore()), nothing
}

func (o *analysis) answer(left task) pommerman.Action {
	if left == toEvade {
		return o.evade()
	}
	return o.attack()
}

// evade is the rules' answer to toEvade: the move with the best prospects; among
// equals, the way to safety. The text takes the way to safety in any case.
func (o *analysis) evade() pommerman.Action {
	best, _ := o.toSafety()
	if o.literal {
		return pommerman.Action(best)
	}
	most := o.prospects(best)
	for _, d := range o.dirs {
		if p := o.prospects(d); p > most {
			best, most = d, p
		}
	}
	if o.prospects(grid.Stay) > most {
		best = grid.Stay
	}
	return pommerman.Action(best)
}

// attack is the rules' answer to toAttack: a bomb close to the target, or a step
// towards it, or else what explore does.
func (o *analysis) attack() pommerman.Action {
	if o.gap <= bombRange && o.mayBomb() {
		return pommerman.LayBomb
	}
	if d := o.toTarget(); d != grid.Stay {
		return o.sound(pommerman.Action(d))
	}
	return o.sound(o.explore())
}

// explore lays a bomb next to wood, or walks to the nearest item or cell next to
// wood, or else to the cell least visited.
func (o *analysis) explore() pommerman.Action {
	self := o.v.Self.Cell
	if o.beside.Has(self) && o.mayBomb() {
		return pommerman.LayBomb
	}
	d, found := o.cheapest(func(c grid.Cell) (extra int, good bool) {
		if tactics.Pickups.Has(o.v.Board[c]) {
			return 0, true
		}
		return int(o.memory.visits[c]), c != self && o.v.Self.Ammo > 0 && o.beside.Has(c)
	})
	if !found {
		d, _ = o.cheapest(func(c grid.Cell) (extra int, good bool) {
			return costVisit * int(o.memory.visits[c]), c != self
		})
	}
	return pommerman.Action(d)
}

// sound returns the given move if the agent surely survives it and is not shut in, else
// the move with the best prospects. By the text it returns the given move.
func (o *analysis) sound(move pommerman.Action) pommerman.Action {
	if o.literal || move == pommerman.LayBomb || o.prospects(grid.Dir(move)) == bright {
		return move // a bomb is sound if mayBomb says so
	}
	return o.evade()
}
