package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/java"
	"pommego/env/record"
	"pommego/env/saved"
)

// Of the original's players there are records of their decisions, which are made again
// with its generator and seed, and of the values of its heuristics. Where a decision
// depends on the process that made it, it must be one of those possible.

// choices is how many moves there are.
const choices = int(pommerman.LayBomb) + 1

var (
	agentEntry = saved.Entry{Name: "agent", Columns: []saved.Column{saved.Col("agent", 0, pommerman.MaxAgents-1)}}
	decisions  = []saved.Entry{
		{Name: "format", Shape: saved.Text}, {Name: "player", Shape: saved.Text}, {Name: "seed", Shape: saved.JSON}, agentEntry,
		{Name: "config", Shape: saved.JSON}, {Name: "decisions", Shape: saved.JSON},
	}
	decision   = []saved.Entry{{Name: "obs", Shape: saved.JSON}, {Name: "action", Columns: []saved.Column{saved.Col("action", 0, choices-1)}}}
	heuristics = []saved.Entry{
		{Name: "format", Shape: saved.Text}, agentEntry, {Name: "config", Shape: saved.JSON},
		{Name: "root", Shape: saved.JSON}, {Name: "future", Shape: saved.JSON},
		{Name: "max_woods"}, {Name: "terminal", Shape: saved.Flag},
		{Name: "custom", Shape: saved.JSON}, {Name: "advanced", Shape: saved.JSON}, {Name: "win_score", Shape: saved.JSON}, {Name: "player_count", Shape: saved.JSON},
	}
	// computed is what is found of a future, from its root.
	computed = []saved.Entry{{Name: "max_woods"}, {Name: "terminal"}, {Name: "custom"}, {Name: "advanced"}, {Name: "win_score"}, {Name: "player_count"}}
)

// read reads an object of entries.
func read(text []byte, entries []saved.Entry) (saved.Values, error) {
	values, err := saved.Decode(text, entries)
	if err == nil {
		err = saved.CheckAll(entries, values)
	}
	return values, err
}

// observation reads an observation of the recorded agent.
func observation(values, in saved.Values, key string) (*observedJava, error) {
	o, err := readObservationJava(values["config"].(json.RawMessage), in[key].(json.RawMessage), values["agent"].(int))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return o, nil
}

func checkDecisions(line []byte) (record.Report, error) {
	values, err := read(line, decisions)
	if err != nil {
		return record.Report{}, fmt.Errorf("java: recorded decision: %w", err)
	}
	play, err := player(values["player"].(string))
	if err != nil {
		return record.Report{}, fmt.Errorf("java: recorded decision: %w", err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(values["decisions"].(json.RawMessage), &list); err != nil {
		return record.Report{}, fmt.Errorf("java: recorded decision: decisions: %w", err)
	}
	seed, err := javaSeed(values["seed"].(json.RawMessage))
	if err != nil {
		return record.Report{}, fmt.Errorf("java: recorded decision: %w", err)
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: len(list)}}}
	rng := newJavaRandom(seed)
	for i, text := range list {
		at := fmt.Sprintf("decisions[%d].", i)
		one, err := read(text, decision)
		if err != nil {
			return record.Report{}, fmt.Errorf("java: recorded decision: %s%w", at, err)
		}
		o, err := observation(values, one, "obs")
		if err != nil {
			return record.Report{}, fmt.Errorf("java: recorded decision: %s%w", at, err)
		}
		o.Compare(&c, at+"obs.")
		if could := play(o, rng); !could.has(one["action"].(int)) {
			c.Differs(at+"action", one["action"], could)
		}
	}
	return c.Report, nil
}

// moves is a set of moves, a bit for each.
type moves uint8

func (s moves) has(m int) bool { return s>>m&1 != 0 }

func (s moves) String() string {
	var list []string
	for m := range choices {
		if s.has(m) {
			list = append(list, strconv.Itoa(m))
		}
	}
	return strings.Join(list, " or ")
}

// player is a player of the original by the name that a record gives it: what it
// may play, decision by decision.
func player(name string) (func(o *observedJava, rng java.Generator) moves, error) {
	switch name {
	case "random":
		return func(_ *observedJava, rng java.Generator) moves { return 1 << rng.IntN(choices) }, nil
	case "donothing":
		return func(*observedJava, java.Generator) moves { return 1 << pommerman.Stop }, nil
	}
	bot, err := java.Roster.New(agentName(name))
	if err != nil {
		return nil, fmt.Errorf("player is %q, want osla, mcts:ITERATIONS:DEPTH, rhea:ITERATIONS:LENGTH, the last two perhaps with :adv, or simple, random or donothing", name)
	}
	return func(o *observedJava, rng java.Generator) moves {
		return moves(bot.(java.Player).Could(&o.View, o.Copy(), rng))
	}, nil
}

// agentName is the name of the built-in agent that plays as a player of the original
// does.
func agentName(player string) string {
	plain, advanced := strings.CutSuffix(player, ":adv")
	parts := strings.Split(plain, ":")
	far := map[string]string{"mcts": "depth", "rhea": "length"}[parts[0]]
	switch {
	case player == "osla" || player == "simple":
		return "java-" + player
	case len(parts) != 3 || far == "":
		return "none"
	}
	name := fmt.Sprintf("java-%s:iterations=%s,%s=%s", parts[0], parts[1], far, parts[2])
	if advanced {
		name += ",advanced=1"
	}
	return name
}

func checkHeuristics(line []byte) (record.Report, error) {
	values, err := read(line, heuristics)
	var root, future *observedJava
	if err == nil {
		root, err = observation(values, values, "root")
	}
	if err == nil {
		future, err = observation(values, values, "future")
	}
	if err != nil {
		return record.Report{}, fmt.Errorf("java: recorded values: %w", err)
	}
	for _, e := range computed[2:] {
		var x float64
		if err := json.Unmarshal(values[e.Name].(json.RawMessage), &x); err != nil {
			return record.Report{}, fmt.Errorf("java: recorded values: %s: %w", e.Name, err)
		}
		values[e.Name] = x
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Values: len(computed) - 2}}}
	root.Compare(&c, "root.")
	future.Compare(&c, "future.")
	c.Compare("", computed, values, compute(root, future))
	return c.Report, nil
}

// compute is the values of a future by all heuristics.
func compute(root, future *observedJava) saved.Values {
	r, seat := root.View.Rules, root.View.Seat
	found := saved.Values{"terminal": 0}
	if r.Result(future.Copy(), seat) != env.Incomplete {
		found["terminal"] = 1
	}
	for _, name := range []string{"custom", "advanced"} {
		found[name], found["max_woods"] = java.Score(r, seat, root.Copy(), future.Copy(), name == "advanced")
	}
	found["win_score"], found["player_count"] = winScore(r, future.Copy(), seat), playerCount(r, future.Copy(), seat)
	return found
}

// winScore is WinScoreHeuristic, which no agent of ours uses.
func winScore(r *pommerman.Rules, s *pommerman.State, seat int) float64 {
	switch r.Result(s, seat) {
	case env.Win:
		return 1
	case env.Loss:
		return -1
	case env.Tie:
		return 0.5
	}
	return 0
}

// playerCount is PlayerCountHeuristic, which no agent of ours uses.
func playerCount(r *pommerman.Rules, s *pommerman.State, seat int) float64 {
	if r.Result(s, seat) != env.Incomplete {
		return winScore(r, s, seat)
	}
	others := 0
	for other := range r.Seats() {
		if other != seat && s.Agents[other].Alive {
			others++
		}
	}
	return 1 / float64(others)
}
