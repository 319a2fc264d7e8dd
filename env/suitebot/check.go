package suitebot

import "fmt"

// Check reports whether a state from outside can be played: every value in its
// range, and every invariant of State. It returns the first thing wrong.
func (p *Plan) Check(s *State) error { return p.form().Check(s) }

// invariants reports what does not fit together in a state whose values are in
// their ranges.
func (p *Plan) invariants(s *State) error {
	for i := range p.rules.Players {
		if err := p.checkPlaces(s, i); err != nil {
			return err
		}
		if err := p.checkScore(s, i); err != nil {
			return err
		}
	}
	if s.Contested() < 0 {
		return fmt.Errorf("%d fields are spent, but %d more were collected", s.Spent.Len(), -s.Contested())
	}
	var seen Cells
	for b := range s.Bombs {
		switch {
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s, want at most one on a field", p.where(b.Cell))
		case s.Blast.Has(b.Cell):
			return fmt.Errorf("the bomb at %s was reached in the last round, but has not gone off", p.where(b.Cell))
		}
		seen.Add(b.Cell)
	}
	return nil
}

// checkPlaces compares where agent i and its home base are with those before it.
func (p *Plan) checkPlaces(s *State, i int) error {
	at, home := s.Agents[i], s.Homes[i]
	for k := range i {
		switch {
		case s.Agents[k] == at:
			return fmt.Errorf("agents %d and %d are both at %s, want them on different fields", k, i, p.where(at))
		case s.Homes[k] == home:
			return fmt.Errorf("agents %d and %d both have their home base at %s, want different fields", k, i, p.where(home))
		case s.Agents[k] == home, s.Homes[k] == at:
			return fmt.Errorf("one of agents %d and %d is at the other's home base, want no agent at an enemy's", k, i)
		}
	}
	return nil
}

// checkScore compares what agent i has with what it did and with the rounds
// played.
func (p *Plan) checkScore(s *State, i int) error {
	r, rounds, others := &p.rules, int(s.StepCount), p.rules.Players-1
	if kills, deaths := int(s.Kills[i]), int(s.Deaths[i]); kills > rounds*others || deaths > rounds {
		return fmt.Errorf("agent %d has killed %d and died %d times, more than %d rounds allow", i, kills, deaths, rounds)
	}
	score := int(s.Scores[i])
	earned := int(s.Collected[i])*r.FieldPoints + int(s.Kills[i])*r.KillPoints
	most, least := r.otherPoints()
	if score < earned+rounds*least || score > earned+rounds*most {
		return fmt.Errorf("agent %d has %d points, want %d to %d after %d rounds with %d fields and %d kills", i, score,
			earned+rounds*least, earned+rounds*most, rounds, s.Collected[i], s.Kills[i])
	}
	return nil
}

// where is a field as an error names it.
func (p *Plan) where(c Cell) string {
	x, y := p.XY(c)
	return fmt.Sprintf("[%d,%d]", x, y)
}
