package search

import (
	"slices"

	"pommego/env"
)

// Rolling is rolling horizon evolution: a population of plans, each a list of
// moves, is bred for the score of the state it leads to. In each round two
// parents, each the better of two drawn at random, give a child that takes each
// move from either and some moves anew; it takes the place of the worst plan
// unless it is worse itself. The first move of the best plan wins.
//
// Plan carries the best plan from one decision to the next: without its first
// move it is the first of the next population. Empty it when a new game begins.
type Rolling[S any] struct {
	Length     int     // moves in a plan, at least 1
	Population int     // plans, at least 1
	Mutation   float64 // the share of a child's moves that are drawn anew; 0: one a plan

	Plan []Move

	plans []plan
	genes []Move // of all plans, and of the child after them
	try   S
	moves []Move

	tallies tallies // of the plans that have been judged
}

type plan struct {
	genes []Move
	score float64
}

// anyMove in a plan stands for a move to be drawn when its turn comes.
const anyMove Move = 255

// Search finds a move and leaves the rest of the plan in Plan.
func (p *Rolling[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, NewMeter(budget)}
	p.moves, p.tallies = model.Moves(root, p.moves[:0]), p.tallies[:0]
	if len(p.moves) == 1 {
		p.Plan = append(p.Plan[:0], p.moves...)
		p.shift()
		return Found{Move: p.moves[0]}
	}
	p.begin(&r, root)
	child := &p.plans[len(p.plans)-1]
	plans := p.plans[:len(p.plans)-1]
	for len(plans) == p.Population && r.Open() {
		p.breed(plans, child.genes, rng)
		before := r.spent
		score, whole := p.judge(&r, root, child.genes)
		if !whole {
			break
		}
		if r.spent == before {
			r.left--
		}
		child.score = score
		p.tallies.note(child.genes[0], score)
		if worst := worstOf(plans); score >= worst.score {
			*worst, *child = *child, *worst
		}
	}
	top := bestOf(plans)
	p.Plan = append(p.Plan[:0], top.genes...)
	found := Found{p.Plan[0], top.score, r.Spent()}
	p.shift()
	return found
}

// shift takes the first move off the plan.
func (p *Rolling[S]) shift() { p.Plan = p.Plan[:copy(p.Plan, p.Plan[1:])] }

// begin makes the first population: the plan kept, and plans drawn at random.
// There are as many as the budget allows to judge, at least one, and one more
// as a place for the child.
func (p *Rolling[S]) begin(r *run[S], root *S) {
	n, length := p.Population, p.Length
	if cap(p.genes) < (n+1)*length {
		p.genes = make([]Move, (n+1)*length)
		p.plans = make([]plan, 0, n+1)
	}
	p.plans = p.plans[:0]
	for i := range n + 1 {
		genes := p.genes[:cap(p.genes)][i*length : (i+1)*length]
		for k := range genes {
			genes[k] = anyMove
		}
		if i == 0 {
			copy(genes, p.Plan)
		}
		one := plan{genes: genes}
		if i < n {
			score, whole := p.judge(r, root, genes)
			if !whole && i > 0 {
				p.plans = append(p.plans, one)
				return
			}
			one.score = score
			p.tallies.note(genes[0], score)
		}
		p.plans = append(p.plans, one)
	}
}

// judge follows a plan and scores where it leads. Moves that are not worth
// trying where their turn comes, and those left open, are replaced by some that
// are. It reports whether the budget sufficed.
func (p *Rolling[S]) judge(r *run[S], root *S, genes []Move) (score float64, whole bool) {
	p.try = *root
	whole = true
	for i, gene := range genes {
		if r.model.Terminal(&p.try) {
			break
		}
		p.moves = r.model.Moves(&p.try, p.moves[:0])
		genes[i] = p.mend(gene, r.rng)
		if !r.step(&p.try, genes[i]) {
			whole = false
			break
		}
	}
	return r.model.Score(&p.try), whole
}

// mend is gene, if it is one of the moves, else one of them.
func (p *Rolling[S]) mend(gene Move, rng *env.RNG) Move {
	if slices.Contains(p.moves, gene) {
		return gene
	}
	return p.moves[rng.IntN(len(p.moves))]
}

// breed writes the child of two parents.
func (p *Rolling[S]) breed(plans []plan, child []Move, rng *env.RNG) {
	one, two := parent(plans, rng), parent(plans, rng)
	rate := p.Mutation
	if rate <= 0 {
		rate = 1 / float64(len(child))
	}
	limit := uint32(rate * (1 << 31))
	for i := range child {
		chance := rng.Uint64()
		switch {
		case uint32(chance>>33) < limit:
			child[i] = anyMove
		case chance&1 == 0:
			child[i] = one.genes[i]
		default:
			child[i] = two.genes[i]
		}
	}
}

// parent is the better of two plans drawn.
func parent(plans []plan, rng *env.RNG) *plan {
	a, b := &plans[rng.IntN(len(plans))], &plans[rng.IntN(len(plans))]
	if b.score > a.score {
		return b
	}
	return a
}

func worstOf(plans []plan) *plan {
	worst := &plans[0]
	for i := range plans {
		if plans[i].score < worst.score {
			worst = &plans[i]
		}
	}
	return worst
}

func bestOf(plans []plan) *plan {
	top := &plans[0]
	for i := range plans {
		if plans[i].score > top.score {
			top = &plans[i]
		}
	}
	return top
}
