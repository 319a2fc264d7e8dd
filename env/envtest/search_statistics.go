package envtest

import (
	"fmt"
	"math"

	"pommego/env"
)

// checkSearchStatistics: where an agent reports the statistics of its search, the action
// is the best of what was tried, for every component it searched, and an agent with the
// same RNG reports the same.
func (k *kit) checkSearchStatistics(a, twin env.Agent, action []uint8) {
	visits, values, reported := k.searchStatistics(a)
	if twinVisits, twinValues,
		_ := k.searchStatistics(twin); fmt.Sprint(visits, values) != fmt.Sprint(twinVisits, twinValues) {
		k.failf("two agents with equal RNGs report different search statistics: %v %v and %v %v", visits, values, twinVisits,
			twinValues)
	}
	searched, base := false, 0
	for i, c := range k.spec.Actions {
		own := visits[base : base+c.N]
		worth := values[base : base+c.N]
		for choice, n := range own {
			if n < 0 || math.IsNaN(worth[choice]) || math.IsInf(worth[choice], 0) || n == 0 && worth[choice] != 0 {
				k.failf("the agent tried %q %d %d times and found it to be worth %v, want a number, and 0 for what was not tried",
					c.Name, choice, n, worth[choice])
			}
		}
		if top := best(own, worth); top >= 0 {
			searched = true
			if own[action[i]] == 0 || worth[action[i]] < worth[top] {
				k.failf("the agent's %q is %d, but by its visits %v and values %v choice %d is the best", c.Name, action[i], own,
					worth, top)
			}
		}
		base += c.N
	}
	if searched != reported {
		k.failf("SearchStatistics returns %v, with visits %v", reported, visits)
	}
}

// best is the choice with the highest value of those that were tried, -1 if none
// was.
func best(visits []int32, values []float64) int {
	top := -1
	for choice, n := range visits {
		if n > 0 && (top < 0 || values[choice] > values[top]) {
			top = choice
		}
	}
	return top
}

// searchStatistics is what an agent reports about the search for its last action.
func (k *kit) searchStatistics(a env.Agent) (visits []int32, values []float64, reported bool) {
	visits, values = make([]int32, k.spec.MaskSize()), make([]float64, k.spec.MaskSize())
	if w, ok := a.(env.SearchReporter); ok {
		reported = w.SearchStatistics(visits, values)
	}
	return visits, values, reported
}
