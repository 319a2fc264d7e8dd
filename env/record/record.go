// Package record is recorded games: how games of any kind are written down, read
// back, replayed and compared with what was recorded, and shown again. Files of
// them are the business of package arena/trace.
//
// A recorded game is one JSON object on one line: a [Head] that says by which
// rules it was played, the state at the start, and for every step what was
// decided, the state after it, what it paid, and every so often what was
// observed. Steps may keep what agents thought, in the optional key "thoughts".
// A [Form] says what is special in one format, mostly as entries of package saved;
// a further format is a further Form and no other code. What can be done with
// recorded games without knowing their game is a [Format]:
//
//	var Recorded = (&record.Form[*Match]{Name: "tictactoe-trace/1", ...}).Format()
//
// A replay uses the start and the decisions alone, and everything else that was
// recorded, but for thoughts, is compared with it.
package record

import (
	"cmp"
	"fmt"
	"reflect"

	"pommego/env"
	"pommego/env/saved"
)

// Info is what a record says about its game besides the game itself. All of it
// may be left empty.
type Info struct {
	EnvID    string   `json:"env_id"`
	Variant  string   `json:"variant"`        // EnvID if empty
	Name     string   `json:"name,omitempty"` // of a scenario made by hand, with a note about it
	Note     string   `json:"note,omitempty"`
	Seed     uint64   `json:"seed"`
	Setup    string   `json:"setup"`    // how it began; "standard" if empty
	Policies []string `json:"policies"` // who plays, by seat
	// ObsEvery: observations are recorded every this many steps, and at the end;
	// 0: never.
	ObsEvery int `json:"obs_every"`
}

// Complete fills in what may be left empty and has a default. A negative
// ObsEvery is an error.
func (i Info) Complete() (Info, error) {
	if i.ObsEvery < 0 {
		return i, fmt.Errorf("record: observations are to be recorded every %d steps, want 0 (never) or more", i.ObsEvery)
	}
	i.Variant, i.Setup = cmp.Or(i.Variant, i.EnvID), cmp.Or(i.Setup, "standard")
	return i, nil
}

// Format is a form in which games are recorded, or decisions made in them. Every
// record names its format in the key "format".
type Format struct {
	Name string // such as "pommerman-trace/1"

	// Check replays one record and reports what differs from what it says. An
	// error means that the record cannot be read or replayed at all. It is called
	// from several goroutines and must not keep line.
	Check func(line []byte) (Report, error)

	// Open reads one record to be shown. It is nil where there is nothing to show.
	Open func(line []byte) (Replay, error)
}

// Original is the name of the format of games that the original Pommerman recorded, as package
// arena/trace makes lines of its files.
const Original = "pommerman-original/1"

// Recordable is a match that can be written down. Record begins the record of
// the match as it stands.
type Recordable interface {
	Record(info Info) (Recorder, error)
}

// Recorder writes down the match it was made for. It belongs to one goroutine.
type Recorder interface {
	// Step is called after each step of the match with the step's actions, and what seats
	// based them on, where that is to be kept.
	Step(actions []uint8, thoughts ...env.Thought) error
	// Append appends the record of all steps so far, one line without its line
	// feed. More steps may follow, and a longer record be written.
	Append(dst []byte) ([]byte, error)
}

// Replay is a recorded game that is being shown, at first at its start.
type Replay interface {
	Info() Info
	Len() int // recorded steps
	Status() env.Status

	// Position is where the game stands: its state, as env.Match.Append writes it, and the
	// game with the rules it belongs to.
	Position() (state []byte, spec *env.Spec)

	// Follow makes the recorded steps that are left, and calls see for the position
	// before them and after each. An error of see ends it.
	Follow(see func(Moment) error) error
}

// Moment is a recorded game after a step, or where the replay stands at first.
type Moment struct {
	Match   env.Match
	Game    env.Game
	Tracker env.Tracker // it made the step, and keeps events
	Actions []uint8     // of the step; nil at first

	Thoughts []env.Thought // that the record keeps of the step
}

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
	Games      int `json:"games"`      // recorded games
	Steps      int `json:"steps"`      // of them, made and compared
	Decisions  int `json:"decisions"`  // of agents, in records that are no games
	Mismatches int `json:"mismatches"` // differences found
}

// Add adds the counts of another check.
func (c *Counts) Add(more Counts) {
	c.Games += more.Games
	c.Steps += more.Steps
	c.Decisions += more.Decisions
	c.Mismatches += more.Mismatches
}

// Checked says how much was checked, in words.
func (c *Counts) Checked() string {
	if c.Decisions > 0 {
		return fmt.Sprintf("%d decisions", c.Decisions)
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
