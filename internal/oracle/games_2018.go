package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// Games recorded by the reference of 2018 have a format of their own,
// pommerman-2018-trace/1. It differs from pommerman-trace/1 in the configuration, in the
// contents of observations, and in the result of games without a winner; steps in which
// agents took skulls contain the random draws. We read such records and never write
// them: games by the rules of 2018 that are played here are recorded like any other.

// match2018 is a match that takes the draws for skulls from the record. Some records
// begin with flames that no game produces: two on a cell with the same life. A State
// can only hold one of them.
type match2018 struct {
	*pommerman.Match
	draws  skullDraws // the draws of the coming step, or of the last one
	double [][]int    // the second of such two flames: row, column, life
}

// Step makes one move. Where the second of two such flames goes out, it removes the
// item that the first one uncovered.
func (m *match2018) Step(actions []uint8) {
	for _, f := range m.double {
		if f[2]--; f[2] < 0 {
			m.Hide(grid.At(f[0], f[1]), pommerman.Passage)
		}
	}
	m.double = slices.DeleteFunc(m.double, func(f []int) bool { return f[2] < 0 })
	rulesOf(m.Match).Step2018(&m.State, actions, m.draws.next)
}

// rulesOf returns a match's rules.
func rulesOf(m *pommerman.Match) *pommerman.Rules { return m.Game().(*pommerman.Game).Rules() }

// skullDraws prescribes the draws of one step.
type skullDraws struct {
	given []skullDraw
	taken []skullDraw // which of them the step used, and for whom
}

// skullDraw is a draw, uniform in [0, 1), for a skull that an agent took.
type skullDraw struct {
	agent int
	u     float64
}

// next returns the next prescribed draw, 0 if none is left.
func (d *skullDraws) next(agent int) float64 {
	u := 0.0
	if n := len(d.taken); n < len(d.given) {
		u = d.given[n].u
	}
	d.taken = append(d.taken, skullDraw{agent, u})
	return u
}

// snapshot2018 is a state whose flames may be in any order. Some games begin with an
// order that no game produces; it has no effect and is not kept.
type snapshot2018 struct{ pommerman.Snapshot }

// Normalize sorts the flames.
func (t *snapshot2018) Normalize() { slices.SortFunc(t.Flames, slices.Compare[[]int]) }

// observation2018 is the part of today's observations that those of 2018 have.
type observation2018 struct {
	Board         saved.Map  `json:"board"`
	BombBlast     saved.Map  `json:"bomb_blast_strength"`
	BombLife      saved.Map  `json:"bomb_life"`
	Position      []int      `json:"position"`
	Ammo          int        `json:"ammo"`
	BlastStrength int        `json:"blast_strength"`
	CanKick       saved.Flag `json:"can_kick"`
	Teammate      int        `json:"teammate"`
	Enemies       []int      `json:"enemies"`
	Message       []int      `json:"message,omitempty"`
}

// today returns the observation in today's form: nothing rolls, flames do not say how
// old they are, and the caller gives the rest.
func (o *observation2018) today(r *pommerman.Rules, alive []int, steps int) *pommerman.Observation {
	empty := saved.Map(strings.Repeat("0", len(o.Board)))
	return &pommerman.Observation{
		Board: o.Board, BombBlast: o.BombBlast, BombLife: o.BombLife, BombMoving: empty, FlameLife: empty,
		Position: o.Position, Ammo: o.Ammo, BlastStrength: o.BlastStrength, CanKick: o.CanKick, Teammate: o.Teammate,
		Enemies: o.Enemies, Alive: append([]int{}, alive...), GameType: int(r.GameType), GameEnv: r.GameEnv,
		StepCount: steps, Message: o.Message,
	}
}

func of2018(o *pommerman.Observation) *observation2018 {
	return &observation2018{
		o.Board, o.BombBlast, o.BombLife, o.Position, o.Ammo, o.BlastStrength, o.CanKick, o.Teammate, o.Enemies, o.Message,
	}
}

var recording2018 = record.Form[*match2018, snapshot2018, observation2018]{
	Name: "pommerman-2018-trace/1", Keys: []string{"config"},
	Match: matchOf2018, Act: act2018,
	Shape: func(m *match2018) *saved.Shape { return pommerman.Recording.Shape(m.Match) },
	Show:  show2018,
	Start: start2018,

	Observe: func(m *match2018, seat int) *observation2018 {
		return of2018(pommerman.Recording.Observe(m.Match, seat))
	},

	Adjust: func(m *match2018, o *record.Outcome) {
		if wonByNobody(m.Match) {
			o.Result = env.Win.String()
		}
	},
	Compare: func(m *match2018, c *record.Comparison) {
		if !slices.Equal(m.draws.given, m.draws.taken) {
			c.Differs("skulls", m.draws.given, m.draws.taken)
		}
	},
}

