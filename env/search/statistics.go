package search

import "pommego/env"

// MoveStatistics is what a search has found out about one of the moves it chose from.
type MoveStatistics struct {
	Visits int32   // how often it was tried; 0: never
	Value  float64 // what it was found to be worth; the best of those tried was chosen
}

// Reporter is a search that says what it chose by. Statistics writes what the last
// Search found out about each move it tried, at the move's number in dst; it
// leaves the rest of dst as it is. Where there was nothing to choose from, that
// is all of it.
type Reporter interface{ Statistics(dst []MoveStatistics) }

// manyMoves is more moves than most games have, so that tallies grow only once.
const manyMoves = 16

// tallies collects, by the moves' numbers, the best of what each has led to.
type tallies []MoveStatistics

func (w *tallies) note(move Move, score float64) {
	if cap(*w) == 0 {
		*w = make(tallies, 0, manyMoves)
	}
	for int(move) >= len(*w) {
		*w = append(*w, MoveStatistics{})
	}
	k := &(*w)[move]
	if k.Visits == 0 || score > k.Value {
		k.Value = score
	}
	k.Visits++
}

func (w tallies) write(dst []MoveStatistics) {
	for move := range w {
		if w[move].Visits > 0 {
			dst[move] = w[move]
		}
	}
}

// statistics is what a tally says.
func (t *tally) statistics() MoveStatistics { return MoveStatistics{t.visits, t.mean()} }

// writeStatistics writes the tallies of those arms that have been tried.
func writeStatistics(arms []arm, dst []MoveStatistics) {
	for i := range arms {
		if arms[i].visits > 0 {
			dst[arms[i].move] = arms[i].statistics()
		}
	}
}

// Statistics writes for each move its tries and their mean score.
func (f *Flat[S]) Statistics(dst []MoveStatistics) { writeStatistics(f.arms, dst) }

// Statistics writes for each move its tries and their mean score.
func (a *Ahead[S]) Statistics(dst []MoveStatistics) { writeStatistics(a.arms, dst) }

// Statistics writes for each move the rounds that went its way and their mean score.
func (t *Tree[S]) Statistics(dst []MoveStatistics) {
	for i := t.nodes[0].child; i != 0; i = t.nodes[i].sibling {
		dst[t.nodes[i].move] = t.nodes[i].statistics()
	}
}

// Statistics writes for each move how many of the states compared in the end come
// after it, and the best score among them.
func (b *Breadth[S]) Statistics(dst []MoveStatistics) { b.tallies.write(dst) }

// Statistics writes for each move how many of the plans judged begin with it, and the
// best score among them.
func (p *Rolling[S]) Statistics(dst []MoveStatistics) { p.tallies.write(dst) }

// Memo is what an agent spent on its last action and chose it by: a seat.Searcher
// and an env.SearchReporter. Agents embed it, forget at the start of each action,
// add to Ticks what a search took, and keep what they choose by.
type Memo struct {
	Ticks   uint64 // simulated for the last action
	tallies []MoveStatistics
	stop    env.Flag
}

// StopOn has searches within Limit's budgets stop when the flag is set.
func (m *Memo) StopOn(flag env.Flag) { m.stop = flag }

// Limit is a budget that ends when the flag is set, too.
func (m *Memo) Limit(b Budget) Budget {
	b.Stop = m.stop
	return b
}

// Forget empties it. An action of which nothing is kept was decided without a
// search.
func (m *Memo) Forget() { m.Ticks, m.tallies = 0, m.tallies[:0] }

// Searched is how many ticks the last action took.
func (m *Memo) Searched() uint64 { return m.Ticks }

// Keep keeps what a search has found out: moves that are the choices of one
// component of the action. from is the number of the component's first choice
// among those of all components, and choices how many it has. (It takes the search
// as what an agent has it as: another interface would be looked up at each action.)
func Keep[S any](m *Memo, by Planner[S], from, choices int) {
	for len(m.tallies) < from+choices {
		m.tallies = append(m.tallies, MoveStatistics{})
	}
	by.Statistics(m.tallies[from : from+choices])
}

// KeepMoves keeps what was found out about each choice of the first component.
func (m *Memo) KeepMoves(found []MoveStatistics) { m.tallies = append(m.tallies[:0], found...) }

// SearchStatistics writes what is kept.
func (m *Memo) SearchStatistics(visits []int32, values []float64) bool {
	for i := range m.tallies {
		visits[i], values[i] = m.tallies[i].Visits, m.tallies[i].Value
	}
	return len(m.tallies) > 0
}
