package vec

import (
	"errors"
	"fmt"
	"slices"

	"pommego/env"
)

// Start is a saved position in which episodes of one pool can begin. Such an episode
// has seed, number, opponents and RNGs as any other, and the agents' memory is empty;
// only the match stands as it was saved. If the pool draws its learner's seat, the
// episode takes the learner's seat of the saved game, provided that game had one
// learner and it is not out; else it draws one of the seats that are in.
type Start struct {
	pool    *Pool
	variant int // the variant whose rules the match is played by
	match   env.Match
	in      []int // the seats that are not out
	// learner is the learner's seat in the saved game; -1 if the game had several learners, or its learner cannot go on.
	learner int
}

// Starts is where the episodes of a pool begin.
type Starts struct {
	States  []*Start
	Weights []float64 // how often each is drawn; nil: all alike

	// Ordinary is the share of episodes that begin as they do without Starts, 0 to 1.
	Ordinary float64

	reach []float64 // in a pool the sums of the weights up to each
}

// NewStart makes a start of what Load takes. That may have been saved in any pool of
// the same id and rules, whichever seats learnt there.
func (p *Pool) NewStart(state []byte) (*Start, error) {
	s, err := p.decode(state)
	if err == nil && s.State == nil {
		s.variant = p.cfg.Variants.fitting(0, s.restore)
	}
	m := p.cfg.Variants.Games[s.variant].New(1)[0]
	if err == nil {
		err = s.restore(m)
	}
	if err != nil {
		return nil, err
	}
	m.SetTrainingSeat(-1)
	status := m.Status()
	if status.Over {
		return nil, errors.New("the game in it is over; save one that goes on")
	}
	start := &Start{pool: p, variant: s.variant, match: m, in: status.In.List(), learner: -1}
	if s.State != nil && (len(s.Rows) == 1 || p.seating.drawn && p.seating.fits(s.Rows)) &&
		slices.Contains(start.in, s.Rows[0]) {
		start.learner = s.Rows[0]
	}
	learners := p.seating.rows[:p.seating.own()]
	learns := func(seat uint8) bool { return status.In.Has(int(seat)) }
	if !p.seating.drawn && !slices.ContainsFunc(learners, learns) {
		return nil, fmt.Errorf("its learners, in seats %v, are all out; want one that still plays", learners)
	}
	return start, nil
}

// SetStarts says where episodes begin, from each game's next one on. The episode's seed
// decides which state it is. The zero value goes back to the game's own beginnings.
func (p *Pool) SetStarts(s Starts) error {
	reach, err := sums(s.Weights, len(s.States))
	switch {
	case p.closed:
		return fmt.Errorf("SetStarts: %w", ErrClosed)
	case err != nil:
		return err
	case !(s.Ordinary >= 0 && s.Ordinary <= 1):
		return wrong("Ordinary", " is %v, want a share of the episodes from 0 to 1", s.Ordinary)
	}
	for k, start := range s.States {
		if err := p.checkStart(start); err != nil {
			return wrong("States", "[%d]: %w", k, err)
		}
	}
	p.rest()
	s.States, s.reach = slices.Clone(s.States), reach
	p.starts = s
	return nil
}

func (p *Pool) checkStarts(all []*Start) error {
	if all != nil && len(all) != p.cfg.Games {
		return wrong("Starts", " has %d entries, want %d, one for each game", len(all), p.cfg.Games)
	}
	for i, s := range all {
		if s == nil {
			continue
		}
		if err := p.checkStart(s); err != nil {
			return wrong("Starts", "[%d]: %w", i, err)
		}
	}
	return nil
}

func (p *Pool) checkStart(s *Start) error {
	if s == nil || s.pool != p {
		return errors.New("it belongs to another pool; make it with this pool's NewStart")
	}
	return nil
}

// draw returns the start of an episode, nil if the game decides where it begins.
func (s *Starts) draw(seed env.Seed) *Start {
	if len(s.States) == 0 {
		return nil
	}
	rng := seed.RNG(env.StreamStarts)
	if rng.Float64() < s.Ordinary {
		return nil
	}
	return s.States[draw(s.reach, &rng)]
}

// begin puts game i into the saved position, with the episode's own RNG and the seats for it.
func (s *Start) begin(i int, seed env.Seed) {
	g, v := &s.pool.games[i], &s.pool.cfg.Variants
	if s.pool.seating.drawn {
		learner := s.learner
		if learner < 0 {
			rng := seed.RNG(env.StreamSeats)
			learner = s.in[rng.IntN(len(s.in))]
		}
		s.pool.seating.around(learner, g.rows, g.others)
	}
	g.variant = v.drawn(i, seed, s.variant)
	s.pool.cfg.Game.Copy(g.match, s.match)
	g.match.Reseed(seed)
	g.begun = g.match.Status().Steps
}
