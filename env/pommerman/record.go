package pommerman

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"pommego/env"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format pommerman-trace/1: the
// configuration, the state at the start, and for every step the actions, the state
// after it, its rewards, and from time to time each agent's observation. Cells are
// [row, column], boards and maps are strings of one base-36 digit a cell, booleans 0 or
// 1. A record shows the state after the ring of a collapse has fallen and observations
// from before it.
//
// Two optional keys extend what the reference writes: "rules", a Rules object, which
// replaces the rules that follow from "config"; and "dice", the state of the game's RNG
// at the start, 16 hexadecimal digits.

// Recording says what is special in recorded games of Pommerman.
var Recording = record.Form[*Match, Snapshot, Observation]{
	Name: "pommerman-trace/1", Keys: []string{"config", "rules", "dice"},
	Match: matchOf, SetRules: setRules,
	Act: act, Acted: acted,
	Shape: func(m *Match) *saved.Shape { return &m.game.form.Shape },
	Show: func(m *Match) *Snapshot {
		t := m.game.form.Snapshot(&m.State)
		t.Due, t.Training, t.RNG = 0, 0, saved.RNG{}
		return t
	},
	Start: start,
	Shown: func(m *Match) *Match {
		if m.due == 0 {
			return m
		}
		return &Match{m.game.rules.Settled(m.State), m.game}
	},
	Observe: func(m *Match, seat int) *Observation {
		var v View
		m.View(seat, &v)
		return v.Observation()
	},
}

// Recorded is the format of recorded games.
var Recorded = Recording.Format()

// Record begins the record of the match: record.Recordable. A ring that is due
// has fallen in the record, as in the reference between two steps.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return Recording.Record(m, info) }

// start sets a match to the recorded start. Records do not hold the seat whose death
// also ends the game: it comes from the rules.
func start(m *Match, recorded *Snapshot, dice string) (err error) {
	t := *recorded
	t.Due, t.Training, t.RNG = -1, m.game.rules.TrainingAgent, saved.RNG{}
	if dice != "" {
		if err := t.RNG.UnmarshalText([]byte(dice)); err != nil {
			return err
		}
	}
	m.State, err = m.game.form.Read(&t)
	return err
}

// act returns the recorded actions of a step. It ignores those of dead agents.
func act(m *Match, in *record.Inputs) ([]uint8, error) {
	seats, words := m.game.Spec().Seats, m.game.rules.RadioWords
	dead := func(seat int) bool { return !m.Agents[seat].Alive }
	moves, err := in.Moves(seats, int(numActions), words > 0, dead)
	if err != nil {
		return nil, err
	}
	actions := make([]uint8, seats*(1+words))
	for seat, move := range moves {
		own := actions[seat*(1+words):][:1+words]
		own[0] = move
		if words == 0 || in.Messages[seat] == nil {
			continue
		}
		if said := len(in.Messages[seat]); said < words {
			return nil, fmt.Errorf("messages[%d] has %d words, want null or at least %d", seat, said, words)
		}
		for w, word := range in.Messages[seat][:words] {
			if !dead(seat) {
				own[1+w] = uint8(min(max(word, 0), 255))
			}
		}
	}
	return actions, nil
}

func acted(m *Match, actions []uint8) (in record.Inputs) {
	width := 1 + m.game.rules.RadioWords
	for seat := range m.game.Spec().Seats {
		own := saved.Ints(actions[seat*width:][:width])
		in.Actions = append(in.Actions, own[0])
		if width > 1 {
			in.Messages = append(in.Messages, own[1:])
		}
	}
	return in
}

// config is the configuration with which the reference's environment was made.
type config struct {
	EnvID         *string    `json:"env_id"`
	GameEnv       *string    `json:"game_env"`
	GameType      int        `json:"game_type"`
	NumAgents     int        `json:"num_agents"`
	BoardSize     int        `json:"board_size"`
	NumRigid      int        `json:"num_rigid"`
	NumWood       int        `json:"num_wood"`
	NumItems      int        `json:"num_items"`
	MaxSteps      int        `json:"max_steps"`
	Fog           saved.Flag `json:"partially_observable"`
	ViewSize      *int       `json:"agent_view_size"`
	MaxBlast      int        `json:"max_blast_strength"`
	FirstCollapse *int       `json:"first_collapse"`
	Collapses     saved.Rows `json:"collapses"` // [step, ring] of each collapse
	RadioVocab    *int       `json:"radio_vocab_size"`
	RadioWords    *int       `json:"radio_num_words"`
	TrainingAgent *int       `json:"training_agent"`
}

// setRules writes the configuration into a record's head, and the rules beside
// it where the configuration cannot say all of them.
func setRules(h *record.Head, m *Match, id string) {
	start, rules := m.game.rules.Settled(m.State), m.game.rules
	rules.TrainingAgent = int(start.training) - 1
	c := rules.config(id)
	h.Config = saved.JSON(&c)
	if plain, err := c.rules(); err != nil || plain != rules {
		h.Rules, h.RNG = saved.JSON(rules), saved.Hex(start.RNG.State)
	}
}

