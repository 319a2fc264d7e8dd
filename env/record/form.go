package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/saved"
)

// Match is what can be recorded and shown.
type Match interface {
	env.Match
	Game() env.Game
}

// Form says what is special in one format of recorded games of M. S is the snapshot of
// a state, O that of an observation. Functions do not change the match that they get,
// unless their comments say so.
type Form[M Match, S, O any] struct {
	Name string // the name of the format, such as "pommerman-trace/1"

	// Keys lists the keys of Head that are about the rules: "config", "rules" or "dice". A
	// record must have the first, and may have the others.
	Keys []string
	// Match makes a match by the rules in the head. Its state is not set yet.
	Match func(h *Head) (m M, id string, err error)
	// SetRules writes the match's rules into the head.
	SetRules func(h *Head, m M, id string)

	// Act makes the actions for Match.Step from those that a step records. It may pass
	// other inputs, such as draws, to the match. Acted does the reverse.
	Act   func(m M, in *Inputs) ([]uint8, error)
	Acted func(m M, actions []uint8) Inputs

	// Shape returns the shape of S. Show returns the state of a match as records show it.
	// Start sets the match to the recorded state and to the head's dice.
	Shape func(m M) *saved.Shape
	Show  func(m M) *S
	Start func(m M, s *S, dice string) error
	// Shown returns the match whose state records show, if that is not m itself. nil: it is m.
	Shown func(m M) M

	// Observe returns what a seat observes. With Together all seats have one observation,
	// that of seat 0.
	Observe  func(m M, seat int) *O
	Together bool

	// Adjust changes the outcome of a step if the format records another one than env.Status
	// has. Compare compares everything else that a step records. Either may be nil.
	Adjust  func(m M, o *Outcome)
	Compare func(m M, c *Comparison)

	// Read reads a state that another program wrote, the actions that came before it and, perhaps,
	// the result. Nothing else of the record is compared. Then steps may go on past the end of the
	// game, and may lack actions: such steps are shown, not replayed. nil: Decode reads them all.
	Read func(m M, text json.RawMessage, state *S, in *Inputs, o *Outcome) error

	// TrueFalse: done is true or false in records, not 1 or 0.
	TrueFalse bool
}

// Head is a record without the contents of its states and steps.
type Head struct {
	Format   string          `json:"format"`
	Variant  string          `json:"variant"`
	Name     string          `json:"name,omitempty"`
	Note     string          `json:"note,omitempty"`
	Seed     json.RawMessage `json:"seed,omitempty"` // for information only; may be any JSON
	Setup    string          `json:"setup"`
	Policies []string        `json:"policies"`
	Config   json.RawMessage `json:"config,omitempty"`
	Rules    json.RawMessage `json:"rules,omitempty"`
	RNG      string          `json:"dice,omitempty"` // the RNG's state at the start, in hexadecimal
	ObsEvery int             `json:"obs_every"`
	Initial  json.RawMessage `json:"initial"`
	Steps    Steps           `json:"steps"`
}

// Steps holds the text of each step.
type Steps []json.RawMessage

// mostSteps is how many steps a record may have. Each takes far more memory than the two bytes that it needs in a file.
const mostSteps = 1 << 17

// ErrManySteps is the error of a record with more steps.
var ErrManySteps = errors.New("a recorded game has too many steps")

// UnmarshalJSON reads the steps. It returns an error before it has read more than it may.
func (s *Steps) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return json.Unmarshal(text, (*[]json.RawMessage)(s))
	}
	steps := Steps{}
	for d.More() {
		if len(steps) == mostSteps {
			return fmt.Errorf("%w: more than %d", ErrManySteps, mostSteps)
		}
		var step json.RawMessage
		if err := d.Decode(&step); err != nil {
			return err
		}
		steps = append(steps, step)
	}
	*s = steps
	return nil
}

// Inputs is the part of each step from which the step can be replayed.
type Inputs struct {
	Actions  []int       `json:"actions"`
	Messages [][]int     `json:"messages,omitempty"` // by seat, if seats send words; null for none
	Skulls   [][]float64 `json:"skulls,omitempty"`   // the draws for skulls, in games of another program

	// Thoughts holds what seats based the actions on, if that was kept. A replay does not need it.
	Thoughts []env.Thought `json:"thoughts,omitempty"`
}

