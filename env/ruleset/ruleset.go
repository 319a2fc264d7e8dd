// Package ruleset is what the games have in common where they describe their
// rules: a struct of numbers, switches and named choices that marshals to JSON.
package ruleset

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"pommego/internal/enum"
)

// Limit is a number of the rules, or a choice, and what it may be.
type Limit struct {
	name          string
	is, low, high int
	names         []string // of the choices
}

// Between is a limit of the number with the given key.
func Between(name string, is, low, high int) Limit { return Limit{name, is, low, high, nil} }

// Known is the limit of a choice: that it has a name.
func Known[N enum.Named](is enum.Text[N]) Limit {
	what, names := (*new(N)).Names()
	return Limit{what, int(is), 0, len(names) - 1, names}
}

// Check says which number is out of its limits, the first if there are several.
func Check(limits ...Limit) error {
	for _, l := range limits {
		switch {
		case l.is >= l.low && l.is <= l.high:
		case l.names != nil:
			return fmt.Errorf("rules: %s is %d, want one of %s", l.name, l.is, strings.Join(l.names, ", "))
		default:
			return fmt.Errorf("rules: %s is %d, want %d to %d", l.name, l.is, l.low, l.high)
		}
	}
	return nil
}

// Fingerprint is a number that tells the rules of a game apart: saved states
// carry it.
func Fingerprint(game string, version int, rules any) uint64 {
	text, err := json.Marshal(rules)
	if err != nil {
		panic(err) // numbers, switches and names always marshal
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%s", game, version, text)
	return h.Sum64()
}

// Alone is the teams of a game in which every seat plays for itself.
func Alone(seats int) [][]int {
	var teams [][]int
	for seat := range seats {
		teams = append(teams, []int{seat})
	}
	return teams
}
