package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
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
	*pommerman.Match
	draws  skullDraws // of the coming step, or the last
	double [][]int    // the second flames of that kind: row, column, life
}

// Step makes one move. Where the second of two flames goes out, it removes the item
// that the first uncovered.
func (m *match2018) Step(actions []uint8) {
	for _, f := range m.double {
		if f[2]--; f[2] < 0 {
			m.Hide(grid.At(f[0], f[1]), pommerman.Passage)
		}
	}
	m.double = slices.DeleteFunc(m.double, func(f []int) bool { return f[2] < 0 })
	rulesOf(m.Match).Step2018(&m.State, actions, m.draws.next)
}

// rulesOf is a match's rules.
func rulesOf(m *pommerman.Match) *pommerman.Rules { return m.Game().(*pommerman.Game).Rules() }

// skullDraws prescribes the draws of one step.
type skullDraws struct {
	given []skullDraw
	taken []skullDraw // what the step drew of them, and for whom
}

// skullDraw is one draw, uniform in [0, 1), for the skull that an agent took.
type skullDraw struct {
	agent int
	u     float64
}

// next is the next prescribed draw, 0 if none is left.
func (d *skullDraws) next(agent int) float64 {
	u := 0.0
	if n := len(d.taken); n < len(d.given) {
		u = d.given[n].u
	}
	d.taken = append(d.taken, skullDraw{agent, u})
	return u
}

var recording2018 = record.Form[*match2018]{
	Name: "pommerman-2018-trace/1", Keys: []string{"config"},
	Match: matchOf2018,
	Seats: func(m *match2018) int { return pommerman.Recording.Seats(m.Match) },

	Inputs: func(m *match2018) []saved.Entry {
		return append(pommerman.Recording.Inputs(m.Match), saved.Entry{Name: "skulls", Shape: saved.JSON, Optional: true})
	},
	Act: act2018,

	Table:  table2018,
	Values: values2018,
	Start:  start2018,

	Observed:   func(m *match2018) []saved.Entry { return observed2018(rulesOf(m.Match)) },
	Observe:    func(m *match2018, seat int) saved.Values { return pommerman.Recording.Observe(m.Match, seat) },
	ObserveRaw: func(m *match2018, seat int) saved.Values { return pommerman.Recording.ObserveRaw(m.Match, seat) },

	Led: func(m *match2018, values saved.Values) {
		if wonByNobody(m.Match) {
			values["result"] = env.Win.String()
		}
	},
	Compare: func(m *match2018, c *record.Comparison) {
		if !slices.Equal(m.draws.given, m.draws.taken) {
			c.Differs("skulls", m.draws.given, m.draws.taken)
		}
	},
}

// wonByNobody reports whether the game is over without a survivor and the reference of
// 2018 calls it won: so it does in all cases but team games at the step limit.
func wonByNobody(m *pommerman.Match) bool {
	for _, a := range m.Agents {
		if a.Alive {
			return false
		}
	}
	return !(rulesOf(m).Teams() && int(m.StepCount) >= m.Spec().MaxSteps)
}

// observed2018 is the entries of today's observations that those of 2018 have.
func observed2018(r *pommerman.Rules) []saved.Entry {
	return slices.DeleteFunc(r.Observed().Entries(), func(e saved.Entry) bool {
		switch e.Name {
		case "bomb_moving_direction", "flame_life", "alive", "game_type", "game_env", "step_count":
			return true
		}
		return false
	})
}

// table2018 is the entries of a state. Some games begin with flames in an order
// that no game gives them, which makes no difference and is not kept.
func table2018(m *match2018) []saved.Entry {
	list := pommerman.Recording.Table(m.Match)
	at := slices.IndexFunc(list, func(e saved.Entry) bool { return e.Name == "flames" })
	list[at].Unordered = true
	return list
}

func values2018(m *match2018) saved.Values {
	values := pommerman.Recording.Values(m.Match)
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
	slices.SortFunc(flames, func(a, b []int) int { return cmp.Or(a[2]-b[2], slices.Compare(a, b)) })
	v["flames"] = flames
	steps, last := v["step_count"].(int), m.Spec().MaxSteps
	if steps > math.MaxInt16 {
		return fmt.Errorf("step_count is %d, want 0 to %d", steps, math.MaxInt16)
	}
	v["step_count"] = min(steps, last)
	err := pommerman.Recording.Start(m.Match, v)
	m.StepCount = uint16(steps) // some games begin past the step limit, which ends them after a step
	return err
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
	return pommerman.Recording.Act(m.Match, inputs)
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
	given, err := pommerman.Configured(values)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	r := pommerman.Rules2018(given.GameType)
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
	return &match2018{Match: pommerman.NewMatch(r)}, id, nil
}
