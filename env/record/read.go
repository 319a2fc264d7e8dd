package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"pommego/env"
	"pommego/env/saved"
)

// Game is a recorded game that has been read: Replay. It shows what follows from the
// record's start and inputs alone; [Form.Check] compares the same.
type Game[M Match, S, O any] struct {
	Match M // the match at the replay's position: at first the record's start

	form    *Form[M, S, O]
	info    Info
	made    int
	initial step[S, O]
	steps   []step[S, O]
}

type step[S, O any] struct {
	Inputs
	Outcome
	state *S
	obs   []*O
}

// Parse reads a recorded game. Its errors name the key that is wrong. Values that are
// possible but differ from what the rules give are found by [Form.Check].
func (f *Form[M, S, O]) Parse(line []byte) (*Game[M, S, O], error) {
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
	g := &Game[M, S, O]{form: f, Match: m, steps: make([]step[S, O], len(h.Steps)), info: Info{
		EnvID: id, Variant: h.Variant, Name: h.Name, Note: h.Note,
		Setup: h.Setup, Policies: h.Policies, ObsEvery: h.ObsEvery,
	}}
	g.info.Seed, _ = strconv.ParseUint(string(h.Seed), 10, 64) // may be any JSON; the replay does not need it
	if err = g.read(h.Initial, &g.initial); err == nil {
		err = f.Start(m, g.initial.state, h.RNG)
	}
	if err != nil {
		return nil, fmt.Errorf("initial: %w", err)
	}
	for i, text := range h.Steps {
		st := &g.steps[i]
		err = g.read(text, st, &st.Inputs, &st.Outcome)
		if follow := len(g.steps) - 1 - i; err == nil && bool(st.Done) && follow > 0 {
			err = fmt.Errorf("the game is done, but %d more steps follow", follow)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return g, nil
}

// read splits a recorded state, or a step with more in it, into its parts.
func (g *Game[M, S, O]) read(text json.RawMessage, st *step[S, O], more ...any) error {
	obs := seen{}
	if st.state = new(S); g.form.Read != nil {
		return g.form.Read(g.Match, text, st.state, &st.Inputs, &st.Outcome)
	}
	if err := saved.Decode(text, append(more, st.state, &obs)...); err != nil {
		return err
	}
	if normal, ok := any(st.state).(interface{ Normalize() }); ok {
		normal.Normalize()
	}
	if obs.Obs == nil {
		return nil
	}
	list := []json.RawMessage{obs.Obs}
	if !g.form.Together {
		if err := json.Unmarshal(obs.Obs, &list); err != nil {
			return fmt.Errorf("obs: %w", err)
		}
	}
	if want := g.form.observers(g.Match); len(list) != want {
		return fmt.Errorf("obs has %d observations, want %d", len(list), want)
	}
	st.obs = make([]*O, len(list))
	for seat, one := range list {
		st.obs[seat] = new(O)
		if err := saved.Decode(one, st.obs[seat]); err != nil {
			return fmt.Errorf("obs[%d]: %w", seat, err)
		}
	}
	return nil
}

// Info returns what the record says besides the game itself.
func (g *Game[M, S, O]) Info() Info { return g.info }

// Status returns the status of the match.
func (g *Game[M, S, O]) Status() env.Status { return g.Match.Status() }

// Len is the number of recorded steps.
func (g *Game[M, S, O]) Len() int { return len(g.steps) }

// Step makes the next recorded step in the match.
func (g *Game[M, S, O]) Step() error {
	_, err := g.advance(g.Match.Step)
	return err
}

// shows reports whether the next step is a state of another program, without the actions that led to it.
func (g *Game[M, S, O]) shows() bool {
	return g.form.Read != nil && g.made < len(g.steps) && g.steps[g.made].Actions == nil
}

// advance calls make with the actions of the next recorded step, or sets the match to
// its state if it has no actions. It returns the actions, nil if there are none.
func (g *Game[M, S, O]) advance(make func(actions []uint8)) (actions []uint8, err error) {
	if g.shows() {
		err = g.form.Start(g.Match, g.steps[g.made].state, "")
	} else if actions, err = g.actions(); err == nil {
		make(actions)
	}
	if err == nil {
		g.made++
	}
	return actions, err
}

// actions returns the actions of the next recorded step.
func (g *Game[M, S, O]) actions() ([]uint8, error) {
	switch {
	case g.made == len(g.steps):
		return nil, errors.New("record: all recorded steps have been made")
	case g.over():
		return nil, fmt.Errorf("the game is over after %d steps, but %d are recorded", g.made, len(g.steps))
	}
	in := &g.steps[g.made].Inputs
	actions, err := g.form.Act(g.Match, in)
	for i := range in.Thoughts {
		err = cmp.Or(err, in.Thoughts[i].Check(g.Match.Game().Spec()))
	}
	if err != nil {
		return nil, fmt.Errorf("step %d: %w", g.made+1, err)
	}
	return actions, nil
}

func (g *Game[M, S, O]) over() bool { return g.form.Read == nil && g.made > 0 && g.Match.Status().Over }

// Check reads a recorded game, replays it from its start and its inputs alone and
// compares every other recorded value. If the replay is over and the record goes on,
// there is a difference in "done", and the comparison ends.
func (f *Form[M, S, O]) Check(line []byte) (Report, error) {
	g, err := f.Parse(line)
	if err != nil {
		return Report{}, err
	}
	c := Comparison{Report: Report{Counts: Counts{Games: 1}}}
	g.compare(&c, &g.initial)
	for i := range g.steps {
		if g.over() {
			break
		}
		shown := g.shows()
		if err := g.Step(); err != nil {
			return c.Report, err
		}
		if shown {
			continue
		}
		c.Step = i + 1
		want, got := &g.steps[i].Outcome, f.outcome(g.Match)
		if f.Read != nil {
			if want.Result == env.Tie.String() && !got.Done {
				got.Result = want.Result // an agent in training has died, which states do not name
			}
			got.Rewards, got.Done = want.Rewards, want.Done
		}
		if f.Read == nil || want.Result != "" {
			c.Compare("", f.Shape(g.Match), want, got)
		}
		g.compare(&c, &g.steps[i])
		if f.Compare != nil {
			f.Compare(g.Match, &c)
		}
		c.Report.Steps++
	}
	return c.Report, nil
}

// compare compares a recorded state and its observations with the match.
func (g *Game[M, S, O]) compare(c *Comparison, want *step[S, O]) {
	f, m := g.form, g.Match
	shape, got := f.Shape(m), f.Show(f.shown(m))
	if c.Step > 0 {
		onlyFirst(got)
	}
	c.Compare("", shape, want.state, got)
	for seat := range want.obs {
		at := fmt.Sprintf("obs[%d].", seat)
		if f.Together {
			at = "obs."
		}
		c.Compare(at, shape, want.obs[seat], f.Observe(m, seat))
	}
}

// Position returns the present state of the game.
func (g *Game[M, S, O]) Position() ([]byte, *env.Spec) {
	return g.Match.Append(nil), g.Match.Game().Spec()
}

// Follow makes the remaining steps with a tracker.
func (g *Game[M, S, O]) Follow(see func(Moment) error) error {
	at := Moment{Match: g.Match, Game: g.Match.Game()}
	at.Tracker = at.Game.NewTrackers(1, true)[0]
	at.Tracker.Begin(g.Match)
	err := see(at)
	for err == nil && g.made < len(g.steps) {
		at.Thoughts = g.steps[g.made].Thoughts
		at.Actions, err = g.advance(func(actions []uint8) { at.Tracker.Step(g.Match, actions) })
		if err != nil {
			break
		}
		if at.Actions == nil {
			at.Tracker.Begin(g.Match)
		}
		err = see(at)
	}
	return err
}
