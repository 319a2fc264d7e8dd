package envtest

import (
	"strings"
	"testing"
)

// CheckLimits fails unless Validate refuses rules with a field above its limit, by an error that names the field. over
// sets each field, by its name, just above what a state has places for.
func CheckLimits[R any, P interface {
	*R
	Validate() error
}](t *testing.T, rules R, over map[string]func(P)) {
	for field, change := range over {
		changed := rules
		change(&changed)
		if err := P(&changed).Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s above what a state has places for: error %v, want one that names it", field, err)
		}
	}
}
