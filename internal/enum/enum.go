// Package enum handles the names of enumerations: of small numbers that are written as
// words in flags, in JSON and in errors. A list holds the names; a value is an index in
// it. Suggest finds the name that a misspelt one probably means.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Name returns the name of a value; for a value without a name, its type and a question
// mark.
func Name[E ~uint8](names []string, v E) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%T(?)", v)
}

// Read sets v to the value with a name. If there is no such name, the error begins with
// what, which says what the name is for.
func Read[E ~uint8](what string, names []string, name []byte, v *E) error {
	at := slices.Index(names, string(name))
	if at < 0 {
		return fmt.Errorf("%s is %q, want one of %s", what, name, strings.Join(names, ", "))
	}
	*v = E(at)
	return nil
}

// Suggest returns ` (did you mean "NAME"?)` with the name that wrote probably means, to
// be added to an error; "" if no name is near.
func Suggest(wrote string, names []string) string {
	best, least := "", (len(wrote)+2)/3+1
	for _, name := range names {
		if d := distance(strings.ToLower(wrote), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance returns how many letters must be added, removed or replaced to turn one name
// into the other; 1 if one is the beginning of the other.
func distance(a, b string) int {
	if len(a) >= 3 && len(a) < len(b) && strings.HasPrefix(b, a) {
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
