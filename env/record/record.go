// Package record is recorded games: how games of any kind are written down, read back,
// replayed and compared with what was recorded, and shown again. Package arena/trace
// reads and writes files of them.
//
// A recorded game is one JSON object on one line: a [Head] that says by which rules it
// was played, the state at the start, and for every step what was decided, the state
// after it, its rewards, and from time to time what was observed. Steps may keep what
// agents thought, in the optional key "thoughts". A [Form] says what is special in one
// format, mostly as entries of package saved. A further format needs a further Form and
// no other code. What can be done with recorded games without knowing their game is a
// [Format]:
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

// Info is what a record says about its game besides the game itself. Every field may be
// empty.
type Info struct {
	EnvID    string   `json:"env_id"`
	Variant  string   `json:"variant"`        // EnvID if empty
	Name     string   `json:"name,omitempty"` // the name of a scenario made by hand; the next field is a note about it
	Note     string   `json:"note,omitempty"`
	Seed     uint64   `json:"seed"`
	Setup    string   `json:"setup"`    // how it began; "standard" if empty
	Policies []string `json:"policies"` // by seat: who plays
	// ObsEvery is the number of steps from one recorded observation to the next; the end
	// is observed too. 0: never. Observations with a number above 35, such as the life of a slow
	// bomb, are left out, as maps have no letter for it.
	ObsEvery int `json:"obs_every"`
}

// Complete fills in the defaults of empty fields. A negative ObsEvery is an error.
func (i Info) Complete() (Info, error) {
	if i.ObsEvery < 0 {
		return i, fmt.Errorf("record: ObsEvery is %d steps, want 0 (no observations) or more", i.ObsEvery)
	}
	i.Variant, i.Setup = cmp.Or(i.Variant, i.EnvID), cmp.Or(i.Setup, "standard")
	return i, nil
}

// Format is a form in which games are recorded, or decisions made in them. Every
// record names its format in the key "format".
type Format struct {
	Name string // such as "pommerman-trace/1"

	// Check replays one record and reports what differs from what it says. An error means
	// that the record cannot be read or replayed at all. Several goroutines call Check,
	// and it must not keep line.
	Check func(line []byte) (Report, error)

	// Open reads one record in order to show it. It is nil if there is nothing to show.
	Open func(line []byte) (Replay, error)
}

// Original is the name of the format of games recorded by the original Pommerman.
// Package arena/trace makes lines of this format from the original's files.
const Original = "pommerman-original/1"

// Recordable is a match that can be recorded. Record begins the record of the match in
// its present state.
type Recordable interface {
	Record(info Info) (Recorder, error)
}

// Recorder records the match that it was made for. It belongs to one goroutine.
type Recorder interface {
	// Step must be called after each step of the match, with the step's actions and, if
	// they are to be kept, the thoughts behind them.
	Step(actions []uint8, thoughts ...env.Thought) error
	// Append appends the record of all steps so far, one line without its line feed. More
	// steps may follow; Append then appends a longer record.
	Append(dst []byte) ([]byte, error)
}

// Replay is a recorded game that is being shown. It begins at the game's start.
type Replay interface {
	Info() Info
	Len() int // how many steps are recorded
	Status() env.Status

	// Position returns the present state, as env.Match.Append writes it, and the game with
	// the rules that the state belongs to.
	Position() (state []byte, spec *env.Spec)

	// Follow makes the remaining recorded steps. It calls see with the position before
	// them and after each. If see returns an error, Follow stops and returns it.
	Follow(see func(Moment) error) error
}

// Moment is a recorded game after a step, or at the replay's first position.
type Moment struct {
	Match   env.Match
	Game    env.Game
	Tracker env.Tracker // the tracker that made the step; it keeps events
	Actions []uint8     // the actions of the step; nil at first

	Thoughts []env.Thought // the thoughts that the record has for the step
}

// Difference is one recorded value that a replay did not reproduce.
type Difference struct {
	Game     int    `json:"game"`  // the record's line in its file, from 1
	Step     int    `json:"step"`  // steps made before it was found; 0: the start
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
	Steps      int `json:"steps"`      // steps of these games, made and compared
	Decisions  int `json:"decisions"`  // agents' decisions, in records that are no games
	Mismatches int `json:"mismatches"` // differences found
}

// Add adds the counts of another check.
func (c *Counts) Add(more Counts) {
	c.Games += more.Games
	c.Steps += more.Steps
	c.Decisions += more.Decisions
	c.Mismatches += more.Mismatches
}

// Checked says in words how much was checked, such as "2 games, 80 steps".
func (c *Counts) Checked() string {
	if c.Decisions > 0 {
		return fmt.Sprintf("%d decisions", c.Decisions)
	}
	return fmt.Sprintf("%d games, %d steps", c.Games, c.Steps)
}

// Report is what checking one record found.
type Report struct {
	Counts
	Differences []Difference // the first differences; Game may be 0
}

// keepDifferences is how many differences of one game are listed.
const keepDifferences = 100

// Comparison collects the differences between a record and its replay. The zero value
// is ready. The caller sets Step to the replay's step.
type Comparison struct {
	Step   int
	Report Report
}

// Differs notes that a field was recorded with the value want, but the replay gives
// got.
func (c *Comparison) Differs(field string, want, got any) {
	c.Report.Mismatches++
	if len(c.Report.Differences) < keepDifferences {
		c.Report.Differences = append(c.Report.Differences, Difference{
			Step: c.Step, Field: field, Expected: shown(want), Got: shown(got),
		})
	}
}

// shown returns a value as differences show it; nil, and a nil pointer, is "none".
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
