package bots

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	planning "pommego/env/search"
)

// hybridSearch is a hybrid agent that searches where it evades and attacks. It
// plans on what it believes, evading by the evade score and attacking by the
// attack score, with the target as a random mover and everybody else still.
type hybridSearch struct {
	hybrid
	planner planner
	ticks   uint64 // of the last decision
	planning.Memo
}

func (a *hybridSearch) Reset(rng env.RNG) {
	a.hybrid.Reset(rng)
	a.ticks = 0
}

// Searched is how many ticks the last decision simulated.
func (a *hybridSearch) Searched() uint64 { return a.ticks }

func (a *hybridSearch) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	a.ticks = 0
	a.Forget()
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
	if !w.imagine(o.v.Rules, root, o.v.Seat, left, o.target) {
		return o.answer(left)
	}
	w.first = o.lasting(w.first)
	found := a.planner.plan(b, root, &a.rng, nil)
	a.ticks = found.Ticks
	if left == toAttack && found.Score <= w.Score(root) {
		if move := o.attack(); w.first.has(move) {
			return move
		}
	}
	if found.Ticks > 0 {
		a.Keep(b.by(a.planner.method), 0, choices)
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

// lasting is what to choose from: the moves with the best prospects, and a bomb
// if it is no suicide and leaves as much room.
func (o *outlook) lasting(moves actionSet) (kept actionSet) {
	most := -1
	for move := pommerman.Stop; move <= pommerman.Right; move++ {
		if !moves.has(move) {
			continue
		}
		p := o.prospects(grid.Dir(move))
		if p > most {
			kept, most = 0, p
		}
		if p == most {
			kept = kept.with(move)
		}
	}
	if moves.has(pommerman.LayBomb) && o.mayBomb() && o.room(grid.Stay, true) >= most%(enoughRoom+1) {
		kept = kept.with(pommerman.LayBomb)
	}
	return kept
}
