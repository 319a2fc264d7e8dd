package bots

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/pommerman"
	planning "pommego/env/search"
)

// forward is an agent that searches in every situation, by what it believes and
// by the evaluation of states, with everybody else as a random mover.
type forward struct {
	belief  pommerman.Belief
	rng     env.RNG
	planner planner
	plan    rest
	ticks   uint64 // of the last decision
	planning.Memo
}

func (a *forward) Reset(rng env.RNG) {
	*a = forward{rng: rng, planner: a.planner, Memo: a.Memo}
}

func (a *forward) Reseed(rng env.RNG) { a.rng = rng }

// Searched is how many ticks the last decision simulated.
func (a *forward) Searched() uint64 { return a.ticks }

func (a *forward) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	v.Rules.Imagine(&a.belief, v)
	a.ticks = 0
	a.Forget()
	b := benches.Get().(*bench)
	defer benches.Put(b)
	if !b.world.imagine(v.Rules, &a.belief.State, v.Seat, nothing, pommerman.NoSeat) {
		return
	}
	found := a.planner.plan(b, &a.belief.State, &a.rng, &a.plan)
	a.ticks = found.Ticks
	if found.Ticks > 0 {
		a.Keep(b.by(a.planner.method), 0, choices)
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
	var plan rest
	if plan.n = state[8]; int(plan.n) > len(plan.moves) {
		return fmt.Errorf("bots: state of a searching agent has a plan of %d moves, want at most %d", plan.n, len(plan.moves))
	}
	for i, m := range state[fixed : fixed+int(plan.n)] {
		plan.moves[i] = planning.Move(m)
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
	a.belief, a.plan, a.ticks = belief, plan, 0
	return nil
}
