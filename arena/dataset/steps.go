package dataset

import (
	"pommego/env"
)

// stepColumns are the columns of layout Steps, for observations in the given
// encoding; searched: with what searching agents chose by.
func stepColumns(spec *env.Spec, encoding int, searched bool) []Column {
	all := []Column{
		{Name: "game", Type: Int64, Meaning: "number of the game in the data set, from 0"},
		{Name: "seed", Type: Uint64, Null: true, Meaning: "seed of the game; null: it began from a position that no seed gives"},
		{Name: "episode", Type: Uint64, Null: true, Meaning: "the seed's episode"},
		{Name: "step", Type: Int32, Meaning: "steps made before this one"},
		{Name: "seat", Type: Uint8, Meaning: "whose row it is"},
		{Name: "agent", Type: String, Meaning: "who plays the seat"},
		{Name: "alive", Type: Bool, Meaning: "the seat is in; if not, its action is not looked at"},
	}
	for _, f := range spec.Encodings[encoding].Fields {
		all = append(all, Column{Name: "obs_" + f.Name, Type: FixedBytes, Meaning: "observation before the step: " + f.Name, DType: f.DType, Shape: f.Shape})
	}
	all = append(all, Column{Name: "legal", Type: FixedBytes, Meaning: "1 for each choice of each action component that may have an effect", DType: env.Uint8, Shape: []int{spec.MaskSize()}})
	for _, c := range spec.Actions {
		all = append(all, Column{Name: actionName(len(spec.Actions), c), Type: Uint8, Meaning: "the choice made: " + c.Name})
	}
	all = append(all,
		Column{Name: "reward", Type: Float64, Meaning: "1 or -1 in the step that decides the seat's fate, as the game itself values ties; else 0"},
		Column{Name: "reward_reference", Type: Float64, Meaning: "what the original game pays the seat in this step"},
		Column{Name: "terminated", Type: Bool, Meaning: "the step ended the game"},
		Column{Name: "truncated", Type: Bool, Meaning: "the game was cut off after the step"},
		Column{Name: "died", Type: Bool, Meaning: "the seat was in before the step and is out after it"},
		Column{Name: "outcome", Type: Float64, Meaning: "how the game ends for the seat: 1 won, -1 lost, as the game itself values ties; 0: not decided"},
		Column{Name: "result", Type: String, Meaning: "how the game ends: Win, Tie, Loss, or Incomplete if it is truncated"},
		Column{Name: "length", Type: Int32, Meaning: "steps of the game"},
	)
	for _, f := range spec.Encodings[encoding].Fields {
		all = append(all, Column{Name: "final_" + f.Name, Type: FixedBytes, Null: true, Meaning: "observation after the game's last step, in that step's rows: " + f.Name, DType: f.DType, Shape: f.Shape})
	}
	if searched {
		all = append(all, searchColumns(spec)...)
	}
	return all
}

// actionName is the column of an action's component.
func actionName(components int, c env.Choice) string {
	if components == 1 {
		return "action"
	}
	return "action_" + c.Name
}

// The names of searchColumns.
const (
	visitsName = "visits"
	valuesName = "values"
)

// searchColumns are what searching agents chose by, for each choice of each
// action component, as legal numbers them.
func searchColumns(spec *env.Spec) []Column {
	shape := []int{spec.MaskSize()}
	return []Column{
		{Name: visitsName, Type: FixedBytes, Null: true, Meaning: "how often the agent's search tried each choice of each action component; null: it decided without a search", DType: env.Int32, Shape: shape},
		{Name: valuesName, Type: FixedBytes, Null: true, Meaning: "what the search found each choice to be worth, in the agent's own unit; NaN: it was not tried", DType: env.Float64, Shape: shape},
	}
}

// stepRows turns episodes into rows of layout Steps.
type stepRows struct {
	spec      *env.Spec
	encoding  int
	names     []string // of the agents
	searched  bool
	fields    []env.Field
	seats     []uint8
	rewards   []float64
	fates     []float64
	decisions []Decision // of the episode, those that have no row yet

	match env.Match
	now   shown
	last  shown // after the final step
}

