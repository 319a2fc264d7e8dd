package dataset

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/env"
)

// column is a column of a layout: its description, and functions that write its value
// for a row and read it into an episode. To add one, add an entry to gameColumns or
// stepColumns. If Episode lacks the value, add a field to Episode, or to Decision if
// agents report it.
type column struct {
	Column
	write func(r *row) parquet.Value
	read  func(r *row, v parquet.Value) error // nil: episodes do without
}

type row struct {
	e      *Episode
	agents []string // the agents of the data set that is read

	// Of the layouts Steps and Dialogues.
	step, seat    int
	before, after env.Status
	now           *shown
	last          *shown // the position after the last step; nil before that
	fate, reward  float64
	counts        []int32          // of all seats, as ledger.Ending.Counts
	decision      *ledger.Decision // what the seat's agent reports; nil: nothing
	turns         map[int]turn
}

// shown is what the seats see: for each field the bytes of all seats, and the
// masks of legal moves.
type shown struct {
	obs  [][]byte
	mask []byte
}

// columns are the columns of the layout. missed adds the counts of moves that stop replaced,
// searched the statistics of searches, and extra the other arrays that agents report. The columns
// for searched and extra come last.
func (a *About) columns(missed, searched bool, extra []Extra) []column {
	all := gameColumns(&a.Env, missed)
	if a.Layout != Games {
		all = stepColumns(a)
		if searched || hasExtra(extra, ledger.Visits) {
			each := []int{a.Env.choices()} // a value for each choice of each component, in the order of the column "legal"
			all = append(all, extraColumns([]Extra{{ledger.Visits, env.Int32, each}, {ledger.Values, env.Float64, each}})...)
		}
		all = append(all, extraColumns(apart(extra))...)
	}
	if a.Layout == Dialogues {
		all = append(all, dialogueColumns(&a.Env)...)
	}
	return all
}

func identity() []column {
	return []column{
		{Column{Name: "game", Type: Int64, Meaning: "number of the game in the data set, from 0"},
			func(r *row) parquet.Value { return parquet.Int64Value(int64(r.e.Game)) },
			func(r *row, v parquet.Value) error {
				if r.step == 0 && r.seat == 0 {
					r.e.Game = int(v.Int64())
				}
				return r.in("game", int(v.Int64()), r.e.Game)
			}},
		{Column{Name: "seed", Type: Uint64, Null: true,
			Meaning: "seed of the game; null: it began from a position that no seed gives"},
			func(r *row) parquet.Value { return r.dealt(r.e.Seed.Value) },
			func(r *row, v parquet.Value) error {
				r.e.Dealt, r.e.Seed.Value = !v.IsNull(), v.Uint64()
				return nil
			}},
		{Column{Name: "episode", Type: Uint64, Null: true, Meaning: "the seed's episode"},
			func(r *row) parquet.Value { return r.dealt(r.e.Seed.Episode) },
			func(r *row, v parquet.Value) error { r.e.Seed.Episode = v.Uint64(); return nil }},
	}
}

// dealt is a part of the seed; null if the game was not dealt from one.
func (r *row) dealt(v uint64) parquet.Value {
	if !r.e.Dealt {
		return parquet.NullValue()
	}
	return parquet.Int64Value(int64(v))
}

// in returns an error if a row has another value than its place needs.
func (r *row) in(what string, is, want int) error {
	if is != want {
		return fmt.Errorf("%w: step %d, seat %d of game %d has %s %d, want %d", errDamaged, r.step, r.seat, r.e.Game, what,
			is, want)
	}
	return nil
}

// Functions that make a column of one value of the episode.

func int32Column(name, meaning string, at func(r *row) *int32) column {
	return column{Column{Name: name, Type: Int32, Meaning: meaning},
		func(r *row) parquet.Value { return parquet.Int32Value(*at(r)) },
		func(r *row, v parquet.Value) error { *at(r) = v.Int32(); return nil }}
}

func float64Column(name, meaning string, at func(r *row) *float64) column {
	return column{Column{Name: name, Type: Float64, Meaning: meaning},
		func(r *row) parquet.Value { return parquet.DoubleValue(*at(r)) },
		func(r *row, v parquet.Value) error { *at(r) = v.Double(); return nil }}
}

func bytesColumn(name, meaning string, at func(r *row) *[]byte) column {
	return column{Column{Name: name, Type: Bytes, Meaning: meaning},
		func(r *row) parquet.Value { return parquet.ByteArrayValue(*at(r)) },
		func(r *row, v parquet.Value) error { *at(r) = v.ByteArray(); return nil }}
}

