package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/simple"
	"pommego/env/saved"
)

// The values of "format" in recorded decisions of the reference's SimpleAgent: of
// today's, and of that of 2018. Those of 2018 leave out what its observations did not
// have, and list probabilities in the order of the possible actions.
const (
	decisionFormat     = "pommerman-simple-agent/1"
	decisionFormat2018 = "pommerman-2018-simple-agent/1"
)

// recordedDecision is a recorded decision.
type recordedDecision struct {
	Format          string          `json:"format"`
	Variant         json.RawMessage `json:"variant,omitempty"` // for information only, like the next two
	Seed            json.RawMessage `json:"seed,omitempty"`
	Setup           json.RawMessage `json:"setup,omitempty"`
	Agent           int             `json:"agent"`
	BoardSize       int             `json:"board_size"`
	ViewSize        *int            `json:"view_size"` // null: everything is in view
	Obs             json.RawMessage `json:"obs"`
	Recent          saved.Rows      `json:"recent"`
	PrevDirection   int             `json:"prev_direction"`
	Coins           string          `json:"coins"`
	Choice          *[]int          `json:"choice"` // n and the number drawn
	Action          int             `json:"action"`
	Branch          string          `json:"branch"`
	RecentAfter     saved.Rows      `json:"recent_after"`
	PrevDirectAfter int             `json:"prev_direction_after"`
	Possible        []int           `json:"possible"`
	Probs           json.RawMessage `json:"probs"` // probabilities by action, or in the order of possible
}

// decisionShape says what the values of records of decisions may be.
var decisionShape = saved.Shape{Columns: map[string][]saved.Column{
	"agent": number(0, pommerman.MaxAgents-1), "board_size": number(7, grid.MaxSide), "view_size": number(0, grid.MaxSide),
	"prev_direction": number(0, int(grid.Right)), "prev_direction_after": number(0, int(grid.Right)),
	"action": number(0, choices-1), "possible": number(0, choices-1),
	"recent":       {saved.Col("row", 0, grid.MaxSide-1), saved.Col("col", 0, grid.MaxSide-1)},
	"recent_after": {saved.Col("row", 0, grid.MaxSide-1), saved.Col("col", 0, grid.MaxSide-1)},
}}

func number(least, most int) []saved.Column { return []saved.Column{saved.Col("", least, most)} }

// decision is a recorded decision that has been read and checked.
type decision struct {
	of2018        bool
	view          *pommerman.View
	before, after simple.Memory
	coins         string
	choice        []int // nil, or n and the number drawn
	action        pommerman.Action
	branch        string
	possible      moves
	probs         [choices]float64
}

// readDecision reads a recorded decision, one JSON object.
func readDecision(line []byte, of2018 bool) (*decision, error) {
	var in recordedDecision
	err := read(line, &in)
	if err != nil {
		return nil, err
	}
	format := decisionFormat
	if of2018 {
		format = decisionFormat2018
	}
	if in.Format != format {
		return nil, fmt.Errorf("format is %q, want %q", in.Format, format)
	}
	d := &decision{of2018: of2018, coins: in.Coins, branch: in.Branch, action: pommerman.Action(in.Action)}
	if in.Choice != nil {
		d.choice = *in.Choice
	}
	if err = d.readView(&in); err == nil {
		d.before, err = readMemory("recent", in.Recent, in.PrevDirection, d.view.Rules.BoardSize)
	}
	if err == nil {
		d.after, err = readMemory("recent_after", in.RecentAfter, in.PrevDirectAfter, d.view.Rules.BoardSize)
	}
	if err == nil {
		err = d.checkDraws()
	}
	if err == nil {
		err = d.readOdds(&in)
	}
	return d, err
}

// readView reads the observation.
func (d *decision) readView(in *recordedDecision) error {
	rules := rulesAndObservation
	if d.of2018 {
		rules = rulesAndObservation2018
	}
	r, obs, err := rules(in.Obs)
	if err != nil {
		return fmt.Errorf("obs%w", err)
	}
	if r.BoardSize = in.BoardSize; in.ViewSize != nil {
		r.ViewSize = *in.ViewSize
	}
	if in.Agent >= r.Seats() {
		return fmt.Errorf("agent is %d, want 0 to %d", in.Agent, r.Seats()-1)
	}
	if d.view, err = viewOf(r, obs, in.Agent); err != nil {
		return fmt.Errorf("obs.%w", err)
	}
	return nil
}

