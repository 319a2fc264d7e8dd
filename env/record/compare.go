package record

import (
	"fmt"
	"slices"
	"strconv"
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
	Mismatches int // differences found; Differences may hold only the first
	// Differences lists the first differences. Game need not be filled in.
	Differences []Difference
}

// keepDifferences is how many differences of one game are spelled out.
const keepDifferences = 100

// Comparison collects what differs between a record and its replay, for the
// checkers of games. The zero value is ready; Step is where the replay stands.
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
			Step: c.Step, Field: field, Expected: fmt.Sprint(want), Got: fmt.Sprint(got),
		})
	}
}

// Equal compares two values.
func Equal[T comparable](c *Comparison, field string, want, got T) {
	if want != got {
		c.Differs(field, want, got)
	}
}

// EqualLists compares two lists as a whole.
func EqualLists[T comparable](c *Comparison, field string, want, got []T) {
	if !slices.Equal(want, got) {
		c.Differs(field, want, got)
	}
}

// EqualRows compares two lists of things, each a list of numbers with the given
// names. Lists of different lengths are one difference.
func EqualRows(c *Comparison, field string, want, got [][]int, names []string) {
	if len(want) != len(got) {
		c.Differs(field, want, got)
		return
	}
	for i := range want {
		if len(want[i]) != len(got[i]) || len(want[i]) > len(names) {
			EqualLists(c, fmt.Sprintf("%s[%d]", field, i), want[i], got[i])
			continue
		}
		for k := range want[i] {
			Equal(c, fmt.Sprintf("%s[%d].%s", field, i, names[k]), want[i][k], got[i][k])
		}
	}
}

// EqualMaps compares two maps, a character a cell, and names the first cell that
// differs by the two numbers that at gives it.
func EqualMaps(c *Comparison, field, want, got string, at func(i int) (int, int)) {
	if len(want) != len(got) {
		c.Differs(field, strconv.Itoa(len(want))+" cells", strconv.Itoa(len(got))+" cells")
		return
	}
	first, more := -1, -1
	for i := range want {
		if want[i] != got[i] {
			more++
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return
	}
	rest := ""
	if more > 0 {
		rest = fmt.Sprintf(" (and %d more cells differ)", more)
	}
	i, k := at(first)
	c.Differs(fmt.Sprintf("%s[%d,%d]", field, i, k), string(want[first]), string(got[first])+rest)
}

// InRows numbers the cells of a map of so many columns by row and column, for
// EqualMaps.
func InRows(columns int) func(i int) (row, col int) {
	return func(i int) (int, int) { return i / columns, i % columns }
}