func gameColumns(about *Env, missed bool) []column {
	all := append(identity(),
		column{Column{Name: "steps", Type: Int32, Meaning: "steps made"},
			func(r *row) parquet.Value { return parquet.Int32Value(int32(r.e.Steps)) },
			func(r *row, v parquet.Value) error { r.e.Steps = int(v.Int32()); return nil }},
		column{Column{Name: "truncated", Type: Bool, Meaning: "the game was cut off before its end"},
			func(r *row) parquet.Value { return parquet.BooleanValue(r.e.Truncated) },
			func(r *row, v parquet.Value) error { r.e.Truncated = v.Boolean(); return nil }},
	)
	for seat := range about.Seats {
		in := func(format string) string { return fmt.Sprintf(format, seat) }
		all = append(all,
			column{Column{Name: in("agent%d"), Type: String, Meaning: in("who played seat %d")},
				func(r *row) parquet.Value { return text(r.e.Agents[seat]) },
				func(r *row, v parquet.Value) error { return r.readAgent(seat, v) }},
			resultColumn(in(resultName+"%d"), in("how it ended for seat %d: won, lost, tied or undecided"),
				func(*row) int { return seat }),
			float64Column(in("outcome%d"), in("what the end paid seat %d: 1, -1, or for a tie what the rules pay; 0: undecided"),
				func(r *row) *float64 { return &r.e.Outcome[seat] }),
			int32Column(in("lived%d"), in("steps for which seat %d was in"), func(r *row) *int32 { return &r.e.Lived[seat] }))
		for i, c := range about.Counts {
			at := seat*len(about.Counts) + i
			all = append(all, int32Column(fmt.Sprintf("%s%d", c.Name, seat), fmt.Sprintf("of seat %d: %s", seat, c.Meaning),
				func(r *row) *int32 { return &r.e.Counts[at] }))
		}
		if missed {
			all = append(all, int32Column(in("missed%d"),
				in("moves of seat %d that came late, were none or were not asked for, and were replaced by choice 0"),
				func(r *row) *int32 { return &r.e.Missed[seat] }))
		}
	}
	return append(all,
		bytesColumn("start",
			"the game at its start: a saved state, as get_state gives and set_state takes, of an environment in which every "+
				"seat learns", func(r *row) *[]byte { return &r.e.Start }),
		bytesColumn("actions",
			fmt.Sprintf("uint8 (steps, %d seats, %d components); 0 for seats that were out", about.Seats,
				len(about.Actions)), func(r *row) *[]byte { return &r.e.Actions }))
}

func stepColumns(a *About) []column {
	about, meaning := &a.Env, "1 for each choice of each action component that may have an effect"
	if a.Mask == safe {
		meaning += ", and of the moves those alone that can be survived, if there are any"
	}
	all := append(identity(),
		column{Column{Name: "step", Type: Int32, Meaning: "steps made before this one"},
			func(r *row) parquet.Value { return parquet.Int32Value(int32(r.step)) },
			func(r *row, v parquet.Value) error { r.step = int(v.Int32()); return nil }},
		column{Column{Name: "seat", Type: Uint8, Meaning: "whose row it is"},
			func(r *row) parquet.Value { return parquet.Int32Value(int32(r.seat)) },
			func(r *row, v parquet.Value) error {
				r.seat = int(v.Int32())
				if uint(r.seat) >= uint(about.Seats) || uint(r.step) >= uint(r.e.Steps) {
					return fmt.Errorf("%w: game %d has a row for step %d and seat %d", errDamaged, r.e.Game, r.step, r.seat)
				}
				return nil
			}},
		column{Column{Name: "agent", Type: String, Meaning: "who plays the seat"},
			func(r *row) parquet.Value { return text(r.e.Agents[r.seat]) },
			func(r *row, v parquet.Value) error { return r.readAgent(r.seat, v) }},
		column{Column{Name: "alive", Type: Bool, Meaning: "the seat is in; if not, its action is not looked at"},
			func(r *row) parquet.Value { return parquet.BooleanValue(r.before.In.Has(r.seat)) },
			func(r *row, v parquet.Value) error {
				if v.Boolean() {
					r.e.Lived[r.seat]++
				}
				return nil
			}},
	)
	all = append(all, seenColumns(a.Fields, "obs_", "observation before the step: ", false,
		func(r *row) *shown { return r.now })...)
	choices := about.choices()
	all = append(all, column{Column{Name: "legal", Type: FixedBytes, Meaning: meaning, DType: env.Uint8,
		Shape: []int{choices}},
		func(r *row) parquet.Value {
			return parquet.FixedLenByteArrayValue(r.now.mask[r.seat*choices:][:choices])
		}, nil})
	for i, c := range about.Actions {
		parts := len(about.Actions)
		at := func(r *row) *byte { return &r.e.Actions[(r.step*about.Seats+r.seat)*parts+i] }
		all = append(all, column{Column{Name: actionName(parts, c), Type: Uint8, Meaning: "the choice made: " + c.Name},
			func(r *row) parquet.Value { return parquet.Int32Value(int32(*at(r))) },
			func(r *row, v parquet.Value) error { *at(r) = byte(v.Int32()); return nil }})
	}
	all = append(all, endColumns()...)
	for i, c := range about.Counts {
		n := len(about.Counts)
		all = append(all, column{Column{Name: c.Name, Type: Int32, Meaning: "after the step: " + c.Meaning},
			func(r *row) parquet.Value { return parquet.Int32Value(r.counts[r.seat*n+i]) },
			func(r *row, v parquet.Value) error { r.e.Counts[r.seat*n+i] = v.Int32(); return nil }})
	}
	return append(all, seenColumns(a.Fields, "final_", "observation after the game's last step, in that step's rows: ",
		true, func(r *row) *shown { return r.last })...)
}

