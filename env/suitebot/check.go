package suitebot

import "fmt"

// Check says whether a state from outside can be played: every invariant of
// State, and every value in its range. It returns the first thing wrong.
func (p *Plan) Check(s *State) error {
	for _, check := range []func(*State) error{p.checkFields, p.checkAgents, p.checkBombs, p.checkPoints} {
		if err := check(s); err != nil {
			return fmt.Errorf("suitebot: state: %w", err)
		}
	}
	return nil
}

func (p *Plan) checkFields(s *State) error {
	all := p.everything()
	for w := range s.Spent {
		switch {
		case s.Spent[w]&^all[w] != 0:
			return fmt.Errorf("a field past the last of %d is spent", p.cells)
		case s.Blast[w]&^s.Spent[w] != 0:
			return fmt.Errorf("a field was reached in the last round, but is not spent")
		}
	}
	return nil
}

func (p *Plan) checkAgents(s *State) error {
	for i := range MaxPlayers {
		at, home := s.Agents[i], s.Homes[i]
		switch {
		case i >= p.rules.Players:
			if at != 0 || home != 0 {
				return fmt.Errorf("there is an agent %d, but only %d players", i, p.rules.Players)
			}
			continue
		case int(at) >= p.cells || int(home) >= p.cells:
			return fmt.Errorf("agent %d is at field %d with its home base at field %d, want less than %d", i, at, home, p.cells)
		}
		for k := range i {
			switch {
			case s.Agents[k] == at:
				return fmt.Errorf("agents %d and %d are both at %s", k, i, p.where(at))
			case s.Homes[k] == home:
				return fmt.Errorf("agents %d and %d both have their home base at %s", k, i, p.where(home))
			case s.Agents[k] == home, s.Homes[k] == at:
				return fmt.Errorf("one of agents %d and %d is at the other's home base", k, i)
			}
		}
	}
	return nil
}

func (p *Plan) checkBombs(s *State) error {
	var seen Cells
	for b := range s.Bombs {
		switch {
		case b.Rounds > p.rules.BombDelay || b.Owner >= p.rules.Players:
			return fmt.Errorf("a bomb of agent %d goes off in %d rounds, want at most %d rounds and %d players", b.Owner, b.Rounds, p.rules.BombDelay, p.rules.Players)
		case int(b.Cell) >= p.cells:
			return fmt.Errorf("a bomb lies at field %d, want less than %d", b.Cell, p.cells)
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s", p.where(b.Cell))
		case s.Blast.Has(b.Cell):
			return fmt.Errorf("the bomb at %s was reached in the last round, but has not gone off", p.where(b.Cell))
		}
		seen.Add(b.Cell)
	}
	return nil
}

func (p *Plan) checkPoints(s *State) error {
	if int(s.StepCount) > p.rules.Rounds {
		return fmt.Errorf("%d rounds have been played, want at most %d", s.StepCount, p.rules.Rounds)
	}
	if s.Contested() < 0 {
		return fmt.Errorf("%d fields are spent, but %d more were collected", s.Spent.Len(), -s.Contested())
	}
	for i := range MaxPlayers {
		if i >= p.rules.Players {
			if s.Scores[i] != 0 || s.Gains[i] != 0 || s.Collected[i] != 0 || s.Kills[i] != 0 || s.Deaths[i] != 0 {
				return fmt.Errorf("agent %d has points, but there are only %d players", i, p.rules.Players)
			}
			continue
		}
		if err := p.checkScore(s, i); err != nil {
			return err
		}
	}
	return nil
}

// checkScore checks that an agent can have got its points in so many rounds.
func (p *Plan) checkScore(s *State, i int) error {
	r, rounds, others := &p.rules, int(s.StepCount), p.rules.Players-1
	if kills, deaths := int(s.Kills[i]), int(s.Deaths[i]); kills > rounds*others || deaths > rounds {
		return fmt.Errorf("agent %d has killed %d and died %d times, more than %d rounds allow", i, kills, deaths, rounds)
	}
	score, gain := int(s.Scores[i]), int(s.Gains[i])
	earned := int(s.Collected[i])*r.FieldPoints + int(s.Kills[i])*r.KillPoints
	most, least := r.otherPoints()
	if score < earned+rounds*least || score > earned+rounds*most {
		return fmt.Errorf("agent %d has %d points, want %d to %d after %d rounds with %d fields and %d kills", i, score, earned+rounds*least, earned+rounds*most, rounds, s.Collected[i], s.Kills[i])
	}
	if top := p.cells*r.FieldPoints + others*r.KillPoints + most; gain < least || gain > top {
		return fmt.Errorf("agent %d got %d points in the last round, want %d to %d", i, gain, least, top)
	}
	return nil
}

// where is a field as an error names it.
func (p *Plan) where(c Cell) string {
	x, y := p.XY(c)
	return fmt.Sprintf("[%d,%d]", x, y)
}
