package env_test

import (
	"encoding/json"
	"math"
	"testing"

	"pommego/env"
)

// TestThoughts: what was never tried has no value, also after it was written and read.
func TestThoughts(t *testing.T) {
	thought := env.Searched(2, []int32{3, 0, 1}, []float64{0.1, 7, math.Inf(1)})
	want := `{"seat":2,"visits":[3,0,1],"values":[0.1,null,null]}`
	for range 2 {
		text, err := json.Marshal(thought)
		if err != nil || string(text) != want {
			t.Fatalf("%s, %v; want %s", text, err, want)
		}
		thought = env.Thought{}
		if err := json.Unmarshal(text, &thought); err != nil {
			t.Fatal(err)
		}
	}
	spec := &env.Spec{Seats: 3, Actions: []env.Choice{{N: 2}, {N: 1}}}
	if err := thought.Check(spec); err != nil {
		t.Error(err)
	}
	for _, other := range []env.Thought{{Seat: 3}, {Seat: -1}, {Visits: []int32{1}}, {Values: make([]env.SearchValue, 4)},
		{Probabilities: []float64{1}}} {
		if err := other.Check(spec); err == nil {
			t.Errorf("%+v is taken", other)
		}
	}
}
