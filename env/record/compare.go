package record

import (
	"fmt"
	"reflect"

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

// Counts is how much was checked, and what of it differs.
type Counts struct {
	Games      int `json:"games"`            // recorded games
	Steps      int `json:"steps"`            // of them, made and compared
	Decisions  int `json:"decisions"`        // of agents
	Boards     int `json:"boards,omitempty"` // dealt
	Values     int `json:"values,omitempty"` // of states
	Mismatches int `json:"mismatches"`       // differences found
}

// Add adds the counts of another check.
func (c *Counts) Add(more Counts) {
	c.Games += more.Games
	c.Steps += more.Steps
	c.Decisions += more.Decisions
	c.Boards += more.Boards
	c.Values += more.Values
	c.Mismatches += more.Mismatches
}

// Kind is what a file or record holds by its counts: decisions, boards, values or games.
func (c *Counts) Kind() string {
	switch {
	case c.Decisions > 0:
		return "decisions"
	case c.Boards > 0:
		return "boards"
	case c.Values > 0:
		return "values"
	}
	return "games"
}

// Checked says how much of its kind was checked, in words.
func (c *Counts) Checked() string {
	if kind := c.Kind(); kind != "games" {
		return fmt.Sprintf("%d %s", c.Decisions+c.Boards+c.Values, kind)
	}
	return fmt.Sprintf("%d games, %d steps", c.Games, c.Steps)
}

// Report is what checking one record found.
type Report struct {
	Counts
	Differences []Difference // the first of them; Game need not be filled in
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

// shown is a value in a difference; nil, and a pointer to nothing, is none.
func shown(v any) string {
	switch r := reflect.ValueOf(v); {
	case v == nil, r.Kind() == reflect.Pointer && r.IsNil():
		return "none"
	case r.Kind() == reflect.Pointer:
		return fmt.Sprint(r.Elem())
	}
	return fmt.Sprint(v)
}

// Compare compares two snapshots and puts at before the names of their fields.
func (c *Comparison) Compare(at string, shape *saved.Shape, want, got any) {
	shape.Compare(want, got, func(path string, want, got any) { c.Differs(at+path, want, got) })
}