// wonByNobody reports whether the game is over without a survivor and the reference of
// 2018 calls it won: it does so except in team games at the step limit.
func wonByNobody(m *pommerman.Match) bool {
	return m.Living() == 0 && !(rulesOf(m).Teams() && int(m.StepCount) >= m.Game().Spec().MaxSteps)
}

func show2018(m *match2018) *snapshot2018 {
	t := &snapshot2018{*pommerman.Recording.Show(m.Match)}
	t.Flames = append(t.Flames, m.double...)
	t.Normalize()
	return t
}

func start2018(m *match2018, t *snapshot2018, dice string) error {
	start := t.Snapshot
	start.Flames = nil
	for _, f := range t.Flames {
		if len(f) != 3 {
			return fmt.Errorf("flames has %v, want [row, column, life]", f)
		}
		if slices.ContainsFunc(start.Flames, func(other []int) bool { return slices.Equal(f, other) }) {
			m.double = append(m.double, slices.Clone(f))
		} else {
			start.Flames.Add(f...)
		}
	}
	slices.SortFunc(start.Flames, func(a, b []int) int { return cmp.Or(a[2]-b[2], slices.Compare(a, b)) })
	if t.StepCount > math.MaxInt16 {
		return fmt.Errorf("step_count is %d, want 0 to %d", t.StepCount, math.MaxInt16)
	}
	start.StepCount = min(t.StepCount, m.Game().Spec().MaxSteps)
	err := pommerman.Recording.Start(m.Match, &start, dice)
	m.StepCount = uint16(t.StepCount) // some games begin past the step limit, and end after a step
	return err
}

// act2018 returns the recorded actions of a step. It passes the recorded draws to the match.
func act2018(m *match2018, in *record.Inputs) ([]uint8, error) {
	m.draws = skullDraws{}
	for i, d := range in.Skulls {
		if len(d) != 2 || d[1] < 0 || d[1] >= 1 {
			return nil, fmt.Errorf("skulls[%d] is %v, want [agent, u] with u from 0 to less than 1", i, d)
		}
		m.draws.given = append(m.draws.given, skullDraw{int(d[0]), d[1]})
	}
	return pommerman.Recording.Act(m.Match, &record.Inputs{Actions: in.Actions, Messages: in.Messages})
}

// config2018 is the configuration of the reference's environment of 2018.
type config2018 struct {
	EnvID         *string    `json:"env_id"`
	GameType      int        `json:"game_type"`
	NumAgents     int        `json:"num_agents"`
	BoardSize     int        `json:"board_size"`
	NumRigid      int        `json:"num_rigid"`
	NumWood       int        `json:"num_wood"`
	NumItems      int        `json:"num_items"`
	MaxSteps      int        `json:"max_steps"`
	Fog           saved.Flag `json:"partially_observable"`
	ViewSize      *int       `json:"agent_view_size"`
	StartBlast    int        `json:"default_blast_strength"`
	BombLife      int        `json:"default_bomb_life"`
	RadioVocab    *int       `json:"radio_vocab_size"`
	RadioWords    *int       `json:"radio_num_words"`
	TrainingAgent *int       `json:"training_agent"`
}

// matchOf2018 makes a match by the configuration in a record's head.
func matchOf2018(h *record.Head) (*match2018, string, error) {
	var c config2018
	if err := saved.Decode(h.Config, &c); err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	if c.GameType < int(pommerman.FFA) || c.GameType > int(pommerman.OneVsOne) {
		return nil, "", fmt.Errorf("config: game_type is %d, want 1 to 4", c.GameType)
	}
	r := pommerman.Rules2018(pommerman.GameType(c.GameType))
	r.BoardSize, r.MaxSteps, r.StartBlast, r.BombLife = c.BoardSize, c.MaxSteps, c.StartBlast, c.BombLife
	r.NumRigid, r.NumWood, r.NumItems = c.NumRigid, c.NumWood, c.NumItems
	if c.Fog && c.ViewSize == nil {
		return nil, "", errors.New("config: agent_view_size is missing")
	}
	r.RadioWords, r.RadioVocab = *cmp.Or(c.RadioWords, new(0)), *cmp.Or(c.RadioVocab, new(0))
	r.TrainingAgent = *cmp.Or(c.TrainingAgent, new(pommerman.NoSeat))
	if r.ViewSize = 0; c.Fog {
		r.ViewSize = *c.ViewSize
	}
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if c.NumAgents != r.Seats() {
		return nil, "", fmt.Errorf("config: num_agents is %d, want %d in game type %d", c.NumAgents, r.Seats(), r.GameType)
	}
	return &match2018{Match: pommerman.NewMatch(r)}, *cmp.Or(c.EnvID, new("")), nil
}