// Check returns an error unless there is an action for each of n seats or figures and,
// if messages is true, a message for each.
func (in *Inputs) Check(n int, messages bool) error {
	if len(in.Actions) != n {
		return fmt.Errorf("actions has %d entries, want %d", len(in.Actions), n)
	}
	switch said := len(in.Messages); {
	case messages && in.Messages == nil:
		return errors.New("messages is missing, want one for each action")
	case messages && said != n:
		return fmt.Errorf("messages has %d entries, want %d", said, n)
	case !messages && in.Messages != nil:
		return errors.New("there is a key \"messages\", which does not belong here")
	case in.Skulls != nil:
		return errors.New("there is a key \"skulls\", which does not belong here")
	}
	return nil
}

// Moves returns the actions of n seats or figures, or an error unless each is less than
// choices. The actions of ignored ones are 0.
func (in *Inputs) Moves(n, choices int, messages bool, ignored func(i int) bool) ([]uint8, error) {
	if err := in.Check(n, messages); err != nil {
		return nil, err
	}
	moves := make([]uint8, n)
	for i, a := range in.Actions {
		switch {
		case ignored(i):
		case a < 0 || a >= choices:
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", i, a, choices-1)
		default:
			moves[i] = uint8(a)
		}
	}
	return moves, nil
}

// Outcome is the state of play after a step, as records have it.
type Outcome struct {
	Rewards []float64  `json:"rewards"`
	Done    saved.Flag `json:"done"`
	Result  string     `json:"result,omitempty"`
	Winners []int      `json:"winners,omitempty"`
}

// seen holds the observations of a state.
type seen struct {
	Obs json.RawMessage `json:"obs,omitempty"`
}

// checkKeys returns an error if a key is missing, or if the format has no such key; else nil.
func (h *Head) checkKeys(format string, keys []string) error {
	if h.Format != format {
		return fmt.Errorf("format is %q, want %q", h.Format, format)
	}
	there := map[string]bool{"config": h.Config != nil, "rules": h.Rules != nil, "dice": h.RNG != "",
		"initial": h.Initial != nil, "steps": h.Steps != nil}
	for _, key := range []string{"config", "rules", "dice"} {
		if there[key] && !slices.Contains(keys, key) {
			return fmt.Errorf("there is a key %q, which does not belong to %s", key, format)
		}
	}
	for _, key := range []string{keys[0], "initial", "steps"} {
		if !there[key] {
			return fmt.Errorf("%s is missing", key)
		}
	}
	return nil
}

// outcome returns the state of play after the last step of a match.
func (f *Form[M, S, O]) outcome(m M) *Outcome {
	status := m.Status()
	o := &Outcome{
		Rewards: make([]float64, m.Game().Spec().Seats), Done: saved.Flag(status.Over),
		Result: status.Result.String(), Winners: status.Winners.List(),
	}
	m.Rewards(o.Rewards)
	if f.Adjust != nil {
		f.Adjust(m, o)
	}
	return o
}

func (f *Form[M, S, O]) encode(o *Outcome) (json.RawMessage, error) {
	text, err := json.Marshal(o)
	if f.TrueFalse {
		done := fmt.Sprintf(`"done":%t`, bool(o.Done))
		text = bytes.Replace(text, fmt.Appendf(nil, `"done":%v`, o.Done), []byte(done), 1)
	}
	return text, err
}

func (f *Form[M, S, O]) shown(m M) M {
	if f.Shown == nil {
		return m
	}
	return f.Shown(m)
}

// observers returns how many observations a state has.
func (f *Form[M, S, O]) observers(m M) int {
	if f.Together {
		return 1
	}
	return m.Game().Spec().Seats
}

// Format returns what can be done with such records without knowing their game.
func (f *Form[M, S, O]) Format() Format {
	return Format{f.Name, f.Check, func(line []byte) (Replay, error) { return f.Parse(line) }}
}
