package vec

import (
	"slices"

	"pommego/env"
	"pommego/env/saved"
)

// seating says which seats of a game learn and who sits at the others.
type seating struct {
	seats    int
	learners int   // how many rows a game has: those that learn, then those of policies
	agents   int   // how many seats do not learn, including those of policies
	policies []int // which of the seats that do not learn are policies', in the order of their rows

	// drawn says that the only learner's seat is drawn for each episode. Otherwise rows
	// are the seats of the rows, and others the seats that do not learn.
	drawn  bool
	rows   []uint8
	others []uint8
}

func (s *seating) own() int { return s.learners - len(s.policies) }

// newSeating determines the seats, and the opponents' line-ups.
func newSeating(c *Config) (seating, LineUps, error) {
	s, lineUps := seating{seats: c.Game.Spec().Seats}, c.LineUps
	if len(c.Opponents) > 0 {
		lineUps = LineUps{Names: [][]string{c.Opponents}}
	}
	opposed := len(lineUps.Names) > 0
	switch {
	case len(c.LineUps.Names) == 0 && (c.LineUps.Weights != nil || c.LineUps.ByGame != nil):
		return s, lineUps, wrong("LineUps", " is empty, want at least one line-up")
	case len(c.LineUps.Names) > 0 && len(c.Opponents) > 0:
		return s, lineUps, wrong("Opponents", " and line-ups are both given, want one of them")
	case opposed && len(c.Seats) > 0:
		return s, lineUps, wrong("Opponents", " and seats are both given, want one of them")
	case opposed:
		err := s.opposed(c, lineUps.Names)
		return s, lineUps, err
	case c.Seat != nil:
		return s, lineUps, wrong("Seat", " is %d without opponents; it is the seat of the one learner among them", *c.Seat)
	case len(c.Seats) > 0:
		names, err := s.mixed(c)
		return s, LineUps{Names: [][]string{names}}, err
	}
	for seat := range s.seats {
		s.rows = append(s.rows, uint8(seat))
	}
	s.learners = s.seats
	return s, LineUps{Names: [][]string{{}}}, nil
}

// opposed seats one learner, against others in all other seats.
func (s *seating) opposed(c *Config, lineUps [][]string) error {
	s.agents = s.seats - 1
	for k := range s.agents {
		policy := func(names []string) bool { return k < len(names) && names[k] == Policy }
		if slices.ContainsFunc(lineUps, policy) {
			s.policies = append(s.policies, k)
		}
	}
	s.learners = 1 + len(s.policies)
	s.rows, s.others = make([]uint8, s.learners), make([]uint8, s.agents)
	s.drawn = c.Seat == nil
	switch {
	case s.drawn:
	case *c.Seat < 0 || *c.Seat >= s.seats:
		return wrong("Seat", " is %d, want 0 to %d: %s has %d seats", *c.Seat, s.seats-1, c.Game.Spec().ID, s.seats)
	default:
		s.around(*c.Seat, s.rows, s.others)
	}
	return nil
}

func (s *seating) mixed(c *Config) (names []string, err error) {
	if len(c.Seats) != s.seats {
		return nil, wrong("Seats", " has %d entries, want %d, one for each seat of %s",
			len(c.Seats), s.seats, c.Game.Spec().ID)
	}
	var policies []uint8
	names = []string{}
	for seat, name := range c.Seats {
		if name == Learner {
			s.rows = append(s.rows, uint8(seat))
			continue
		}
		if name == Policy {
			s.policies, policies = append(s.policies, len(s.others)), append(policies, uint8(seat))
		}
		s.others = append(s.others, uint8(seat))
		names = append(names, name)
	}
	if len(s.rows) == 0 {
		return nil, wrong("Seats", " %q has no %q, want at least one", c.Seats, Learner)
	}
	s.rows = append(s.rows, policies...)
	s.learners, s.agents = len(s.rows), len(s.others)
	return names, nil
}

// around places the only learner, and the others in the seats after it.
func (s *seating) around(learner int, rows, others []uint8) {
	rows[0] = uint8(learner)
	for k := range others {
		others[k] = uint8((learner + 1 + k) % s.seats)
	}
	for at, k := range s.policies {
		rows[1+at] = others[k]
	}
}

// deal fills in the seats of one game's episode.
func (s *seating) deal(seed env.Seed, rows, others []uint8) {
	if s.drawn {
		rng := seed.RNG(env.StreamSeats)
		s.around(rng.IntN(s.seats), rows, others)
		return
	}
	copy(rows, s.rows)
	copy(others, s.others)
}

// fits reports whether a saved game's rows may sit in these seats.
func (s *seating) fits(rows []int) bool {
	want, others := s.rows, make([]uint8, s.agents)
	if s.drawn {
		if len(rows) != s.learners || rows[0] < 0 || rows[0] >= s.seats {
			return false
		}
		want = make([]uint8, s.learners)
		s.around(rows[0], want, others)
	}
	return slices.Equal(rows, saved.Ints(want))
}
