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
	toEvade       // no neighbouring cell on the way to safety is safe
	toAttack      // the target enemy is near
)

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

// outlook is the working memory of one decision: what the seat knows, and what
// follows from it. It lives on the stack.
type outlook struct {
	v      *pommerman.View // what the seat sees and, under fog, remembers
	memory *hybridMemory
	target int       // the seat of the enemy to attack, pommerman.NoSeat if none is known
	at     grid.Cell // where it is
	gap    int       // how far, in rows and columns together
}

// The distances, in rows and columns together, at which an enemy is walked to
// and attacked.
const (
	approachRange = 6
	attackRange   = 4
)

// decide looks around, remembers, and goes through the state machine. It gives
// the move, or, if something is left to plan, the task.
func (h *hybrid) decide(v *pommerman.View, o *outlook) (pommerman.Action, task) {
	o.v, o.memory = h.remember(v), &h.hybridMemory
	o.aim()
	return pommerman.Stop, nothing
}

// aim finds the target: the nearest enemy known, of equals that of the lowest
// seat.
func (o *outlook) aim() {
	o.target, o.gap = pommerman.NoSeat, 99
	for row := range o.v.Rules.BoardSize {
		for col := range o.v.Rules.BoardSize {
			c := grid.At(row, col)
			item := o.v.Board[c]
			if item < o.v.Rules.Agent0() || item != o.v.Enemies[0] && item != o.v.Enemies[1] && item != o.v.Enemies[2] {
				continue
			}
			seat := int(item - o.v.Rules.Agent0())
			if gap := manhattan(c, o.v.Self.Cell); gap < o.gap || gap == o.gap && seat < o.target {
				o.target, o.at, o.gap = seat, c, gap
			}
		}
	}
}

// evade is the heuristic agent's answer to toEvade.
func (o *outlook) evade() pommerman.Action { return pommerman.Stop }

// attack is the heuristic agent's answer to toAttack.
func (o *outlook) attack() pommerman.Action { return pommerman.Stop }

// mayBomb is the rule against accidental suicide: the agent has a bomb to lay,
// and reaches a cell that is safe from it and has two neighbours to go on to.
func (o *outlook) mayBomb() bool { return false }

// manhattan is the distance of two cells in rows and columns together.
func manhattan(a, b grid.Cell) int { return abs(a.Row()-b.Row()) + abs(a.Col()-b.Col()) }
