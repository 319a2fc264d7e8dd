package dataset

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/saved"
)

// starts turns seeds into saved games, and saved games into matches. Games are
// saved as those of a vector environment in which every seat learns.
type starts struct {
	game  env.Game
	form  gamestate.Form
	seats []uint8
	match env.Match // lent by begin

	tracker env.Tracker // of match, in steps played again
}

func newStarts(game env.Game) *starts {
	s := &starts{game: game, form: gamestate.Of(game.Spec()), match: game.New(1)[0],
		tracker: game.NewTrackers(1, false)[0]}
	for seat := range game.Spec().Seats {
		s.seats = append(s.seats, uint8(seat))
	}
	return s
}

// saved is the match as it stands.
func (s *starts) saved(seed uint64) []byte {
	return s.form.Append(nil, &gamestate.State{
		Ended: s.match.Status().Over, Seed: env.Seed{Value: seed}, Rows: saved.Ints(s.seats),
		Returns: make([]float64, len(s.seats)), Match: s.match.Append(nil),
	})
}

func (s *starts) dealt(seed env.Seed) []byte {
	s.match.Reset(seed)
	return s.saved(seed.Value)
}

// begin is a match at the start of an episode, which is checked: the match can be stepped with
// the episode's actions. It is good until the next call.
func (s *starts) begin(e *Episode) (env.Match, error) {
	if err := e.check(s.game.Spec()); err != nil {
		return nil, err
	}
	if e.Start == nil {
		s.match.Reset(e.Seed)
		return s.match, nil
	}
	state, err := s.form.Decode(e.Start)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(state.Rows, saved.Ints(s.seats)) || len(state.Agents) > 0 || state.Train {
		return nil, fmt.Errorf("it is of an environment with learners at %v and %d agents, want learners in all seats",
			state.Rows, len(state.Agents))
	}
	return s.match, s.match.Restore(state.Match)
}

// check says what is wrong with an episode: it fits the game, and all actions are within their range.
func (e *Episode) check(spec *env.Spec) error {
	s := shapeOf(spec)
	if err := e.fits(s); err != nil {
		return err
	}
	for i, a := range e.Actions {
		if c := &spec.Actions[i%s.components]; int(a) >= c.N {
			return fmt.Errorf("step %d: %s of seat %d is %d, want 0 to %d", i/s.step(), c.Name, i/s.components%s.seats, a, c.N-1)
		}
	}
	return nil
}

// play makes the episode's steps in m, which a tracker follows. before is called
// ahead of each step and after it with the status then; either may be nil.
func (e *Episode) play(m env.Match, t env.Tracker, s shape, before func(step int),
	after func(step int, st env.Status)) error {
	t.Begin(m)
	status := m.Status()
	for step := range e.Steps {
		if status.Over {
			return fmt.Errorf("played again it is over after %d steps, and %d more are recorded", step, e.Steps-step)
		}
		if before != nil {
			before(step)
		}
		t.Step(m, e.Actions[step*s.step():(step+1)*s.step()])
		status = m.Status()
		if after != nil {
			after(step, status)
		}
	}
	return nil
}

// countsOf is what a tracker has counted, as Episode.Counts has it.
func countsOf(spec *env.Spec, t env.Tracker, m env.Match) []int32 {
	all := make([]int32, spec.Seats*len(spec.Counts))
	for seat := range spec.Seats {
		t.Counts(m, seat, all[seat*len(spec.Counts):][:len(spec.Counts)])
	}
	return all
}

// again is the episode with the ending that it has when it is played again.
func (s *starts) again(e *Episode) (*Episode, error) {
	m, err := s.begin(e)
	if err != nil {
		return nil, err
	}
	spec, again, in := s.game.Spec(), *e, m.Status().In
	again.Outcome, again.Lived = make([]float64, spec.Seats), make([]int32, spec.Seats)
	err = e.play(m, s.tracker, shapeOf(spec), func(int) {
		for seat := range again.Lived {
			again.Lived[seat] += int32(toByte(in.Has(seat)))
		}
	}, func(_ int, st env.Status) { in = st.In })
	if err != nil {
		return nil, err
	}
	again.conclude(spec, m, m.Status())
	again.Counts = countsOf(spec, s.tracker, m)
	return &again, nil
}

// complete adds what rows of layout Dialogues lack.
func (s *starts) complete(e *Episode) error {
	if e.Counts != nil {
		return nil
	}
	again, err := s.again(e)
	if err == nil {
		e.Counts = again.Counts
	}
	return err
}

// Begin is a match at the start of an episode, which is checked: it can be
// stepped with the episode's actions.
func Begin(game env.Game, e *Episode) (env.Match, error) { return newStarts(game).begin(e) }