// seenColumns are the columns of what the seats see in a position.
func seenColumns(fields []env.Field, name, meaning string, null bool, at func(r *row) *shown) (all []column) {
	for i, f := range fields {
		all = append(all, column{Column{Name: name + f.Name, Type: FixedBytes, Null: null, Meaning: meaning + f.Name,
			DType: f.DType, Shape: f.Shape},
			func(r *row) parquet.Value { return at(r).field(i, &f, r.seat) }, nil})
	}
	return all
}

func endColumns() []column {
	return []column{
		{Column{Name: "reward", Type: Float64,
			Meaning: "1 or -1 in the step that decides the seat's fate, as the game itself values ties; else 0"},
			func(r *row) parquet.Value { return parquet.DoubleValue(r.fate) }, nil},
		{Column{Name: "reward_reference", Type: Float64, Meaning: "what the original game pays the seat in this step"},
			func(r *row) parquet.Value { return parquet.DoubleValue(r.reward) }, nil},
		{Column{Name: "terminated", Type: Bool, Meaning: "the step ended the game"},
			func(r *row) parquet.Value { return parquet.BooleanValue(r.after.Over) }, nil},
		{Column{Name: "truncated", Type: Bool, Meaning: "the game was cut off after the step"},
			func(r *row) parquet.Value { return parquet.BooleanValue(r.last != nil && r.e.Truncated) },
			func(r *row, v parquet.Value) error { r.e.Truncated = v.Boolean(); return nil }},
		{Column{Name: "died", Type: Bool, Meaning: "the seat was in before the step and is out after it"},
			func(r *row) parquet.Value {
				return parquet.BooleanValue(r.before.In.Has(r.seat) && !r.after.In.Has(r.seat))
			}, nil},
		float64Column("outcome", "what the end pays the seat: 1, -1, or for a tie what the rules pay; 0: undecided",
			func(r *row) *float64 { return &r.e.Outcome[r.seat] }),
		resultColumn(resultName, "how the game ends for the seat: won, lost, tied or undecided",
			func(r *row) int { return r.seat }),
		{Column{Name: lengthName, Type: Int32, Meaning: "steps of the game"},
			func(r *row) parquet.Value { return parquet.Int32Value(int32(r.e.Steps)) },
			func(r *row, v parquet.Value) error { return r.in(lengthName, int(v.Int32()), r.e.Steps) }},
	}
}

// The names of columns that are looked up elsewhere.
const (
	resultName = "result"
	lengthName = "length"
	missedName = "missed0"
)

// meanings describe the arrays that agents that search report about a decision.
var meanings = map[string]string{
	ledger.Visits: "how often the agent's search tried each choice of each action component; null: it decided without a " +
		"search",
	ledger.Values: "what the search found each choice to be worth, in the agent's own unit; NaN: it was not tried",
}

// reported is the decision that the row's agent reports. Where an episode is read, it adds one to it.
func (r *row) reported() *ledger.Decision {
	if r.decision == nil {
		r.e.Decisions = append(r.e.Decisions, ledger.Decision{Step: r.step, Seat: r.seat, Arrays: map[string][]byte{}})
		r.decision = &r.e.Decisions[len(r.e.Decisions)-1]
	}
	return r.decision
}

func actionName(components int, c env.Choice) string {
	if components == 1 {
		return "action"
	}
	return "action_" + c.Name
}

func resultColumn(name, meaning string, seat func(r *row) int) column {
	return column{Column{Name: name, Type: String, Meaning: meaning},
		func(r *row) parquet.Value { return text(string(r.e.Results[seat(r)])) },
		func(r *row, v parquet.Value) error {
			at := slices.Index(env.SeatResults, env.SeatResult(v.ByteArray()))
			if at < 0 {
				return fmt.Errorf("%w: a seat's result is %q, want one of %q", errDamaged, v.ByteArray(), env.SeatResults)
			}
			r.e.Results[seat(r)] = env.SeatResults[at]
			return nil
		}}
}

func (r *row) readAgent(seat int, v parquet.Value) error {
	agent := slices.Index(r.agents, string(v.ByteArray()))
	if agent < 0 {
		return fmt.Errorf("%w: agent %q is not in the manifest", errDamaged, v.ByteArray())
	}
	r.e.Agents[seat] = r.agents[agent]
	return nil
}

// text is a value that shares v's memory, which nobody writes to.
func text(v string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(v), len(v)))
}

// field is what a seat sees in field i; null if there is no position.
func (s *shown) field(i int, f *env.Field, seat int) parquet.Value {
	if s == nil {
		return parquet.NullValue()
	}
	if f.Shared {
		seat = 0
	}
	size := f.Size()
	return parquet.FixedLenByteArrayValue(s.obs[i][seat*size : (seat+1)*size])
}