// config returns the reference's configuration with these rules.
func (r *Rules) config(id string) config {
	c := config{
		EnvID: &id, GameEnv: &r.GameEnv, GameType: int(r.GameType), NumAgents: r.Seats(), BoardSize: r.BoardSize,
		NumRigid: r.NumRigid, NumWood: r.NumWood, NumItems: r.NumItems, MaxSteps: r.MaxSteps,
		Fog: r.ViewSize != 0, ViewSize: unless(r.ViewSize, 0), MaxBlast: r.MaxBlast,
		FirstCollapse: unless(r.FirstCollapse, NoCollapse),
		RadioVocab:    unless(r.RadioVocab, 0), RadioWords: unless(r.RadioWords, 0),
		TrainingAgent: unless(r.TrainingAgent, NoSeat),
	}
	for ring, at := range r.Collapses() {
		c.Collapses.Add(at, ring)
	}
	return c
}

// rules returns the reference's rules with the numbers of a configuration.
func (c *config) rules() (Rules, error) {
	if c.GameType < int(FFA) || c.GameType > int(OneVsOne) {
		return Rules{}, fmt.Errorf("game_type is %d, want 1 to 4", c.GameType)
	}
	r := Playground(GameType(c.GameType))
	if r.GameEnv = ""; c.GameEnv != nil {
		r.GameEnv = *c.GameEnv
	}
	r.BoardSize, r.MaxSteps, r.MaxBlast = c.BoardSize, c.MaxSteps, c.MaxBlast
	r.NumRigid, r.NumWood, r.NumItems = c.NumRigid, c.NumWood, c.NumItems
	if c.Fog {
		if r.ViewSize = *cmp.Or(c.ViewSize, new(OwnCell-1)); r.ViewSize < OwnCell {
			return Rules{}, fmt.Errorf("agent_view_size is missing")
		}
	}
	r.RadioWords, r.RadioVocab = *cmp.Or(c.RadioWords, new(0)), *cmp.Or(c.RadioVocab, new(0))
	r.FirstCollapse, r.TrainingAgent = *cmp.Or(c.FirstCollapse, new(NoCollapse)), *cmp.Or(c.TrainingAgent, new(NoSeat))
	return r, nil
}

func matchOf(h *record.Head) (*Match, string, error) {
	var c config
	if err := saved.Decode(h.Config, &c); err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	r, err := c.rules()
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
	if c.NumAgents != r.Seats() {
		return nil, "", fmt.Errorf("config: num_agents is %d, want %d in game type %d", c.NumAgents, r.Seats(), r.GameType)
	}
	if want := r.config("").Collapses; !slices.EqualFunc(c.Collapses, want, slices.Equal[[]int]) {
		return nil, "", fmt.Errorf("config: collapses are %v, but by first_collapse and max_steps they are %v",
			c.Collapses, want)
	}
	return NewMatch(r), *cmp.Or(c.EnvID, new("")), nil
}

// guesses are the ids to try for a recording that names none. It is replayed by the
// rules of each; of those with the fewest differences the first is taken.
var guesses = []string{"PommeRadioCompetition-v2", "OneVsOne-v0", "PommeFFACompetition-v0",
	"PommeTeamCompetition-v0", "PommeFFA-v1", "PommeTeamCompetition-v1"}

// Original is the format record.Original. game makes the game of an id, the record's variant.
func Original(game func(id string) (env.Game, error)) record.Format {
	f := Recording
	f.Name, f.Keys = record.Original, []string{"initial"}
	f.Match = func(h *record.Head) (*Match, string, error) {
		id, least := h.Variant, 0
		for _, h.Variant = range guesses {
			if id != "" && least == 0 || bytes.Contains(h.Initial, []byte("radio_")) != strings.Contains(h.Variant, "Radio") {
				continue
			}
			text, _ := json.Marshal(h)
			if r, err := f.Check(text); err == nil && (id == "" || r.Mismatches < least) {
				id, least = h.Variant, r.Mismatches
			}
		}
		h.Variant = cmp.Or(id, "PommeFFACompetition-v0")
		g, err := game(h.Variant)
		if err != nil {
			return nil, "", err
		}
		m, ok := g.New(1)[0].(*Match)
		if !ok {
			return nil, "", fmt.Errorf("%s is not Pommerman, want one of its ids", id)
		}
		return m, h.Variant, nil
	}
	f.Read = func(m *Match, text json.RawMessage, t *Snapshot, in *record.Inputs, o *record.Outcome) error {
		var object jsonFields
		if err := cmp.Or(json.Unmarshal(text, &object), json.Unmarshal(text, o)); err != nil {
			return err
		}
		err := m.game.rules.readJSON(object, t)
		if object["intended_actions"] != nil {
			var sent []any
			err = cmp.Or(object.take("intended_actions", &sent), err)
			in.Actions = make([]int, len(sent))
			for seat, action := range sent {
				in.Actions[seat] = moveOf(action)
			}
		}
		in.Messages = t.Radio
		return err
	}
	return f.Format()
}

// moveOf returns the number in an action as the original was given it, which keeps what it gets: a
// float, or of the dead by radio a list of number and words. It returns -1 if there is none.
func moveOf(sent any) int {
	if list, ok := sent.([]any); ok && len(list) > 0 {
		sent = list[0]
	}
	if number, ok := sent.(float64); ok && number == math.Trunc(number) {
		return int(number)
	}
	return -1
}
