package vec

import (
	"fmt"

	"pommego/env"
)

// seating says which seats of a game learn and which agents sit at the others.
type seating struct {
	seats    int
	learners int
	agents   int

	// drawn: the only learner's seat is drawn for each episode. Otherwise rows and
	// others are the fixed seats of the learners and of the agents.
	drawn  bool
	rows   []uint8
	others []uint8
}

// newSeating determines the seats of learners and agents, and the agents' names.
func newSeating(c *Config) (seating, []string, error) {
	seats := c.Game.Spec().Seats
	s := seating{seats: seats}
	switch {
	case len(c.Opponents) > 0 && len(c.Seats) > 0:
		return s, nil, fmt.Errorf("vec: Opponents and Seats are both given, want one of them")
	case c.Seat != 0 && len(c.Opponents) == 0:
		return s, nil, fmt.Errorf("vec: Seat is %d without Opponents; it says where the one learner sits among them", c.Seat)
	case len(c.Opponents) > 0:
		return s.opposed(c)
	case len(c.Seats) > 0:
		return s.mixed(c)
	}
	for seat := range seats {
		s.rows = append(s.rows, uint8(seat))
	}
	s.learners = seats
	return s, nil, nil
}

// opposed is one learner against agents in all other seats.
func (s seating) opposed(c *Config) (seating, []string, error) {
	if len(c.Opponents) != s.seats-1 {
		return s, nil, fmt.Errorf("vec: %d Opponents, want %d: %s has %d seats, and one is the learner's",
			len(c.Opponents), s.seats-1, c.Game.Spec().ID, s.seats)
	}
	s.learners, s.agents = 1, s.seats-1
	s.rows, s.others = make([]uint8, 1), make([]uint8, s.agents)
	s.drawn = c.Seat == 0
	if !s.drawn {
		s.around(c.Seat-1, s.rows, s.others)
	}
	return s, c.Opponents, nil
}

// mixed is the seating by Config.Seats.
func (s seating) mixed(c *Config) (seating, []string, error) {
	if len(c.Seats) != s.seats {
		return s, nil, fmt.Errorf("vec: Seats has %d entries, want %d, one for each seat of %s", len(c.Seats), s.seats, c.Game.Spec().ID)
	}
	var names []string
	for seat, name := range c.Seats {
		if name == Learner {
			s.rows = append(s.rows, uint8(seat))
		} else {
			s.others = append(s.others, uint8(seat))
			names = append(names, name)
		}
	}
	s.learners, s.agents = len(s.rows), len(s.others)
	if s.learners == 0 {
		return s, nil, fmt.Errorf("vec: Seats %q has no %q, want at least one", c.Seats, Learner)
	}
	return s, names, nil
}

// around places the only learner, and the agents after it.
func (s *seating) around(learner int, rows, others []uint8) {
	rows[0] = uint8(learner)
	for k := range others {
		others[k] = uint8((learner + 1 + k) % s.seats)
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

// fits reports whether a saved game's learners may sit like this.
func (s *seating) fits(rows []uint8) bool {
	if s.drawn {
		return len(rows) == 1 && int(rows[0]) < s.seats
	}
	return string(rows) == string(s.rows)
}
