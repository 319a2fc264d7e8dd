package search

import (
	"cmp"
	"slices"

	"pommego/env"
)

type plan struct {
	genes []Move
	score float64
}

// anyMove stands, in a plan, for a move that is drawn when its turn comes.
const anyMove Move = 255

// rolling breeds a population of plans. A plan is a list of moves, and its score is
// that of the state to which it leads. In each round it chooses two parents, each the
// better of two plans drawn at random. Their child takes each move from one of them,
// and some moves at random. The child replaces the worst plan, unless the child is
// worse. The first move of the best plan wins; the rest of that plan stays in Plan.
func (t *Searcher[S]) rolling(root *S) {
	t.populate(root)
	child := &t.plans[len(t.plans)-1]
	plans := t.plans[:len(t.plans)-1]
	for len(plans) == t.Population && t.Open() {
		t.breed(plans, child.genes)
		before := t.spent
		score, whole := t.judge(root, child.genes)
		if !whole {
			break
		}
		if t.spent == before {
			t.left--
		}
		child.score = score
		t.note(child.genes[0], 1, score)
		worst := &plans[0]
		for i := range plans {
			if plans[i].score < worst.score {
				worst = &plans[i]
			}
		}
		if score >= worst.score {
			*worst, *child = *child, *worst
		}
	}
	top := slices.MaxFunc(plans, func(a, b plan) int { return cmp.Compare(a.score, b.score) })
	t.top = Best[Move]{Choice: top.genes[0], Score: top.score}
	t.Plan = append(t.Plan[:0], top.genes[1:]...)
}

// populate makes the first population: the plan kept, and plans drawn at random. It
// makes as many as the budget allows to judge, at least one, and one more as room for
// the child.
func (t *Searcher[S]) populate(root *S) {
	n, length := t.Population, t.Length
	t.genes, t.plans = room(t.genes, (n+1)*length), room(t.plans, n+1)
	for i := range n + 1 {
		one := plan{genes: t.genes[i*length : (i+1)*length]}
		for k := range one.genes {
			one.genes[k] = anyMove
		}
		if i == 0 {
			copy(one.genes, t.Plan)
		}
		whole := i == 0 || i < n && !t.late()
		if whole {
			one.score, whole = t.judge(root, one.genes)
		}
		t.plans = append(t.plans, one)
		if i > 0 && !whole {
			return
		}
		t.note(one.genes[0], 1, one.score)
	}
}

// judge follows a plan and scores the state to which it leads. It replaces moves that
// are not worth trying when their turn comes, and those left open, by moves that are.
// It reports whether the budget sufficed.
func (t *Searcher[S]) judge(root *S, genes []Move) (score float64, whole bool) {
	t.try = *root
	whole = true
	for i, gene := range genes {
		if t.model.Terminal(&t.try) {
			break
		}
		t.moves = t.model.Moves(&t.try, t.moves[:0])
		genes[i] = t.mend(gene)
		if !t.step(&t.try, genes[i]) {
			whole = false
			break
		}
	}
	return t.model.Score(&t.try), whole
}

// mend returns gene if it is one of the moves, else one of them.
func (t *Searcher[S]) mend(gene Move) Move {
	if slices.Contains(t.moves, gene) {
		return gene
	}
	return t.moves[t.rng.IntN(len(t.moves))]
}

func (t *Searcher[S]) breed(plans []plan, child []Move) {
	one, two := parent(plans, t.rng), parent(plans, t.rng)
	rate := t.Mutation
	if rate <= 0 {
		rate = 1 / float64(len(child))
	}
	limit := uint32(rate * (1 << 31))
	for i := range child {
		chance := t.rng.Uint64()
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

func parent(plans []plan, rng *env.RNG) *plan {
	a, b := &plans[rng.IntN(len(plans))], &plans[rng.IntN(len(plans))]
	if b.score > a.score {
		return b
	}
	return a
}
