package search

// flat makes each move once and scores the state after it. Then it plays on from one of these
// states after the other, as Bandit chooses. It takes the move with the best mean score.
func (t *Searcher[S]) flat(root *S) {
	t.arms, t.states = t.arms[:0], t.states[:0]
	for _, move := range t.moves {
		t.states = append(t.states, *root)
		s := &t.states[len(t.states)-1]
		if !t.step(s, move) {
			break
		}
		a := arm{move: move, final: t.model.Terminal(s)}
		a.add(t.model.Score(s))
		t.arms = append(t.arms, a)
	}
	for t.Depth > 0 && t.Open() {
		i := t.Bandit.pull(t.arms, t.C, t.rng)
		if i < 0 {
			break
		}
		t.try = t.states[i]
		t.arms[i].add(t.playOn())
	}
	t.compareArms()
}

// ahead makes each move in turn, as often as the budget allows but at most Samples
// times, and takes the one with the best mean score. If others move at random, several
// samples are worth their ticks.
func (t *Searcher[S]) ahead(root *S) {
	t.arms = t.arms[:0]
	for _, move := range t.moves {
		t.arms = append(t.arms, arm{move: move})
	}
	for n := max(t.Samples, 1); n > 0 && t.Open(); n-- {
		for i := range t.arms {
			if !t.Open() {
				break
			}
			t.try = *root
			t.step(&t.try, t.arms[i].move)
			t.arms[i].add(t.model.Score(&t.try))
		}
	}
	t.compareArms()
}

// compareArms takes the move with the highest mean score, of those tried.
func (t *Searcher[S]) compareArms() {
	for i := range t.arms {
		if a := &t.arms[i]; a.visits > 0 {
			t.offer(a.move, a.visits, a.mean())
		}
	}
}
