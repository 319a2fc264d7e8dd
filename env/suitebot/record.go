package suitebot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format suitebot-trace/1: the
// rules, the state at the start, and for every round the actions, the state
// after it, what it paid, and every so often what each agent observed. Fields are
// [x, y], maps are strings of one character a field, row by row.
//
//	key        of a record
//	format     suitebot-trace/1
//	variant    the environment's id
//	name, note of scenes made by hand (optional)
//	seed       of the game; information only
//	setup      how it began: standard, scene, or saved (from a saved game)
//	policies   who plays, by seat
//	rules      a Rules object
//	obs_every  every how many rounds observations are recorded, 0: never
//	initial    a state
//	steps      what a round led to: a state, and actions (a number a seat:
//	           0 hold, 1 up, 2 down, 3 left, 4 right, 5 plant_bomb), rewards,
//	           done, result (Win, Tie or Incomplete) and, with Win, winners
//
//	key        of a state
//	step_count rounds played
//	fields     map: . holds its points, x lost them, * was reached in the round
//	homes      [x, y] of each home base; in the initial state alone
//	agents     [x, y, score, collected, kills, deaths] of each
//	bombs      [x, y, rounds left, owner], in the order in which they explode, then
//	           by owner
//	obs        a list of observations, one a seat, where they were recorded
//
//	key        of an observation: what a seat sees
//	seat, step_count, position ([x, y]), scores (one a seat)
//	field      map: ., x, and ? where it does not see
//	agent, home, bomb_owner   maps: . for nobody, else the seat
//	bomb_rounds               map: . for no bomb, else the rounds left

// recording is what is special in recorded games of SuiteBot.
var recording = record.Form[*Match]{
	Name: "suitebot-trace/1", Keys: []string{"rules"}, TrueFalse: true,
	Match: matchOf,
	SetRules: func(h *record.Head, m *Match, _ string) (err error) {
		h.Rules, err = json.Marshal(m.game.plan.rules)
		return err
	},
	Seats: func(m *Match) int { return m.game.Spec().Seats },

	Inputs: func(m *Match) []saved.Entry {
		actions := saved.Fixed("actions", m.game.Spec().Seats, saved.Col("action", 0, int(numActions)-1))
		actions.Shape = saved.Row
		return []saved.Entry{actions}
	},
	Act:   act,
	Acted: func(_ *Match, actions []uint8) saved.Values { return saved.Values{"actions": saved.Ints(actions)} },

	Table:  func(m *Match) []saved.Entry { return m.game.form.Table.Entries() },
	Values: func(m *Match) saved.Values { return m.game.form.Table.Values(&m.State) },
	Start:  func(m *Match, v saved.Values) (err error) { m.State, err = m.game.form.Read(v); return err },

	Observed: func(m *Match) []saved.Entry { return m.game.plan.observed().Entries() },
	Observe: func(m *Match, seat int) saved.Values {
		var v View
		m.View(seat, &v)
		return m.game.plan.observed().Values(&v)
	},
	ObserveRaw: observeRaw,
}

// Recorded is the format of recorded games.
var Recorded = recording.Format()

// ParseRecord reads a recorded game.
func ParseRecord(line []byte) (*record.Game[*Match], error) { return recording.Parse(line) }

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return recording.Record(m, info) }

// matchOf is a match by the rules in a record's head.
func matchOf(h *record.Head) (*Match, string, error) {
	var rules Rules
	if err := saved.DecodeJSON(h.Rules, &rules); err != nil {
		return nil, "", fmt.Errorf("rules: %w", err)
	}
	plan, err := NewPlan(rules)
	if err != nil {
		return nil, "", err
	}
	return &Match{game: gameOf(plan)}, h.Variant, nil
}

// act is the recorded actions of a round.
func act(m *Match, inputs saved.Values) ([]uint8, error) {
	actions := make([]uint8, m.game.Spec().Seats)
	for seat, a := range inputs["actions"].([]int) {
		if a < 0 || a >= int(numActions) {
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", seat, a, numActions-1)
		}
		actions[seat] = uint8(a)
	}
	return actions, nil
}

// observed is the table of what a seat sees.
func (p *Plan) observed() saved.Table[View] {
	r := &p.rules
	number := func(name string, value func(v *View) int) saved.Field[View] {
		return saved.Field[View]{Entry: saved.Entry{Name: name}, Value: func(v *View) any { return value(v) }}
	}
	row := func(name string, value func(v *View) []int) saved.Field[View] {
		return saved.Field[View]{Entry: saved.Entry{Name: name, Shape: saved.Row}, Value: func(v *View) any { return value(v) }}
	}
	board := func(name, letters string, value func(v *View, c Cell) int) saved.Field[View] {
		e := saved.Board(name, r.Width, r.Height, letters)
		e.Transposed = true
		return saved.MapField(e, func(v *View, i int) int { return value(v, Cell(i)) }, nil)
	}
	const seats = ".01234567" // nobody, and the seats
	return saved.Table[View]{
		number("seat", func(v *View) int { return v.Seat }),
		number("step_count", func(v *View) int { return int(v.State.StepCount) }),
		row("position", func(v *View) []int { x, y := p.XY(v.State.Agents[v.Seat]); return []int{x, y} }),
		row("scores", func(v *View) []int { return saved.Ints(v.State.Scores[:r.Players]) }),
		board("field", sightLetters, func(v *View, c Cell) int { return strings.IndexByte(sightLetters, v.letter(c)) }),
		board("agent", seats, func(v *View, c Cell) int { return slices.Index(v.State.Agents[:r.Players], c) + 1 }),
		board("home", seats, func(v *View, c Cell) int { return slices.Index(v.State.Homes[:r.Players], c) + 1 }),
		board("bomb_rounds", ".123456789", func(v *View, c Cell) int { return v.State.bombAt(c).Rounds }),
		board("bomb_owner", seats, func(v *View, c Cell) int { return v.State.bombAt(c).Owner + 1 }),
	}
}

// bombAt is the bomb on a field, one of 0 rounds and owner -1 if there is none.
func (s *State) bombAt(c Cell) Bomb {
	for k := range s.fuses {
		if owner := slices.Index(s.fuses[k][:], fuseAt(c)); owner >= 0 {
			return Bomb{c, k + 1, owner}
		}
	}
	return Bomb{c, 0, -1}
}

// observeRaw is what a seat sees, by way of the raw encoding.
func observeRaw(m *Match, seat int) saved.Values {
	raw := record.Raw(m, &m.game.Spec().Encodings[encodingRaw], encodingRaw, seat)
	values := saved.Values{"seat": raw["seat"][0], "step_count": raw["step_count"][0], "position": []int{raw["x"][0], raw["y"][0]}}
	var scores []int
	for k := range m.game.Spec().Seats {
		scores = append(scores, raw[fmt.Sprintf("score%d", k)][0])
	}
	values["scores"] = scores
	for _, e := range m.game.plan.observed().Entries() {
		if e.Shape == saved.Map {
			values[e.Name] = e.Draw(func(i int) int { return raw[e.Name][i] })
		}
	}
	return values
}
