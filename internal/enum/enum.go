// Package enum is the names of enumerations: of small numbers that are written
// as words, in flags, in JSON and in errors. The names of one are a list, in
// which each value is an index. Suggest finds the name that was meant by another.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Name is the name of a value; of one that has none, its type and a question
// mark.
func Name[E ~uint8](names []string, v E) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%T(?)", v)
}

// Read sets v to the value with a name. The error for a name that there is not
// begins with what it should have named.
func Read[E ~uint8](what string, names []string, name []byte, v *E) error {
	at := slices.Index(names, string(name))
	if at < 0 {
		return fmt.Errorf("%s is %q, want one of %s", what, name, strings.Join(names, ", "))
	}
	*v = E(at)
	return nil
}

// Suggest returns ` (did you mean "NAME"?)` with the name that somebody probably meant
// who wrote another, to be put behind it in an error; "" if none is near.
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

// distance is how many letters have to be put in, left out or replaced to make one
// name of another; 1 if it is the beginning of the other.
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
