package simple

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
)

// decisionFormat is the value of "format" by which a recorded decision of the
// reference's SimpleAgent is known.
const decisionFormat = "pommerman-simple-agent/1"

// decisionEntries are the entries of a recorded decision.
var decisionEntries = []saved.Entry{
	{Name: "format", Shape: saved.Text},
	{Name: "variant", Shape: saved.JSON, Optional: true}, // information only, as the next two
	{Name: "seed", Shape: saved.JSON, Optional: true},
	{Name: "setup", Shape: saved.JSON, Optional: true},
	number("agent", pommerman.MaxAgents-1),
	{Name: "board_size", Columns: []saved.Column{saved.Col("", 7, grid.MaxSide)}},
	{Name: "view_size", Columns: number("", grid.MaxSide).Columns, Null: true}, // null: everything is in view
	{Name: "obs", Shape: saved.JSON},
	{Name: "recent", Shape: saved.Rows},
	number("prev_direction", int(grid.Right)),
	{Name: "coins", Shape: saved.Text},
	{Name: "choice", Shape: saved.Row, Null: true}, // n and what was drawn
	number("action", tactics.Choices-1),
	{Name: "branch", Shape: saved.Text},
	{Name: "recent_after", Shape: saved.Rows},
	number("prev_direction_after", int(grid.Right)),
	{Name: "possible", Shape: saved.Row, Most: tactics.Choices, Columns: number("", tactics.Choices-1).Columns},
	{Name: "probs", Shape: saved.JSON},
}

// number is the entry of a number from 0 to most.
func number(name string, most int) saved.Entry {
	return saved.Entry{Name: name, Columns: []saved.Column{saved.Col(name, 0, most)}}
}

// decision is a recorded decision, read and found to be one.
type decision struct {
	of2018        bool
	view          *pommerman.View
	before, after memory
	coins         string
	choice        []int // nil, or n and what was drawn
	action        pommerman.Action
	branch        string
	possible      [tactics.Choices]bool
	probs         [tactics.Choices]float64
}

// readDecision reads a recorded decision, one JSON object.
func readDecision(line []byte, of2018 bool) (*decision, error) {
	values, err := saved.Decode(line, decisionEntries)
	if err == nil {
		err = saved.CheckAll(decisionEntries, values)
	}
	if err != nil {
		return nil, err
	}
	if f := values["format"]; f != decisionFormat {
		return nil, fmt.Errorf("format is %q, want %q", f, decisionFormat)
	}
	d := &decision{
		of2018: of2018, coins: values["coins"].(string), branch: values["branch"].(string),
		action: pommerman.Action(values["action"].(int)),
	}
	d.choice, _ = values["choice"].([]int)
	for _, read := range []func(saved.Values) error{d.readView, d.readMemory, d.checkDraws, d.readOdds} {
		if err := read(values); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readView reads the observation.
func (d *decision) readView(values saved.Values) error {
	obs := values["obs"].(json.RawMessage)
	r, err := d.readRules(obs)
	if err != nil {
		return err
	}
	r.BoardSize = values["board_size"].(int)
	r.ViewSize, _ = values["view_size"].(int)
	agent := number("agent", r.Seats()-1)
	if err := agent.Check(values["agent"]); err != nil {
		return err
	}
	if d.view, err = r.ReadObservation(obs, values["agent"].(int)); err != nil {
		return fmt.Errorf("obs.%w", err)
	}
	return nil
}

// readRules is the rules of the game that an observation was made in.
func (d *decision) readRules(obs json.RawMessage) (*pommerman.Rules, error) {
	kind := struct {
		GameType int    `json:"game_type"`
		GameEnv  string `json:"game_env"`
	}{GameType: int(pommerman.FFA)} // that it is missing is seen when the rest is read
	if err := json.Unmarshal(obs, &kind); err != nil {
		return nil, fmt.Errorf("obs: %w", err)
	}
	game := number("obs.game_type", int(pommerman.OneVsOne))
	game.Columns[0].Min = int(pommerman.FFA)
	if err := game.Check(kind.GameType); err != nil {
		return nil, err
	}
	preset := pommerman.Playground
	if d.of2018 {
		preset = pommerman.Rules2018
	}
	r := preset(pommerman.GameType(kind.GameType))
	r.GameEnv = kind.GameEnv
	return &r, nil
}

func (d *decision) readMemory(values saved.Values) error {
	side := d.view.Rules.BoardSize
	for suffix, m := range map[string]*memory{"": &d.before, "_after": &d.after} {
		cells := values["recent"+suffix].([][]int)
		recent := saved.UpTo("recent"+suffix, len(m.recent), saved.Col("row", 0, side-1), saved.Col("col", 0, side-1))
		if err := recent.Check(cells); err != nil {
			return err
		}
		for i, at := range cells {
			m.recent[i] = grid.At(at[0], at[1])
		}
		m.count, m.heading = uint8(len(cells)), grid.Dir(values["prev_direction"+suffix].(int))
	}
	return nil
}

// checkDraws checks what the decision drew, and the rule it fell under.
func (d *decision) checkDraws(saved.Values) error {
	if rest := strings.Trim(d.coins, "01"); rest != "" {
		return fmt.Errorf("coins has %q, want 0 and 1 only", rest)
	}
	if c := d.choice; c != nil && (len(c) != 2 || c[1] < 0 || c[1] >= c[0]) {
		return fmt.Errorf("choice is %v, want [n, k] with k from 0 to n-1, or null", c)
	}
	if !slices.Contains(branchNames[:], d.branch) {
		return fmt.Errorf("branch is %q, want one of %q", d.branch, branchNames)
	}
	return nil
}

// readOdds reads the actions that were possible, and how likely each was.
func (d *decision) readOdds(values saved.Values) error {
	for _, a := range values["possible"].([]int) {
		d.possible[a] = true
	}
	text := values["probs"].(json.RawMessage)
	probs := map[string]float64{}
	if err := json.Unmarshal(text, &probs); err != nil {
		return fmt.Errorf("probs: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(probs)) {
		a, err := strconv.Atoi(key)
		if err != nil || a < 0 || a >= tactics.Choices {
			return fmt.Errorf("probs has key %q, want an action, 0 to %d", key, tactics.Choices-1)
		}
		if p := probs[key]; p < 0 || p > 1 {
			return fmt.Errorf("probs of action %d is %v, want 0 to 1", a, p)
		}
		d.probs[a] = probs[key]
	}
	return nil
}
