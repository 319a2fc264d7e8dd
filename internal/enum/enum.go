// Package enum is the names of enumerations: of small numbers that are written
// as words, in flags, in JSON and in errors. The names of one are a list, in
// which each value is an index.
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
