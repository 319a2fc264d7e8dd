package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"pommego/env"
	"pommego/env/saved"
)

// Game is a recorded game that has been read.
type Game[M Match] struct {
	Info  Info
	Match M // stands where the replay does: at first at the record's start

	form    *Form[M]
	made    int
	initial step
	steps   []step
}

// step is a recorded state, with what led to it and what was observed of it.
type step struct {
	values saved.Values
	obs    []saved.Values
}

// Parse reads a recorded game. What is wrong with it is an error that names the
// key; values that merely differ from what the rules say are found by
// [Form.Check].
func (f *Form[M]) Parse(line []byte) (*Game[M], error) {
	var h Head
	if err := saved.DecodeJSON(line, &h); err != nil {
		return nil, err
	}
	if err := h.checkKeys(f.Name, f.Keys); err != nil {
		return nil, err
	}
	m, id, err := f.Match(&h)
	if err != nil {
		return nil, err
	}
	g := &Game[M]{form: f, Match: m, steps: make([]step, len(h.Steps)), Info: Info{
		EnvID: id, Variant: h.Variant, Name: h.Name, Note: h.Note,
		Setup: h.Setup, Policies: h.Policies, ObsEvery: h.ObsEvery,
	}}
	g.Info.Seed, _ = strconv.ParseUint(string(h.Seed), 10, 64) // of any form: the replay does without
	if err := g.readInitial(&h); err != nil {
		return nil, fmt.Errorf("initial: %w", err)
	}
	entries := f.stepEntries(m)
	for i, text := range h.Steps {
		if g.steps[i], err = g.read(text, entries); err == nil {
			err = g.checkStep(i)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return g, nil
}

// readInitial reads the state at the start and sets the match to it.
func (g *Game[M]) readInitial(h *Head) (err error) {
	if g.initial, err = g.read(h.Initial, append(g.form.stateEntries(g.Match, true), obsEntry)); err != nil {
		return err
	}
	start := maps.Clone(g.initial.values)
	if h.RNG != "" {
		start["dice"] = h.RNG
	}
	return g.form.Start(g.Match, start)
}

// checkStep reports whether step i has as many inputs as it should, and whether
// the list of steps ends where the game does.
func (g *Game[M]) checkStep(i int) error {
	values := g.steps[i].values
	for _, e := range g.form.Inputs(g.Match) {
		n := e.Most
		switch list := values[e.Name].(type) {
		case []int:
			n = len(list)
		case [][]int:
			n = len(list)
		}
		if n != e.Most {
			return fmt.Errorf("%s has %d entries, want %d", e.Name, n, e.Most)
		}
	}
	if follow := len(g.steps) - 1 - i; values["done"] == 1 && follow > 0 {
		return fmt.Errorf("the game is done, but %d more steps follow", follow)
	}
	return nil
}

// read takes a recorded state, or a step, apart.
func (g *Game[M]) read(text json.RawMessage, entries []saved.Entry) (st step, err error) {
	if st.values, err = saved.Decode(text, entries); err != nil {
		return st, err
	}
	obs, there := st.values[obsEntry.Name].(json.RawMessage)
	if !there {
		return st, nil
	}
	list := []json.RawMessage{obs}
	if !g.form.Together {
		if err := json.Unmarshal(obs, &list); err != nil {
			return st, fmt.Errorf("obs: %w", err)
		}
	}
	if want := g.form.observers(g.Match); len(list) != want {
		return st, fmt.Errorf("obs has %d observations, want %d", len(list), want)
	}
	for seat, one := range list {
		values, err := saved.Decode(one, g.form.Observed(g.Match))
		if err != nil {
			return st, fmt.Errorf("obs[%d]: %w", seat, err)
		}
		st.obs = append(st.obs, values)
	}
	return st, nil
}

// Len is the number of recorded steps.
func (g *Game[M]) Len() int { return len(g.steps) }

// Step makes the next recorded step in the match.
func (g *Game[M]) Step() error {
	actions, err := g.actions()
	if err != nil {
		return err
	}
	g.Match.Step(actions)
	g.made++
	return nil
}

// actions is those of the next recorded step.
func (g *Game[M]) actions() ([]uint8, error) {
	switch {
	case g.made == len(g.steps):
		return nil, errors.New("record: all recorded steps have been made")
	case g.over():
		return nil, fmt.Errorf("the game is over after %d steps, but %d are recorded", g.made, len(g.steps))
	}
	actions, err := g.form.Act(g.Match, g.steps[g.made].values)
	if err != nil {
		return nil, fmt.Errorf("step %d: %w", g.made+1, err)
	}
	return actions, nil
}

// over reports whether a step has ended the game.
func (g *Game[M]) over() bool { return g.made > 0 && g.Match.Status().Over }

// Check reads a recorded game, replays it from its start and its inputs alone
// and compares every other recorded value. Where the replay is over and the
// record goes on, that is a difference in "done" and the comparison ends.
func (f *Form[M]) Check(line []byte) (Report, error) {
	g, err := f.Parse(line)
	if err != nil {
		return Report{}, err
	}
	c := Comparison{Report: Report{Counts: Counts{Games: 1}}}
	g.compare(&c, &g.initial, true)
	for i := range g.steps {
		if g.over() {
			break
		}
		if err := g.Step(); err != nil {
			return c.Report, err
		}
		c.Step = i + 1
		c.Compare("", f.outcome(), g.steps[i].values, f.outcomeOf(g.Match))
		g.compare(&c, &g.steps[i], false)
		if f.Compare != nil {
			f.Compare(g.Match, &c)
		}
		c.Report.Steps++
	}
	return c.Report, nil
}

// compare compares a recorded state, and what was observed of it, with the
// match.
func (g *Game[M]) compare(c *Comparison, want *step, initial bool) {
	f, m := g.form, g.Match
	c.Compare("", f.stateEntries(m, initial), want.values, f.Values(f.shown(m)))
	entries := f.Observed(m)
	for seat := range want.obs {
		at := fmt.Sprintf("obs[%d].", seat)
		if f.Together {
			at = "obs."
		}
		seen := f.Observe(m, seat)
		c.Compare(at, entries, want.obs[seat], seen)
		c.Compare(at+"raw.", entries, seen, f.ObserveRaw(m, seat))
	}
}

// replay shows a recorded game: Replay.
type replay[M Match] struct{ game *Game[M] }

// Open reads a recorded game to be shown. What it shows comes from the record's
// start and inputs alone, like what [Form.Check] compares.
func (f *Form[M]) Open(line []byte) (Replay, error) {
	g, err := f.Parse(line)
	if err != nil {
		return nil, err
	}
	return &replay[M]{g}, nil
}

func (r *replay[M]) Info() Info { return r.game.Info }

func (r *replay[M]) Len() int { return r.game.Len() }

func (r *replay[M]) Step() error { return r.game.Step() }

func (r *replay[M]) Status() env.Status { return r.game.Match.Status() }

// Position is the game as it stands.
func (r *replay[M]) Position() ([]byte, *env.Spec) {
	return r.game.Match.Append(nil), r.game.Match.Spec()
}

func (r *replay[M]) shown() M { return r.game.form.shown(r.game.Match) }

// Follow makes the steps that are left, followed by a tracker.
func (r *replay[M]) Follow(see func(Moment) error) error {
	g := r.game
	at := Moment{Match: g.Match, Shown: r.shown(), Game: g.Match.Game()}
	at.Tracker = env.NewTrackers(at.Game, 1, true)[0]
	at.Tracker.Begin(g.Match)
	err := see(at)
	for err == nil && g.made < len(g.steps) {
		if at.Actions, err = g.actions(); err != nil {
			break
		}
		at.Tracker.Step(g.Match, at.Actions)
		g.made++
		at.Shown = r.shown()
		err = see(at)
	}
	return err
}
