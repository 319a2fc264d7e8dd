package bots

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// task is what the state machine of a hybrid agent leaves to its planner.
type task uint8

// The tasks. With nothing left, the move is decided.
const (
	nothing  task = iota
	toEvade       // bombs threaten, and the next cell of the way to safety too
	toAttack      // the target is near
)

func (t task) String() string { return [...]string{"nothing", "evade", "attack"}[t] }

// hybrid is what all hybrid agents share: a state machine that evades bombs,
// attacks a near enemy or else explores, in this order, and the memory it needs.
// Embed it, and let Act ask decide:
//
//	func (a *searcher) Act(v *pommerman.View, action []uint8) {
//		clear(action)
//		var o outlook
//		move, left := a.decide(v, &o)
//		switch left {
//		case toEvade:
//			move = ... // search with evadeScore; o.evade() is the rule's answer
//		case toAttack:
//			move = ... // search with attackScore against o.target; o.attack() is the rule's
//		}
//		action[0] = uint8(move)
//	}
//
// The planner must not lay a bomb unless o.mayBomb().
type hybrid struct {
	hybridMemory
	dice env.Dice
}

func (h *hybrid) Reset(dice env.Dice) { *h = hybrid{dice: dice} }

func (h *hybrid) Reseed(dice env.Dice) { h.dice = dice }

// The distances, in rows and columns together, at which an enemy is walked to
// and attacked.
const (
	approachRange = 6
	attackRange   = 4
)

// decide looks around, remembers, and goes through the state machine. It gives
// the move, or, if something is left to plan, the task.
func (h *hybrid) decide(v *pommerman.View, o *outlook) (pommerman.Action, task) {
	o.look(h.remember(v), &h.hybridMemory, &h.dice)
	switch {
	case o.mustEvade():
		d, found := o.toSafety()
		if !found || o.threatened(v.Self.Cell.Next(d)) {
			return pommerman.Action(d), toEvade
		}
		return o.sound(pommerman.Action(d)), nothing
	case o.mustAttack():
		if o.gap <= attackRange {
			return pommerman.Stop, toAttack
		}
		if d := o.toTarget(); d != grid.Stay {
			return o.sound(pommerman.Action(d)), nothing
		}
	}
	return o.sound(o.explore()), nothing
}

// sound is a move, or if somebody who makes it could not survive the bombs that
// lie there as long as possible, one after which it can.
func (o *outlook) sound(move pommerman.Action) pommerman.Action {
	if move == pommerman.LayBomb {
		return move // mayBomb has seen to it
	}
	if o.survives(grid.Dir(move)) < horizon {
		return o.evade()
	}
	return move
}

// evade is the heuristic agent's answer to toEvade: the move after which it can
// survive the longest, the way to safety if that is one of them.
func (o *outlook) evade() pommerman.Action {
	best, _ := o.toSafety()
	longest := o.survives(best)
	for _, d := range o.dirs {
		if t := o.survives(d); t > longest {
			best, longest = d, t
		}
	}
	if t := o.survives(grid.Stay); t > longest {
		best = grid.Stay
	}
	return pommerman.Action(best)
}

// attack is the heuristic agent's answer to toAttack: a bomb next to the target,
// or a step towards it, or else what it would explore.
func (o *outlook) attack() pommerman.Action {
	if o.gap == 1 && o.mayBomb() {
		return pommerman.LayBomb
	}
	if d := o.toTarget(); d != grid.Stay {
		return o.sound(pommerman.Action(d))
	}
	return o.sound(o.explore())
}
