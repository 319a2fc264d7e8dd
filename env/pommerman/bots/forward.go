package bots

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/pommerman"
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

func newForward(s search.Settings) pommerman.Bot { return &forward{settings: s} }

func (a *forward) Reset(rng env.RNG) {
	a.Forget()
	*a = forward{rng: rng, settings: a.settings, Memo: a.Memo}
}

func (a *forward) Reseed(rng env.RNG) { a.rng = rng }

func (a *forward) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	v.Rules.Imagine(&a.belief, v)
	a.Forget()
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	if !w.world.imagine(v.Rules, &a.belief.State, v.Seat, nothing, pommerman.NoSeat) {
		return
	}
	w.searches.SetPlan(a.plan.moves[:a.plan.n])
	planner := w.searches.Use(&a.settings)
	found := planner.Search(&w.world, &a.belief.State, a.Limit(a.settings.Budget), &a.rng)
	a.plan.n = uint8(copy(a.plan.moves[:], w.searches.Plan()))
	a.Ticks = found.Ticks
	if found.Ticks > 0 {
		search.Keep(&a.Memo, planner, 0, choices)
	}
	action[0] = uint8(found.Move)
}

// The saved form: RNG state, number of moves left of the plan, those moves, belief.
func (a *forward) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, a.rng.State)
	dst = append(dst, a.plan.n)
	for _, m := range a.plan.moves[:a.plan.n] {
		dst = append(dst, uint8(m))
	}
	return a.belief.Append(dst)
}

func (a *forward) Restore(state []byte) error {
	const fixed = 8 + 1
	if len(state) < fixed || len(state) < fixed+int(state[8]) {
		return fmt.Errorf("bots: state of a searching agent has %d bytes, want more", len(state))
	}
	var plan remainder
	if plan.n = state[8]; int(plan.n) > len(plan.moves) {
		return fmt.Errorf("bots: state of a searching agent has a plan of %d moves, want at most %d", plan.n, len(plan.moves))
	}
	for i, m := range state[fixed : fixed+int(plan.n)] {
		plan.moves[i] = search.Move(m)
	}
	var belief pommerman.Belief
	left, err := belief.Restore(state[fixed+int(plan.n):])
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("bots: state of a searching agent has %d bytes too many", len(left))
	}
	a.rng = env.RNG{State: binary.LittleEndian.Uint64(state)}
	a.belief, a.plan = belief, plan
	a.Forget()
	return nil
}