// shown is what the seats see: for each field the bytes of all seats, and the
// masks.
type shown struct {
	obs  [][]byte
	mask []byte
}

func newStepRows(spec *env.Spec, encoding int, names []string, searched bool) *stepRows {
	r := &stepRows{
		spec: spec, encoding: encoding, names: names, searched: searched, fields: spec.Encodings[encoding].Fields,
		rewards: make([]float64, spec.Seats), fates: make([]float64, spec.Seats),
	}
	for seat := range spec.Seats {
		r.seats = append(r.seats, uint8(seat))
	}
	return r
}

// add adds an episode's rows. m stands at its start.
func (r *stepRows) add(t *table, e *Episode, m env.Match) error {
	r.match = m
	r.decisions = e.Decisions
	before := m.Status()
	return e.play(m, shapeOf(r.spec), func(int) {
		before = m.Status()
		r.now = r.look(t)
	}, func(step int, after env.Status) {
		if r.last.obs = nil; step == e.Steps-1 {
			r.last = r.look(t)
		}
		m.Rewards(r.rewards)
		decided := after.Decided &^ before.Decided
		if clear(r.fates); decided != 0 {
			m.Outcome(r.fates)
		}
		for seat := range r.spec.Seats {
			if !decided.Has(seat) {
				r.fates[seat] = 0
			}
			r.row(t, e, step, seat, before, after)
		}
	})
}

// look writes what all seats see into the table's memory.
func (r *stepRows) look(t *table) shown {
	s := shown{mask: t.alloc(r.spec.MaskSize() * r.spec.Seats)}
	for i := range r.fields {
		n := r.spec.Seats
		if r.fields[i].Shared {
			n = 1
		}
		s.obs = append(s.obs, t.alloc(n*r.fields[i].Size()))
	}
	r.match.Observe(r.encoding, r.seats, s.obs)
	for seat := range r.spec.Seats {
		r.match.Mask(seat, s.mask[seat*r.spec.MaskSize():(seat+1)*r.spec.MaskSize()])
	}
	return s
}

// row adds one row, in the order of stepColumns.
func (r *stepRows) row(t *table, e *Episode, step, seat int, before, after env.Status) {
	parts, masks := len(r.spec.Actions), r.spec.MaskSize()
	t.int64(e.Game)
	t.seed(e)
	t.int32(step)
	t.int32(seat)
	t.text(r.names[e.Agents[seat]])
	t.bool(before.In.Has(seat))
	r.observation(t, &r.now, seat)
	t.fixed(r.now.mask[seat*masks : (seat+1)*masks])
	for _, a := range e.Actions[(step*r.spec.Seats+seat)*parts:][:parts] {
		t.int32(int(a))
	}
	last := step == e.Steps-1
	t.float64(r.fates[seat])
	t.float64(r.rewards[seat])
	t.bool(after.Over)
	t.bool(last && e.Truncated)
	t.bool(before.In.Has(seat) && !after.In.Has(seat))
	t.float64(e.Outcome[seat])
	t.text(e.Result.String())
	t.int32(e.Steps)
	r.observation(t, &r.last, seat)
	if r.searched {
		r.decision(t, step, seat)
	}
}

// observation adds a seat's fields, or nulls.
func (r *stepRows) observation(t *table, s *shown, seat int) {
	for i := range r.fields {
		size := r.fields[i].Size()
		switch {
		case s.obs == nil:
			t.null()
		case r.fields[i].Shared:
			t.fixed(s.obs[i])
		default:
			t.fixed(s.obs[i][seat*size : (seat+1)*size])
		}
	}
}

// decision adds what the seat's agent chose by, or nulls.
func (r *stepRows) decision(t *table, step, seat int) {
	if len(r.decisions) == 0 || r.decisions[0].Step != step || r.decisions[0].Seat != seat {
		t.null()
		t.null()
		return
	}
	t.fixed(r.decisions[0].Visits)
	t.fixed(r.decisions[0].Values)
	r.decisions = r.decisions[1:]
}
