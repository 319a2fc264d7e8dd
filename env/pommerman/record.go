package pommerman

import (
	"encoding/json"
	"fmt"

	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format pommerman-trace/1: the
// configuration, the state at the start, and for every step the actions, the
// state after it, what it paid, and every so often what each agent observed.
// Cells are [row, column], boards and maps are strings of one base-36 digit a
// cell, booleans 0 or 1. A record shows the state after the ring of a collapse
// has fallen and observations from before it.
//
// Two optional keys extend what the reference writes: "rules", a Rules object,
// which then holds instead of what follows from "config"; and "dice", the state
// of the game's RNG at the start, 16 hexadecimal digits.

// Recording is what is special in recorded games of Pommerman.
var Recording = record.Form[*Match]{
	Name: "pommerman-trace/1", Keys: []string{"config", "rules", "dice"},
	Match:    matchOf,
	SetRules: setRules,
	Seats:    func(m *Match) int { return m.game.Spec().Seats },

	Inputs: func(m *Match) []saved.Entry {
		seats := m.game.Spec().Seats
		list := []saved.Entry{{Name: "actions", Shape: saved.Row, Least: seats, Most: seats}}
		if m.game.rules.RadioWords > 0 {
			list = append(list, saved.Entry{Name: "messages", Shape: saved.Rows, Least: seats, Most: seats})
		}
		return list
	},
	Act:   act,
	Acted: acted,

	Table:  func(m *Match) []saved.Entry { return m.game.form.Table.Entries() },
	Values: func(m *Match) saved.Values { return m.game.form.Table.Values(&m.State) },
	Start:  func(m *Match, v saved.Values) (err error) { m.State, err = m.game.form.Read(v); return err },
	Shown:  func(m *Match) *Match { return &Match{m.game.rules.Settled(m.State), m.game} },

	Observed: func(m *Match) []saved.Entry { return m.game.rules.Observed().Entries() },
	Observe: func(m *Match, seat int) saved.Values {
		var v View
		m.View(seat, &v)
		return m.game.rules.Observed().Values(&v)
	},
	ObserveRaw: func(m *Match, seat int) saved.Values {
		return m.game.rules.unpackRaw(record.Raw(m, &m.game.Spec().Encodings[encodingRaw], encodingRaw, seat))
	},
	ObserveAlso: func(m *Match) bool { return m.due != 0 },
}

// Recorded is the format of recorded games.
var Recorded = Recording.Format()

// ParseRecord reads a recorded game.
func ParseRecord(line []byte) (*record.Game[*Match], error) { return Recording.Parse(line) }

// Record begins the record of the match: record.Recordable. A ring that is due
// has fallen in the record, as in the reference between two steps.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return Recording.Record(m, info) }

// act is the recorded actions of a step. Those of dead agents are ignored.
func act(m *Match, inputs saved.Values) ([]uint8, error) {
	words := m.game.rules.RadioWords
	actions := make([]uint8, m.game.Spec().Seats*(1+words))
	messages, _ := inputs["messages"].([][]int)
	for seat, move := range inputs["actions"].([]int) {
		own := actions[seat*(1+words):]
		if words > 0 && messages[seat] != nil && len(messages[seat]) < words {
			return nil, fmt.Errorf("messages[%d] has %d words, want null or at least %d", seat, len(messages[seat]), words)
		}
		if !m.Agents[seat].Alive {
			continue
		}
		if move < 0 || move >= int(numActions) {
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", seat, move, numActions-1)
		}
		own[0] = uint8(move)
		if words > 0 && messages[seat] != nil {
			for w, word := range messages[seat][:words] {
				own[1+w] = uint8(min(max(word, 0), 255))
			}
		}
	}
	return actions, nil
}

func acted(m *Match, actions []uint8) saved.Values {
	width := 1 + m.game.rules.RadioWords
	var moves []int
	var messages [][]int
	for seat := range m.game.Spec().Seats {
		own := saved.Ints(actions[seat*width:][:width])
		moves, messages = append(moves, own[0]), append(messages, own[1:])
	}
	return saved.Values{"actions": moves, "messages": messages}
}

// config is what the reference's environment was made with.
var config = []saved.Entry{
	{Name: "env_id", Shape: saved.Text, Null: true}, {Name: "game_env", Shape: saved.Text, Null: true},
	{Name: "game_type"}, {Name: "num_agents"}, {Name: "board_size"}, {Name: "num_rigid"}, {Name: "num_wood"}, {Name: "num_items"},
	{Name: "max_steps"}, {Name: "partially_observable", Shape: saved.Flag}, {Name: "agent_view_size", Null: true},
	{Name: "max_blast_strength"}, {Name: "first_collapse", Null: true}, {Name: "collapses", Shape: saved.Rows},
	{Name: "radio_vocab_size", Null: true}, {Name: "radio_num_words", Null: true}, {Name: "training_agent", Null: true},
}

// setRules writes the configuration into a record's head, and the rules beside
// it where the configuration cannot say all of them.
func setRules(h *record.Head, m *Match, id string) (err error) {
	start, rules := m.game.rules.Settled(m.State), m.game.rules
	rules.TrainingAgent = int(start.training) - 1
	values := rules.config(id)
	if h.Config, err = json.Marshal(saved.Object{Entries: config, Values: values}); err != nil {
		return err
	}
	if plain, err := Configured(values); err != nil || plain != rules {
		h.Rules, _ = json.Marshal(rules) // a struct of numbers always marshals
		h.RNG = saved.Hex(start.RNG.State)
	}
	return nil
}

// config is the reference's configuration with these rules.
func (r *Rules) config(id string) saved.Values {
	values := saved.Values{
		"env_id": id, "game_env": r.GameEnv, "game_type": int(r.GameType), "num_agents": r.Seats(), "board_size": r.BoardSize,
		"num_rigid": r.NumRigid, "num_wood": r.NumWood, "num_items": r.NumItems, "max_steps": r.MaxSteps,
		"partially_observable": int(toByte(r.ViewSize != 0)), "max_blast_strength": r.MaxBlast, "collapses": r.rings(),
	}
	for _, may := range []struct {
		name    string
		v, none int
	}{
		{"agent_view_size", r.ViewSize, 0}, {"first_collapse", r.FirstCollapse, NoCollapse}, {"radio_vocab_size", r.RadioVocab, 0},
		{"radio_num_words", r.RadioWords, 0}, {"training_agent", r.TrainingAgent, NoSeat},
	} {
		if may.v != may.none {
			values[may.name] = may.v
		}
	}
	return values
}

// rings is [step, ring] of each collapse.
func (r *Rules) rings() [][]int {
	list := [][]int{}
	for ring, at := range r.Collapses() {
		list = append(list, []int{at, ring})
	}
	return list
}

// Configured is the reference's rules with the numbers of a configuration.
func Configured(values saved.Values) (Rules, error) {
	number := func(name string, otherwise int) int {
		if v, there := values[name].(int); there {
			return v
		}
		return otherwise
	}
	kind := number("game_type", 0)
	if kind < int(FFA) || kind > int(OneVsOne) {
		return Rules{}, fmt.Errorf("game_type is %d, want 1 to 4", kind)
	}
	r := Playground(GameType(kind))
	r.GameEnv, _ = values["game_env"].(string)
	r.BoardSize, r.MaxSteps, r.MaxBlast = number("board_size", 0), number("max_steps", 0), number("max_blast_strength", 0)
	r.NumRigid, r.NumWood, r.NumItems = number("num_rigid", 0), number("num_wood", 0), number("num_items", 0)
	if values["partially_observable"] == 1 {
		if r.ViewSize = number("agent_view_size", OwnCell-1); r.ViewSize < OwnCell {
			return Rules{}, fmt.Errorf("agent_view_size is missing")
		}
	}
	r.RadioWords, r.RadioVocab = number("radio_num_words", 0), number("radio_vocab_size", 0)
	r.FirstCollapse, r.TrainingAgent = number("first_collapse", NoCollapse), number("training_agent", NoSeat)
	return r, nil
}

// matchOf is a match by the rules in a record's head.
func matchOf(h *record.Head) (*Match, string, error) {
	values, err := saved.Decode(h.Config, config)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	r, err := Configured(values)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	if h.Rules != nil {
		r = Rules{}
		if err := saved.DecodeJSON(h.Rules, &r); err != nil {
			return nil, "", fmt.Errorf("rules: %w", err)
		}
	}
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if n := values["num_agents"]; n != r.Seats() {
		return nil, "", fmt.Errorf("config: num_agents is %d, want %d in game type %d", n, r.Seats(), r.GameType)
	}
	collapses := saved.Entry{Name: "collapses", Shape: saved.Rows}
	collapses.Compare(values["collapses"], r.rings(), func(_ string, want, got any) {
		err = fmt.Errorf("config: collapses are %v, but by first_collapse and max_steps they are %v", values["collapses"], r.rings())
	})
	id, _ := values["env_id"].(string)
	return NewMatch(r), id, err
}