// rulesAndObservation returns the rules of the game in which an observation was made,
// and the observation.
func rulesAndObservation(obs json.RawMessage) (*pommerman.Rules, *pommerman.Observation, error) {
	o := new(pommerman.Observation)
	if err := saved.Decode(obs, o); err != nil {
		return nil, nil, fmt.Errorf(".%w", err)
	}
	if o.GameType < int(pommerman.FFA) || o.GameType > int(pommerman.OneVsOne) {
		return nil, nil, fmt.Errorf(".game_type is %d, want %d to %d", o.GameType, pommerman.FFA, pommerman.OneVsOne)
	}
	r := pommerman.Playground(pommerman.GameType(o.GameType))
	r.GameEnv = o.GameEnv
	return &r, o, nil
}

// rulesAndObservation2018 is those of an observation of 2018, in today's form. The observation does not say
// which game it was made in. But only games with radio have a message, and only games with teams a teammate.
func rulesAndObservation2018(obs json.RawMessage) (*pommerman.Rules, *pommerman.Observation, error) {
	var o observation2018
	if err := saved.Decode(obs, &o); err != nil {
		return nil, nil, fmt.Errorf(": %w", err)
	}
	r := pommerman.Rules2018(pommerman.FFA)
	switch {
	case o.Message != nil:
		r = pommerman.Rules2018(pommerman.TeamRadio)
	case o.Teammate != int(r.Dummy()):
		r = pommerman.Rules2018(pommerman.Team)
	}
	return &r, o.today(&r, nil, 0), nil
}

// mostRecent is how many cells an agent remembers.
const mostRecent = 6

// readMemory reads what an agent remembered in a game on a board of the given side.
func readMemory(name string, cells saved.Rows, heading, side int) (m simple.Memory, err error) {
	if len(cells) > mostRecent {
		return m, fmt.Errorf("%s has %d entries, want 0 to %d", name, len(cells), mostRecent)
	}
	for i, at := range cells {
		c := grid.At(at[0], at[1])
		if !c.OnBoard(side) {
			return m, fmt.Errorf("%s[%d] is %v, want a cell of the board", name, i, at)
		}
		m.Recent.Add(c)
	}
	m.Heading = grid.Dir(heading)
	return m, nil
}

// branches lists the rules of the agent.
var branches = []simple.Branch{
	simple.FleeAll4, simple.FleeSome, simple.BombEnemy, simple.Cornered, simple.TowardEnemy, simple.TowardPowerup,
	simple.BombWood, simple.StopAtWood, simple.TowardWood, simple.RandomWalk,
}

// checkDraws checks what the decision drew, and the rule by which it was made.
func (d *decision) checkDraws() error {
	if rest := strings.Trim(d.coins, "01"); rest != "" {
		return fmt.Errorf("coins has %q, want 0 and 1 only", rest)
	}
	if c := d.choice; c != nil && (len(c) != 2 || c[1] < 0 || c[1] >= c[0]) {
		return fmt.Errorf("choice is %v, want [n, k] with k from 0 to n-1, or null", c)
	}
	if !slices.Contains(branches, simple.Branch(d.branch)) {
		return fmt.Errorf("branch is %q, want one of %q", d.branch, branches)
	}
	return nil
}

// readOdds reads the actions that were possible, and how likely each was.
func (d *decision) readOdds(in *recordedDecision) error {
	byAction := map[string]float64{}
	var inOrder []float64
	to := any(&byAction)
	if d.of2018 {
		to = &inOrder
	}
	if err := json.Unmarshal(in.Probs, to); err != nil {
		return fmt.Errorf("probs: %w", err)
	}
	if d.of2018 && len(inOrder) != len(in.Possible) {
		return fmt.Errorf("probs is %s, want %d numbers, as many as possible has", in.Probs, len(in.Possible))
	}
	for i, a := range in.Possible {
		d.possible |= 1 << a
		if d.of2018 {
			byAction[strconv.Itoa(a)] = inOrder[i]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byAction)) {
		a, err := strconv.Atoi(key)
		if err != nil || a < 0 || a >= choices {
			return fmt.Errorf("probs has key %q, want an action, 0 to %d", key, choices-1)
		}
		if d.probs[a] = byAction[key]; d.probs[a] < 0 || d.probs[a] > 1 {
			return fmt.Errorf("probs of action %d is %v, want 0 to 1", a, d.probs[a])
		}
	}
	return nil
}
