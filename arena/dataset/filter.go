package dataset

import (
	"fmt"
	"slices"
	"strings"

	"pommego/env"
)

// Filter selects games. A zero field excludes none.
type Filter struct {
	Agent    string         // an agent that plays in some seat
	Result   env.SeatResult // the result of some seat or, with Agent, of a seat of that agent
	MinSteps int
	MaxSteps int
	First    int // the lowest number that is kept
	Games    int // how many numbers from First on are kept; 0: all
}

// Validate says what is wrong with the filter.
func (f *Filter) Validate() error {
	switch {
	case f.Result != "" && !slices.Contains(env.SeatResults, f.Result):
		return fmt.Errorf("there is no result %q, want one of %q", f.Result, env.SeatResults)
	case f.MinSteps < 0 || f.MaxSteps < 0:
		return fmt.Errorf("min-steps is %d and max-steps is %d, want 0 (any) or more", f.MinSteps, f.MaxSteps)
	case f.First < 0 || f.Games < 0:
		return fmt.Errorf("first is %d and games is %d, want 0 (all) or more", f.First, f.Games)
	case f.MaxSteps > 0 && f.MaxSteps < f.MinSteps:
		return fmt.Errorf("lengths from %d to %d, want a greatest length that is not below the least", f.MinSteps, f.MaxSteps)
	}
	return nil
}

// Keep reports whether a game is chosen.
func (f *Filter) Keep(e *Episode) bool {
	switch {
	case e.Steps < f.MinSteps,
		f.MaxSteps > 0 && e.Steps > f.MaxSteps,
		e.Game < f.First,
		f.Games > 0 && e.Game-f.First >= f.Games:
		return false
	}
	for seat, name := range e.Agents {
		if (f.Agent == "" || name == f.Agent) && (f.Result == "" || e.Results[seat] == f.Result) {
			return true
		}
	}
	return false
}

// Apart reports whether the numbers alone exclude all games of a file.
func (f *Filter) Apart(file File) bool {
	return file.Game+file.Games <= f.First || f.Games > 0 && file.Game-f.First >= f.Games
}

// String says which games are kept; "" for all.
func (f *Filter) String() string {
	var parts []string
	for _, p := range []struct {
		given bool
		text  string
	}{
		{f.MinSteps > 0, fmt.Sprintf("at least %d steps", f.MinSteps)},
		{f.MaxSteps > 0, fmt.Sprintf("at most %d steps", f.MaxSteps)},
		{f.Agent != "", f.Agent + " plays"},
		{f.Result != "", "result " + string(f.Result)},
		{f.First > 0, fmt.Sprintf("from game %d", f.First)},
		{f.Games > 0, fmt.Sprintf("%d numbers", f.Games)},
	} {
		if p.given {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}
