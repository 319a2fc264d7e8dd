package pommerman

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/record"
	"pommego/env/saved"
)

// Games recorded by the reference of 2018 have a format of their own,
// pommerman-2018-trace/1. It differs from pommerman-trace/1 in the configuration, in
// the contents of observations, and in the result of games without a winner; steps in
// which skulls were taken contain the random draws. Such records are read and never
// written: games by the rules of 2018 that are played here are recorded like any other.

// match2018 is a match that uses the recorded draws for skulls. Some records begin with
// flames that no game produces: two on a cell with the same life, of which a State
// holds only one.
type match2018 struct {
	*Match
	draws  skullDraws // of the coming step, or the last
	double [][]int    // the second flames of that kind: row, column, life
}

// Step makes one move. Where the second of two flames goes out, it removes the item
// that the first uncovered.
func (m *match2018) Step(actions []uint8) {
	for _, f := range m.double {
		if f[2]--; f[2] < 0 {
			m.hide(grid.At(f[0], f[1]), Passage)
		}
	}
	m.double = slices.DeleteFunc(m.double, func(f []int) bool { return f[2] < 0 })
	m.game.rules.step2018(&m.State, actions, &m.draws, nil)
}

var recording2018 = record.Form[*match2018]{
	Name: "pommerman-2018-trace/1", Keys: []string{"config"},
	Match: matchOf2018,
	Seats: func(m *match2018) int { return recording.Seats(m.Match) },

	Inputs: func(m *match2018) []saved.Entry {
		return append(recording.Inputs(m.Match), saved.Entry{Name: "skulls", Shape: saved.JSON, Optional: true})
	},
	Act: act2018,

	Table:  table2018,
	Values: values2018,
	Start:  start2018,

	Observed:   func(m *match2018) []saved.Entry { return m.game.rules.observed2018().Entries() },
	Observe:    func(m *match2018, seat int) saved.Values { return recording.Observe(m.Match, seat) },
	ObserveRaw: func(m *match2018, seat int) saved.Values { return recording.ObserveRaw(m.Match, seat) },

	Led: func(m *match2018, values saved.Values) {
		if r := &m.game.rules; r.wonByNobody(&m.State) {
			values["result"] = env.Win.String()
		}
	},
	Compare: func(m *match2018, c *record.Comparison) {
		if !slices.Equal(m.draws.given, m.draws.taken) {
			c.Differs("skulls", m.draws.given, m.draws.taken)
		}
	},
}

// Recorded2018 is the format of games recorded by the reference of 2018.
var Recorded2018 = recording2018.Format()

// wonByNobody reports whether the game is over without a survivor and the reference of
// 2018 calls it won: so it does in all cases but team games at the step limit.
func (r *Rules) wonByNobody(s *State) bool {
	return s.alive() == 0 && !(r.Teams() && int(s.StepCount) >= r.lastStep())
}

// table2018 is the entries of a state. Some games begin with flames in an order
// that no game gives them, which makes no difference and is not kept.
func table2018(m *match2018) []saved.Entry {
	list := recording.Table(m.Match)
	at := slices.IndexFunc(list, func(e saved.Entry) bool { return e.Name == "flames" })
	list[at].Unordered = true
	return list
}

func values2018(m *match2018) saved.Values {
	values := recording.Values(m.Match)
	values["flames"] = append(values["flames"].([][]int), m.double...)
	return values
}

func start2018(m *match2018, v saved.Values) error {
	var flames [][]int
	for _, f := range v["flames"].([][]int) {
		if len(f) != 3 {
			return fmt.Errorf("flames has %v, want [row, column, life]", f)
		}
		if slices.ContainsFunc(flames, func(other []int) bool { return slices.Equal(f, other) }) {
			m.double = append(m.double, slices.Clone(f))
		} else {
			flames = append(flames, f)
		}
	}
	sortFlames(flames)
	v["flames"] = flames
	return recording.Start(m.Match, v)
}

// act2018 is the recorded actions of a step. It passes the recorded draws to the match.
func act2018(m *match2018, inputs saved.Values) ([]uint8, error) {
	m.draws = skullDraws{}
	if text, there := inputs["skulls"].(json.RawMessage); there {
		var list [][]float64
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("skulls: %w", err)
		}
		for i, d := range list {
			if len(d) != 2 || d[1] < 0 || d[1] >= 1 {
				return nil, fmt.Errorf("skulls[%d] is %v, want [agent, u] with u from 0 to less than 1", i, d)
			}
			m.draws.given = append(m.draws.given, skullDraw{int(d[0]), d[1]})
		}
	}
	return act(m.Match, inputs)
}

// config2018 is what the reference's environment of 2018 was made with.
var config2018 = []saved.Entry{
	{Name: "env_id", Shape: saved.Text, Null: true},
	{Name: "game_type"}, {Name: "num_agents"}, {Name: "board_size"}, {Name: "num_rigid"}, {Name: "num_wood"}, {Name: "num_items"},
	{Name: "max_steps"}, {Name: "partially_observable", Shape: saved.Flag}, {Name: "agent_view_size", Null: true},
	{Name: "default_blast_strength"}, {Name: "default_bomb_life"},
	{Name: "radio_vocab_size", Null: true}, {Name: "radio_num_words", Null: true}, {Name: "training_agent", Null: true},
}

// matchOf2018 is a match by the configuration in a record's head.
func matchOf2018(h *record.Head) (*match2018, string, error) {
	values, err := saved.Decode(h.Config, config2018)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	given, err := configured(values)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	r := Rules2018(given.GameType)
	r.BoardSize, r.MaxSteps, r.ViewSize = given.BoardSize, given.MaxSteps, given.ViewSize
	r.NumRigid, r.NumWood, r.NumItems = given.NumRigid, given.NumWood, given.NumItems
	r.StartBlast, r.BombLife = values["default_blast_strength"].(int), values["default_bomb_life"].(int)
	r.RadioWords, r.RadioVocab, r.TrainingAgent = given.RadioWords, given.RadioVocab, given.TrainingAgent
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if n := values["num_agents"]; n != r.Seats() {
		return nil, "", fmt.Errorf("config: num_agents is %d, want %d in game type %d", n, r.Seats(), r.GameType)
	}
	id, _ := values["env_id"].(string)
	game := undealt(r)
	// Some games begin past the step limit, which ends them after a step.
	game.form.Table[0] = countField(math.MaxInt16)
	return &match2018{Match: &Match{game: game}}, id, nil
}
