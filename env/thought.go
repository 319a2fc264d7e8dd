package env

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Thought is what a seat chose its action by. Visits, Values and Probabilities have an
// entry for each choice of each component of the action, one component after the other.
type Thought struct {
	Seat          int           `json:"seat"`
	Visits        []int32       `json:"visits,omitzero"`        // how often its search tried each choice
	Values        []SearchValue `json:"values,omitzero"`        // what it is worth, in the agent's own unit
	Probabilities []float64     `json:"probabilities,omitzero"` // with which the agent chooses
	Value         *float64      `json:"value,omitzero"`         // of the position, to the agent
	Read          string        `json:"read,omitzero"`          // by a language model
	Said          string        `json:"said,omitzero"`          // by it
}

// Talker is an agent or a player that was asked for its last action in words, unless read is empty.
type Talker interface{ Dialogue() (read, said string) }

// SearchValue is a number whose JSON is null if it is NaN.
type SearchValue float64

// MarshalJSON writes the number as a float32, or null.
func (v SearchValue) MarshalJSON() ([]byte, error) {
	if f := float32(v); !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) {
		return json.Marshal(f)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *SearchValue) UnmarshalJSON(text []byte) error {
	*v = SearchValue(math.NaN())
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}

// Check reports a thought that cannot be one of the game.
func (t *Thought) Check(s *Spec) error {
	if t.Seat < 0 || t.Seat >= s.Seats {
		return fmt.Errorf("a thought has seat %d, want 0 to %d", t.Seat, s.Seats-1)
	}
	for _, n := range [...]int{len(t.Visits), len(t.Values), len(t.Probabilities)} {
		if want := s.MaskSize(); n != 0 && n != want {
			return fmt.Errorf("a thought of seat %d has %d entries, want one for each of %d choices", t.Seat, n, want)
		}
	}
	return nil
}

// ThoughtOf is what an agent or a player in a seat chose its last action by, if it
// searched or was asked in words.
func ThoughtOf(spec *Spec, seat int, player any) (t Thought, ok bool) {
	if talker, ok := player.(Talker); ok {
		t.Seat = seat
		t.Read, t.Said = talker.Dialogue()
		return t, t.Read != ""
	}
	n := spec.MaskSize()
	visits, values := make([]int32, n), make([]float64, n)
	r, ok := player.(SearchReporter)
	if !ok || !r.SearchStatistics(visits, values) {
		return t, false
	}
	return Searched(seat, visits, values), true
}

// Searched is the thought of a seat whose search reports how often it tried each
// choice, and what it found each to be worth.
func Searched(seat int, visits []int32, values []float64) Thought {
	t := Thought{Seat: seat, Visits: slices.Clone(visits)}
	for i, v := range values {
		if visits[i] == 0 {
			v = math.NaN()
		}
		t.Values = append(t.Values, SearchValue(v))
	}
	return t
}
