package paper

import "pommego/env/pommerman"

// heuristic is the hybrid agent without a search: rules decide in every state.
type heuristic struct{ hybrid }

func (a *heuristic) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	var o analysis
	move, left := a.decide(v, &o)
	switch left {
	case toEvade:
		move = o.evade()
	case toAttack:
		move = o.attack()
	}
	action[0] = uint8(move)
}
