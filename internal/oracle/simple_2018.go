package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pommego/env/pommerman"
	"pommego/env/record"
)

// Recorded decisions of the SimpleAgent of 2018 leave out what its observations did not
// have, and list probabilities in the order of the possible actions. They are rewritten in
// today's form, with zeros for what is left out, and made again as today's are.

// checkDecision2018 makes a recorded decision again.
func checkDecision2018(line []byte) (record.Report, error) { return madeAgain(line, true) }

// madeAgain makes it again as the agent of 2018 or as today's.
func madeAgain(line []byte, of2018 bool) (record.Report, error) {
	var rec map[string]json.RawMessage
	var obs map[string]json.RawMessage
	var possible []int
	var probs []float64
	err := json.Unmarshal(line, &rec)
	for _, part := range []struct {
		key string
		to  any
	}{{"obs", &obs}, {"possible", &possible}, {"probs", &probs}} {
		if err == nil {
			if err = json.Unmarshal(rec[part.key], part.to); err != nil {
				err = fmt.Errorf("%s: %w", part.key, err)
			}
		}
	}
	if err == nil && len(probs) != len(possible) {
		err = fmt.Errorf("probs is %s, want %d numbers, as many as possible has", rec["probs"], len(possible))
	}
	if err == nil {
		err = completeObservation(obs)
	}
	if err != nil {
		return record.Report{}, fmt.Errorf("recorded decision: %w", err)
	}
	byAction := map[string]float64{}
	for i, a := range possible {
		byAction[strconv.Itoa(a)] = probs[i]
	}
	for key, v := range map[string]any{"format": decisionFormat, "obs": obs, "probs": byAction} {
		if rec[key], err = json.Marshal(v); err != nil {
			return record.Report{}, err
		}
	}
	text, err := json.Marshal(rec)
	if err != nil {
		return record.Report{}, err
	}
	return checkDecisionOf(text, of2018)
}

// completeObservation adds to an observation of 2018 what today's have besides. It does
// not say which game it was made in, but a message belongs to radio and a teammate to
// teams.
func completeObservation(obs map[string]json.RawMessage) error {
	var board string
	var teammate int
	if err := json.Unmarshal(obs["board"], &board); err != nil {
		return fmt.Errorf("obs: board: %w", err)
	}
	if err := json.Unmarshal(obs["teammate"], &teammate); err != nil {
		return fmt.Errorf("obs: teammate: %w", err)
	}
	r := pommerman.Rules2018(pommerman.FFA)
	kind := pommerman.FFA
	switch {
	case obs["message"] != nil:
		kind = pommerman.TeamRadio
	case teammate != int(r.Dummy()):
		kind = pommerman.Team
	}
	zeros := strings.Repeat("0", len(board))
	for key, v := range map[string]any{
		"bomb_moving_direction": zeros, "flame_life": zeros, "alive": []int{}, "game_type": int(kind), "game_env": "",
		"step_count": 0,
	} {
		if obs[key] != nil {
			return fmt.Errorf("obs: there is a key %q, which does not belong here", key)
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		obs[key] = text
	}
	return nil
}
