package record

import (
	"encoding/json"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/saved"
)

// Match is what can be recorded and shown.
type Match interface {
	env.Match
	Game() env.Game
	Spec() *env.Spec // of its game
}

// Form says what is special in one format of recorded games of M. A function
// that is given a match is not to change it.
type Form[M Match] struct {
	Name string // of the format, such as "pommerman-trace/1"

	// Keys are the keys of Head that speak of the rules: "config", "rules" or
	// "dice". A record needs the first; the others it may have.
	Keys []string
	// Match makes a match by the rules in the head. It stands nowhere yet.
	Match func(h *Head) (m M, id string, err error)
	// SetRules writes the match's rules into the head.
	SetRules func(h *Head, m M, id string) error
	// Seats is how many seats there are.
	Seats func(m M) int

	// Inputs is what each step records besides the state after it from which it
	// can be replayed: actions, and whatever else, such as draws, which Act hands
	// to the match. Act makes the actions for Match.Step of them, and Acted is the
	// reverse.
	Inputs func(m M) []saved.Entry
	Act    func(m M, inputs saved.Values) ([]uint8, error)
	Acted  func(m M, actions []uint8) saved.Values

	// Table is what a state consists of, Values the state of a match and Start
	// sets it.
	Table  func(m M) []saved.Entry
	Values func(m M) saved.Values
	Start  func(m M, values saved.Values) error
	// Shown is the match as records and pictures show it. nil: as it is.
	Shown func(m M) M

	// Observed is the entries of an observation, and Observe what a seat
	// observes. ObserveRaw is the same by way of the raw encoding, to check its
	// promise that nothing is lost. They may use the same memory
	// for all calls with one m. With Together there is one observation of all
	// seats, which seat 0 stands for.
	Observed   func(m M) []saved.Entry
	Observe    func(m M, seat int) saved.Values
	ObserveRaw func(m M, seat int) saved.Values
	Together   bool
	// ObserveAlso reports whether a step's observations are recorded wherever
	// any are. nil: at the end alone.
	ObserveAlso func(m M) bool

	// Led corrects what a step led to where the format differs from env.Status, and
	// Compare compares what else a step records. nil: neither.
	Led     func(m M, values saved.Values)
	Compare func(m M, c *Comparison)

	// Outcome is the entries of what a step led to that are recorded. nil: all of
	// them, rewards, done, result and winners.
	Outcome []saved.Entry
	// TrueFalse: done is written as true or false, not as 1 or 0.
	TrueFalse bool
}

// Head is a record but for what its states and steps hold.
type Head struct {
	Format   string            `json:"format"`
	Variant  string            `json:"variant"`
	Name     string            `json:"name,omitempty"`
	Note     string            `json:"note,omitempty"`
	Seed     json.RawMessage   `json:"seed,omitempty"` // information only, of any form
	Setup    string            `json:"setup"`
	Policies []string          `json:"policies"`
	Config   json.RawMessage   `json:"config,omitempty"`
	Rules    json.RawMessage   `json:"rules,omitempty"`
	RNG      string            `json:"dice,omitempty"` // of the start, in hexadecimal
	ObsEvery int               `json:"obs_every"`
	Initial  json.RawMessage   `json:"initial"`
	Steps    []json.RawMessage `json:"steps"`
}

// checkKeys reports a key that is missing or that the format does not have.
func (h *Head) checkKeys(format string, keys []string) error {
	if h.Format != format {
		return fmt.Errorf("format is %q, want %q", h.Format, format)
	}
	for _, key := range []struct {
		name  string
		there bool
		may   bool
	}{
		{"config", h.Config != nil, slices.Contains(keys, "config")},
		{"rules", h.Rules != nil, slices.Contains(keys, "rules")},
		{"dice", h.RNG != "", slices.Contains(keys, "dice")},
		{"initial", h.Initial != nil, true},
		{"steps", h.Steps != nil, true},
	} {
		switch {
		case key.there && !key.may:
			return fmt.Errorf("there is a key %q, which does not belong to %s", key.name, format)
		case !key.there && (key.name == keys[0] || key.name == "initial" || key.name == "steps"):
			return fmt.Errorf("%s is missing", key.name)
		}
	}
	return nil
}

// outcomeEntries is the entries of what a step led to, unless Form.Outcome lists
// others.
var outcomeEntries = []saved.Entry{
	{Name: "rewards", Shape: saved.Reals},
	{Name: "done", Shape: saved.Flag},
	{Name: "result", Shape: saved.Text},
	{Name: "winners", Shape: saved.Row, Optional: true},
}

func (f *Form[M]) outcome() []saved.Entry {
	if f.Outcome != nil {
		return f.Outcome
	}
	return outcomeEntries
}

// outcomeOf is what the last step of a match led to.
func (f *Form[M]) outcomeOf(m M) saved.Values {
	status, done := m.Status(), 0
	if status.Over {
		done = 1
	}
	rewards := make([]float64, f.Seats(m))
	m.Rewards(rewards)
	values := saved.Values{"rewards": rewards, "done": done, "result": status.Result.String()}
	if winners := status.Winners.List(); winners != nil {
		values["winners"] = winners
	}
	if f.Led != nil {
		f.Led(m, values)
	}
	return values
}

// obsEntry is the key under which observations stand.
var obsEntry = saved.Entry{Name: "obs", Shape: saved.JSON, Optional: true}

// stateEntries is the entries of a state: the initial one, or that after a step.
func (f *Form[M]) stateEntries(m M, initial bool) []saved.Entry {
	return slices.DeleteFunc(f.Table(m), func(e saved.Entry) bool { return e.Once && !initial })
}

// stepEntries is the entries of a step in the order in which they are written.
func (f *Form[M]) stepEntries(m M) []saved.Entry {
	return slices.Concat(f.Inputs(m), f.stateEntries(m, false), []saved.Entry{obsEntry}, f.outcome())
}

// shown is the match as records show it.
func (f *Form[M]) shown(m M) M {
	if f.Shown == nil {
		return m
	}
	return f.Shown(m)
}

// observers is how many observations there are at a time.
func (f *Form[M]) observers(m M) int {
	if f.Together {
		return 1
	}
	return f.Seats(m)
}

// Format is what can be done with such records without knowing their game.
func (f *Form[M]) Format() Format { return Format{f.Name, f.Check, f.Open} }
