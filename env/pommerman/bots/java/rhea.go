package java

import (
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
)

// member is one plan of the population with its value: an average over all results of
// the plan and of the plans it comes from, in which the latest result counts half.
type member struct {
	moves  [search.MaxLength]uint8
	length uint8
	value  float64
}

// evolve is RHEAPlayer with a population of one: each iteration makes a child of the
// plan, tries both, and keeps the better. The plan goes on in the next decision,
// without its first move.
func (p *planner) evolve(plan *member) pommerman.Action {
	if int(plan.length) != p.length {
		*plan = member{length: uint8(p.length)}
		for i := range p.length {
			plan.moves[i] = uint8(p.rng.IntN(tactics.Choices))
		}
	} else {
		copy(plan.moves[:], plan.moves[1:p.length])
		plan.moves[p.length-1] = uint8(p.rng.IntN(tactics.Choices))
	}
	p.judge(plan, 0)
	p.note(plan)
	for p.round() {
		p.rng.IntN(1) // the original draws one of a population of one
		child := *plan
		if !p.judge(&child, p.mutations()) || !p.judge(plan, 0) {
			break
		}
		clear(p.statistics[:])
		p.note(plan)
		p.note(&child)
		if child.value > plan.value {
			*plan = child
		}
	}
	return pommerman.Action(plan.moves[0])
}

// note adds the value of a plan to those compared last.
func (p *planner) note(m *member) {
	k := &p.statistics[m.moves[0]]
	if k.Visits == 0 || m.value > k.Value {
		k.Value = m.value
	}
	k.Visits++
}

// mutations draws a set of places in a plan, each with the same chance.
func (p *planner) mutations() (set uint64) {
	for i := range p.length {
		if float64(p.rng.Float32()) < p.mutation {
			set |= 1 << i
		}
	}
	return set
}

// judge follows a plan and updates its value. At the places in mutations, it draws
// another move when the place is reached. It reports whether the ticks sufficed.
func (p *planner) judge(m *member, mutations uint64) bool {
	p.try = p.root
	for i := range p.length {
		if p.terminal(&p.try) {
			break
		}
		if mutations>>i&1 != 0 {
			other := uint8(p.rng.IntN(tactics.Choices - 1))
			if other >= m.moves[i] {
				other++
			}
			m.moves[i] = other
		}
		if !p.step(&p.try, m.moves[i]) {
			return false
		}
	}
	m.value = (m.value + p.heuristic.value(&p.try, p.rng)) / 2
	return true
}
