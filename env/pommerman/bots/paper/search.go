package paper

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
	"pommego/env/search"
	"pommego/env/seat"
)

// hybridSearch is a hybrid agent that searches where it evades and attacks. It plans on
// what it believes, by the evade score or the attack score. The target moves at random,
// everybody else stands still.
type hybridSearch struct {
	hybrid
	seat.Planner
}

func newHybridSearch(s search.Settings) pommerman.Bot {
	return &hybridSearch{Planner: seat.NewPlanner[pommerman.State](s)}
}

func (a *hybridSearch) Reset(rng env.RNG) {
	a.hybrid.Reset(rng)
	a.Forget()
}

func (a *hybridSearch) Act(v *pommerman.View, action []uint8) {
	clear(action) // it sends no words
	a.Forget()
	var o analysis
	move, left := a.decide(v, &o)
	if v.Rules.ViewSize == 0 { // in fog, decide has done it
		v.Rules.Imagine(&a.belief, v)
	}
	if left != nothing {
		move = a.plan(&o, left)
	}
	action[0] = uint8(move)
}

// plan searches for a move. If there is nothing to search, or an attack promises
// nothing better than the present state, the rules decide; by the text they decide in
// the first case only.
func (a *hybridSearch) plan(o *analysis, left task) pommerman.Action {
	space := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, space)
	w, root := &space.World, &a.belief.State
	w.literal = o.literal
	if !w.imagine(o.v.Rules, root, o.v.Seat, left, o.target) {
		return o.answer(left)
	}
	w.first = o.lasting(w.first)
	found := space.Search(w, root, &a.Settings, a.Limit(a.Budget), &a.rng)
	a.Ticks = found.Ticks
	if !o.literal && left == toAttack && found.Score <= w.Score(root) {
		if move := o.attack(); w.first.Has(move) {
			return move
		}
	}
	a.Keep(0, found.Tried)
	return pommerman.Action(found.Move)
}

// lasting returns the moves to choose from: those with the best prospects, and a bomb
// if it is no suicide and leaves as much room. By the text it returns all moves but a
// bomb that is suicide.
func (o *analysis) lasting(moves pommerman.Moves) (kept pommerman.Moves) {
	if o.literal {
		if moves.Has(pommerman.LayBomb) && !o.mayBomb() {
			moves = moves.Without(pommerman.LayBomb)
		}
		return moves
	}
	most := -1
	for move := range moves.Without(pommerman.LayBomb).All {
		p := o.prospects(grid.Dir(move))
		if p > most {
			kept, most = 0, p
		}
		if p == most {
			kept = kept.With(move)
		}
	}
	if moves.Has(pommerman.LayBomb) && o.mayBomb() && o.room(grid.Stay, true) >= most%(enoughRoom+1) {
		kept = kept.With(pommerman.LayBomb)
	}
	return kept
}

// forward is an agent that searches in every situation, by what it believes and by the
// evaluation of states. All others move at random.
type forward struct {
	belief pommerman.Belief
	rng    env.RNG
	plan   struct { // what is left of the plan of an earlier decision
		n     uint8
		moves [search.MaxLength]search.Move
	}
	seat.Planner
}

func newForward(s search.Settings) pommerman.Bot {
	return &forward{Planner: seat.NewPlanner[pommerman.State](s)}
}

func (a *forward) Reset(rng env.RNG) {
	a.Forget()
	*a = forward{rng: rng, Planner: a.Planner}
}

func (a *forward) Reseed(rng env.RNG) { a.rng = rng }

func (a *forward) Act(v *pommerman.View, action []uint8) {
	clear(action) // it sends no words
	v.Rules.Imagine(&a.belief, v)
	a.Forget()
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	if !w.World.imagine(v.Rules, &a.belief.State, v.Seat, nothing, pommerman.NoSeat) {
		return
	}
	w.Plan = append(w.Plan[:0], a.plan.moves[:a.plan.n]...)
	found := w.Search(&w.World, &a.belief.State, &a.Settings, a.Limit(a.Budget), &a.rng)
	a.plan.n = uint8(copy(a.plan.moves[:], w.Plan))
	a.Ticks = found.Ticks
	a.Keep(0, found.Tried)
	action[0] = uint8(found.Move)
}

// Code writes or reads what is saved: the RNG state, the number of moves left in the
// plan, those moves, and the belief.
func (a *forward) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	c.Len("moves in its plan", &a.plan.n, len(a.plan.moves))
	saved.List(c, a.plan.moves[:a.plan.n])
	a.belief.Code(c)
}
