package search

// Weight is what a search has found out about one of the moves it chose from.
type Weight struct {
	Visits int32   // how often it was tried; 0: never
	Value  float64 // what it was found to be worth; the best of those tried was chosen
}

// Weighs is a search that tells what it chose by. Weigh writes what the last
// Search found out about each move it tried, at the move's number in dst; it
// leaves the rest of dst as it is. Where there was nothing to choose from, that
// is all of it.
type Weighs interface{ Weigh(dst []Weight) }

// weights collects, by the moves' numbers, the best of what each has led to.
type weights []Weight

func (w *weights) note(move Move, score float64) {
	for int(move) >= len(*w) {
		*w = append(*w, Weight{})
	}
	k := &(*w)[move]
	if k.Visits == 0 || score > k.Value {
		k.Value = score
	}
	k.Visits++
}

func (w weights) write(dst []Weight) {
	for move := range w {
		if w[move].Visits > 0 {
			dst[move] = w[move]
		}
	}
}

// weight is what a tally says.
func (t *tally) weight() Weight { return Weight{t.visits, t.mean()} }

// weigh writes the weights of those arms that have been tried.
func weigh(arms []arm, dst []Weight) {
	for i := range arms {
		if arms[i].visits > 0 {
			dst[arms[i].move] = arms[i].weight()
		}
	}
}

// Weigh writes for each move its tries and their mean score.
func (f *Flat[S]) Weigh(dst []Weight) { weigh(f.arms, dst) }

// Weigh writes for each move its tries and their mean score.
func (a *Ahead[S]) Weigh(dst []Weight) { weigh(a.arms, dst) }

// Weigh writes for each move the rounds that went its way and their mean score.
func (t *Tree[S]) Weigh(dst []Weight) {
	for i := t.nodes[0].child; i != 0; i = t.nodes[i].sibling {
		dst[t.nodes[i].move] = t.nodes[i].weight()
	}
}

// Weigh writes for each move how many of the states compared in the end come
// after it, and the best score among them.
func (b *Breadth[S]) Weigh(dst []Weight) { b.weights.write(dst) }

// Weigh writes for each move how many of the plans judged begin with it, and the
// best score among them.
func (p *Rolling[S]) Weigh(dst []Weight) { p.weights.write(dst) }

// Memo is what an agent chose its last action by, for whoever asks: it is an
// env.Weigher. Agents embed it, forget at the start of each action, and keep what
// they choose by.
type Memo struct{ weights []Weight }

// Forget empties it. An action of which nothing is kept was decided without a
// search.
func (m *Memo) Forget() { m.weights = m.weights[:0] }

// Keep keeps what a search has weighed: moves that are the choices of one
// component of the action. from is the number of the component's first choice
// among those of all components, and choices how many it has.
func (m *Memo) Keep(by Weighs, from, choices int) {
	for len(m.weights) < from+choices {
		m.weights = append(m.weights, Weight{})
	}
	by.Weigh(m.weights[from : from+choices])
}

// Weighed writes what is kept.
func (m *Memo) Weighed(visits []int32, values []float64) bool {
	for i := range m.weights {
		visits[i], values[i] = m.weights[i].Visits, m.weights[i].Value
	}
	return len(m.weights) > 0
}
