package env

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Thought is what a seat based its action on. Visits, Values and Probabilities have an
// entry for each choice of each component of the action, one component after the other.
type Thought struct {
	Seat          int           `json:"seat"`
	Visits        []int32       `json:"visits,omitzero"`        // how often its search tried each choice
	Values        []SearchValue `json:"values,omitzero"`        // what each choice is worth, in the agent's own unit
	Probabilities []float64     `json:"probabilities,omitzero"` // the probability with which the agent makes each choice
	Value         *float64      `json:"value,omitzero"`         // what the position is worth to the agent
	Read          string        `json:"read,omitzero"`          // what a language model read
	Said          string        `json:"said,omitzero"`          // what it said
}

// Talker is an agent or a player that may be asked in words. Dialogue returns what it read and what it answered for its
// last action; read is empty if it was not asked in words.
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

// Check returns an error if the thought cannot belong to the game, else nil.
func (t *Thought) Check(s *Spec) error {
	if t.Seat < 0 || t.Seat >= s.Seats {
		return fmt.Errorf("a thought has seat %d, want 0 to %d", t.Seat, s.Seats-1)
	}
	for _, n := range [...]int{len(t.Visits), len(t.Values), len(t.Probabilities)} {
		if want := s.MaskSize(); n != 0 && n != want {
			return fmt.Errorf("a list in the thought of seat %d has %d entries, want %d, one for each choice", t.Seat, n, want)
		}
	}
	return nil
}

// ThoughtOf returns what an agent or a player in a seat based its last action on, if it
// searched or was asked in words.
func ThoughtOf(spec *Spec, seat int, player any) (t Thought, ok bool) {
	if talker, ok := player.(Talker); ok {
		t.Seat = seat
		t.Read, t.Said = talker.Dialogue()
		return t, t.Read != ""
	}
	r, ok := player.(SearchReporter)
	if !ok {
		return t, false
	}
	n := spec.MaskSize()
	visits, values := make([]int32, n), make([]float64, n)
	if !r.SearchStatistics(visits, values) {
		return t, false
	}
	return Searched(seat, visits, values), true
}

// Searched returns the thought of a seat whose search reports how often it tried each
// choice, and the value that it found for each.
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
