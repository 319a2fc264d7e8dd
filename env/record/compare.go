package record

import (
	"fmt"

	"pommego/env/saved"
)

// Difference is one recorded value that a replay did not reproduce.
type Difference struct {
	Game     int    `json:"game"`  // number of the record in its file, from 1: its line
	Step     int    `json:"step"`  // steps made when it was seen; 0: the start
	Field    string `json:"field"` // path inside the record's step, such as "agents[2].ammo"
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

func (d Difference) String() string {
	return fmt.Sprintf("game %d, step %d, %s: expected %s, got %s", d.Game, d.Step, d.Field, d.Expected, d.Got)
}

// Report is what checking one record found.
type Report struct {
	Games      int // 1 for a recorded game
	Steps      int // steps of it that were made and compared
	Decisions  int // for formats that record decisions of an agent: how many
	Boards     int // 1 for a recorded board
	Values     int // for formats that record values of states: how many
	Mismatches int // differences found; Differences may hold only the first
	// Differences lists the first differences. Game need not be filled in.
	Differences []Difference
}

// keepDifferences is how many differences of one game are spelled out.
const keepDifferences = 100

// Comparison collects what differs between a record and its replay. The zero
// value is ready; Step is where the replay stands.
type Comparison struct {
	Step   int
	Report Report
}

// Differs notes that a field was recorded with another value than the replay
// gives.
func (c *Comparison) Differs(field string, want, got any) {
	c.Report.Mismatches++
	if len(c.Report.Differences) < keepDifferences {
		c.Report.Differences = append(c.Report.Differences, Difference{
			Step: c.Step, Field: field, Expected: shown(want), Got: shown(got),
		})
	}
}

// shown is a value in a difference; what is not there is none.
func shown(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(v)
}

// Compare compares the values of entries and puts at before their names.
func (c *Comparison) Compare(at string, entries []saved.Entry, want, got saved.Values) {
	for i := range entries {
		e := &entries[i]
		e.Compare(want[e.Name], got[e.Name], func(path string, want, got any) { c.Differs(at+path, want, got) })
	}
}
