package paper

import (
	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/saved"
	"pommego/env/search"
)

// forward is an agent that searches in every situation, by what it believes and
// by the evaluation of states, with everybody else as a random mover.
type forward struct {
	belief   pommerman.Belief
	rng      env.RNG
	settings search.Settings
	plan     remainder
	search.Memo
}

// remainder is what is left of the plan of an earlier decision.
type remainder struct {
	n     uint8
	moves [search.MaxLength]search.Move
}

func newForward(s search.Settings) pommerman.Bot {
	return &forward{settings: s, Memo: search.Memo{Bytes: search.Bytes[pommerman.State](&s)}}
}

func (a *forward) Reset(rng env.RNG) {
	a.Forget()
	*a = forward{rng: rng, settings: a.settings, Memo: a.Memo}
}

func (a *forward) Reseed(rng env.RNG) { a.rng = rng }

func (a *forward) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	v.Rules.Imagine(&a.belief, v)
	a.Forget()
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	if !w.world.imagine(v.Rules, &a.belief.State, v.Seat, nothing, pommerman.NoSeat) {
		return
	}
	w.searcher.Plan = append(w.searcher.Plan[:0], a.plan.moves[:a.plan.n]...)
	found := w.searcher.Search(&w.world, &a.belief.State, &a.settings, a.Limit(a.settings.Budget), &a.rng)
	a.plan.n = uint8(copy(a.plan.moves[:], w.searcher.Plan))
	a.Ticks = found.Ticks
	a.Keep(0, found.Tried)
	action[0] = uint8(found.Move)
}

// Code writes or reads what is saved: RNG state, number of moves left of the plan,
// those moves, belief.
func (a *forward) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	c.Len("moves in its plan", &a.plan.n, len(a.plan.moves))
	saved.List(c, a.plan.moves[:a.plan.n])
	a.belief.Code(c)
}
