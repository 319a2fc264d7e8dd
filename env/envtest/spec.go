package envtest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"pommego/env"
)

// checkSpec: the spec is complete, without contradiction, and JSON.
func checkSpec(k *kit) {
	s := k.spec
	switch {
	case s.ID == "" || s.Game == "" || s.Description == "" || strings.Contains(s.Description, "\n"):
		k.failf("ID %q, Game %q, Description %q: want all three, each on one line", s.ID, s.Game, s.Description)
	case s.Version < 1:
		k.failf("Version is %d, want 1 or more", s.Version)
	case s.Seats < 1 || s.Seats > 16:
		k.failf("Seats is %d, want 1 to 16", s.Seats)
	case s.MaxSteps < 1:
		k.failf("MaxSteps is %d, want 1 or more: a game must end", s.MaxSteps)
	case len(s.Actions) == 0 || len(s.Encodings) == 0:
		k.failf("%d action components and %d encodings, want at least one of each", len(s.Actions), len(s.Encodings))
	}
	k.checkTeams()
	k.checkChoices()
	var names []string
	for i := range s.Encodings {
		names = append(names, s.Encodings[i].Name)
		k.checkFields(&s.Encodings[i])
	}
	if len(s.State) > 0 {
		k.checkFields(k.encoding(env.GlobalState))
	}
	for i := range s.State {
		if !s.State[i].Shared {
			k.failf("State, field %q: not Shared, want it Shared: it belongs to no seat", s.State[i].Name)
		}
	}
	k.distinct("encodings", names)
	k.distinct("agents", s.Agents)
	if _, err := json.Marshal(s); err != nil {
		k.failf("does not marshal to JSON: %v", err)
	}
	if k.game.Spec() != s {
		k.failf("Spec returns another pointer each time, want the same")
	}
}

func (k *kit) checkTeams() {
	for _, team := range k.spec.Teams {
		if len(team) == 0 {
			k.failf("Teams %v has an empty team", k.spec.Teams)
		}
	}
	seats := slices.Sorted(slices.Values(slices.Concat(k.spec.Teams...)))
	if !slices.Equal(seats, env.AllSeats(k.spec.Seats).List()) {
		k.failf("Teams %v: want each of the %d seats in one team", k.spec.Teams, k.spec.Seats)
	}
}

func (k *kit) checkChoices() {
	var names []string
	for _, c := range k.spec.Actions {
		names = append(names, c.Name)
		if c.N < 1 || c.N > 256 || len(c.Names) != c.N {
			k.failf("action %q: N is %d with %d names, want 1 to 256 and a name for each", c.Name, c.N, len(c.Names))
		}
		k.distinct(fmt.Sprintf("choices of action %q", c.Name), c.Names)
	}
	k.distinct("actions", names)
}

// ranges are the integer element types' limits.
var ranges = map[env.DType][2]float64{
	env.Uint8: {0, math.MaxUint8}, env.Int16: {math.MinInt16, math.MaxInt16},
	env.Int32: {math.MinInt32, math.MaxInt32}, env.Uint64: {0, math.MaxUint64},
}

func (k *kit) checkFields(e *env.Encoding) {
	var fields []string
	for i := range e.Fields {
		f := &e.Fields[i]
		at := fmt.Sprintf("encoding %q, field %q", e.Name, f.Name)
		fields = append(fields, f.Name)
		limits, integer := ranges[f.DType]
		switch {
		case !integer && f.DType != env.Float32 && f.DType != env.Float64:
			k.failf("%s: dtype %q does not exist", at, f.DType)
		case len(f.Shape) == 0:
			k.failf("%s: no shape", at)
		case !(f.Low <= f.High) || math.IsInf(f.Low, 0) || math.IsInf(f.High, 0):
			k.failf("%s: Low %v and High %v, want finite bounds in order", at, f.Low, f.High)
		case integer && (f.Low < limits[0] || f.High > limits[1] || f.Low != math.Trunc(f.Low) ||
			f.High != math.Trunc(f.High)):
			k.failf("%s: Low %v and High %v, want integers that %s can hold, %v to %v", at, f.Low, f.High, f.DType, limits[0],
				limits[1])
		}
		for _, d := range f.Shape {
			if d < 1 {
				k.failf("%s: shape %v, want positive sizes", at, f.Shape)
			}
		}
		if len(f.Names) != f.Shape[0] {
			k.failf("%s: %d names for %d entries along the first axis", at, len(f.Names), f.Shape[0])
		}
		var names []string
		for _, n := range f.Names {
			if n.Meaning == "" {
				k.failf("%s: %q has no meaning", at, n.Name)
			}
			names = append(names, n.Name)
		}
		k.distinct("names of "+at, names)
	}
	if len(fields) == 0 {
		k.failf("encoding %q has no fields", e.Name)
	}
	k.distinct(fmt.Sprintf("fields of encoding %q", e.Name), fields)
}

// distinct fails if a name is empty or comes twice.
func (k *kit) distinct(what string, names []string) {
	seen := make(map[string]bool)
	for _, n := range names {
		if n == "" || seen[n] {
			k.failf("%s: %q is empty or comes twice in %q", what, n, names)
		}
		seen[n] = true
	}
}
