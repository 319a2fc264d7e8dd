package report

import (
	"fmt"
	"strconv"
	"time"

	"pommego/arena/tournament"
)

func timing(timing *tournament.Timing) *table {
	t := &table{
		title: "Thinking time", head: []string{"agent", "moves", "mean", "longest", "in all", "ticks a second"},
		note: "Measured by the clock, which includes other work on the machine. Ticks a second: moves of the game " +
			"simulated in a second of thinking.",
	}
	for _, a := range timing.Agents {
		t.add(a.Agent, strconv.Itoa(a.Moves), rounded(a.Mean), rounded(a.Longest), rounded(a.Total),
			fmt.Sprintf("%.0f", a.TicksPerSecond))
	}
	return t
}

// rounded rounds to about three digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
