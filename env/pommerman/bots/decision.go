package bots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"pommego/env/grid"
	"pommego/env/pommerman"
)

// DecisionFormat is the value of "format" by which a recorded decision of the
// reference's SimpleAgent is known.
const DecisionFormat = "pommerman-simple-agent/1"

// recordedDecision is one decision, as it is written down.
type recordedDecision struct {
	Format        string             `json:"format"`
	Agent         int                `json:"agent"`
	BoardSize     int                `json:"board_size"`
	ViewSize      *int               `json:"view_size"` // null: everything is in view
	Obs           json.RawMessage    `json:"obs"`
	Recent        [][]int            `json:"recent"`
	PrevDirection int                `json:"prev_direction"`
	Coins         string             `json:"coins"`
	Choice        []int              `json:"choice"` // n and what was drawn, or null
	Action        int                `json:"action"`
	Branch        string             `json:"branch"`
	RecentAfter   [][]int            `json:"recent_after"`
	PrevAfter     int                `json:"prev_direction_after"`
	Possible      []int              `json:"possible"`
	Probs         map[string]float64 `json:"probs"`
}

// recordKeys are the keys a record must have; those in nullKeys may be null.
var (
	recordKeys = []string{
		"format", "agent", "board_size", "view_size", "obs", "recent", "prev_direction", "coins", "choice",
		"action", "branch", "recent_after", "prev_direction_after", "possible", "probs",
	}
	nullKeys = []string{"view_size", "choice"}
)

// decision is a recorded decision, read and found to be one.
type decision struct {
	view          *pommerman.View
	before, after memory
	coins         string
	choice        []int // nil, or n and what was drawn
	action        pommerman.Action
	branch        string
	possible      [choices]bool
	probs         [choices]float64
}

// unmarshal reads a JSON object into value and insists on the keys required.
func unmarshal(line []byte, value any, required []string) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		return err
	}
	for _, key := range required {
		text, ok := keys[key]
		if !ok {
			return fmt.Errorf("key %q is missing", key)
		}
		if string(text) == "null" && !slices.Contains(nullKeys, key) {
			return fmt.Errorf("key %q is null, want a value", key)
		}
	}
	return json.Unmarshal(line, value)
}

// readDecision reads a recorded decision, one JSON object.
func readDecision(line []byte) (*decision, error) {
	var rec recordedDecision
	var obs observation
	if err := unmarshal(bytes.TrimSpace(line), &rec, recordKeys); err != nil {
		return nil, err
	}
	if rec.Format != DecisionFormat {
		return nil, fmt.Errorf("format is %q, want %q", rec.Format, DecisionFormat)
	}
	if err := unmarshal(rec.Obs, &obs, observationKeys); err != nil {
		return nil, fmt.Errorf("obs: %w", err)
	}
	viewSize := 0
	if rec.ViewSize != nil {
		viewSize = *rec.ViewSize
	}
	rules, err := obs.rules(rec.BoardSize, viewSize)
	if err != nil {
		return nil, err
	}
	d := &decision{coins: rec.Coins, choice: rec.Choice, branch: rec.Branch}
	if d.view, err = obs.view(rules, rec.Agent); err != nil {
		return nil, err
	}
	for _, read := range []func(*recordedDecision) error{d.readMemory, d.readDraws, d.readOutcome, d.readOdds} {
		if err := read(&rec); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *decision) readMemory(rec *recordedDecision) (err error) {
	side := d.view.Rules.BoardSize
	if d.before, err = readMemory("", rec.Recent, rec.PrevDirection, side); err != nil {
		return err
	}
	d.after, err = readMemory("_after", rec.RecentAfter, rec.PrevAfter, side)
	return err
}

func readMemory(suffix string, recent [][]int, heading, side int) (m memory, err error) {
	if len(recent) > len(m.recent) {
		return m, fmt.Errorf("recent%s has %d cells, want up to %d", suffix, len(recent), len(m.recent))
	}
	for i, pair := range recent {
		if m.recent[i], err = readCell("recent"+suffix, pair, side); err != nil {
			return m, err
		}
	}
	m.count = uint8(len(recent))
	m.heading = grid.Dir(heading)
	return m, within("prev_direction"+suffix, heading, 0, int(grid.Right))
}

func (d *decision) readDraws(rec *recordedDecision) error {
	for i := range len(rec.Coins) {
		if ch := rec.Coins[i]; ch != '0' && ch != '1' {
			return fmt.Errorf("coins has %q, want 0 and 1 only", ch)
		}
	}
	if c := rec.Choice; c != nil && (len(c) != 2 || c[1] < 0 || c[1] >= c[0]) {
		return fmt.Errorf("choice is %v, want [n, k] with k from 0 to n-1, or null", c)
	}
	return nil
}

func (d *decision) readOutcome(rec *recordedDecision) error {
	if err := within("action", rec.Action, 0, choices-1); err != nil {
		return err
	}
	if !slices.Contains(branchNames[:], rec.Branch) {
		return fmt.Errorf("branch is %q, want one of %q", rec.Branch, branchNames)
	}
	d.action = pommerman.Action(rec.Action)
	return nil
}

func (d *decision) readOdds(rec *recordedDecision) error {
	for _, a := range rec.Possible {
		if err := within("possible", a, 0, choices-1); err != nil {
			return err
		}
		d.possible[a] = true
	}
	for _, key := range slices.Sorted(maps.Keys(rec.Probs)) {
		a, err := strconv.Atoi(key)
		if err != nil || a < 0 || a >= choices {
			return fmt.Errorf("probs has key %q, want an action, 0 to %d", key, choices-1)
		}
		if p := rec.Probs[key]; p < 0 || p > 1 {
			return fmt.Errorf("probs of action %d is %v, want 0 to 1", a, p)
		}
		d.probs[a] = rec.Probs[key]
	}
	return nil
}
