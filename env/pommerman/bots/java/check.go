package java

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// Formats has the formats of what is recorded of the original's players: their
// decisions, which are made again with its generator and seed, and the values of its
// heuristics. Where a decision depends on the process that made it, it must be one of
// those possible.
var Formats = []record.Format{
	{Name: "pommerman-java-decision/1", Check: checkDecisions},
	{Name: "pommerman-java-heuristic/1", Check: checkHeuristics},
}

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
func observation(values, in saved.Values, key string) (*pommerman.ObservedJava, error) {
	o, err := pommerman.ReadObservationJava(values["config"].(json.RawMessage), in[key].(json.RawMessage), values["agent"].(int))
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
	seed, err := pommerman.JavaSeed(values["seed"].(json.RawMessage))
	if err != nil {
		return record.Report{}, fmt.Errorf("java: recorded decision: %w", err)
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: len(list)}}}
	rng := javaRNG{pommerman.NewJavaRandom(seed)}
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
		if could := play(o, rng); !could.has(pommerman.Action(one["action"].(int))) {
			c.Differs(at+"action", one["action"], could)
		}
	}
	return c.Report, nil
}

func (s moves) has(m pommerman.Action) bool { return s>>m&1 != 0 }

func (s moves) String() string {
	var list []string
	for m := range choices {
		if s.has(pommerman.Action(m)) {
			list = append(list, strconv.Itoa(m))
		}
	}
	return strings.Join(list, " or ")
}

// player is a player of the original by the name that a record gives it: what it
// may play, decision by decision.
func player(name string) (func(o *pommerman.ObservedJava, rng generator) moves, error) {
	switch name {
	case "simple":
		var a simple
		return func(o *pommerman.ObservedJava, rng generator) moves {
			_, could := a.decide(&o.View, rng)
			return could
		}, nil
	case "random":
		return func(_ *pommerman.ObservedJava, rng generator) moves { return one(pommerman.Action(rng.IntN(choices))) }, nil
	case "donothing":
		return func(*pommerman.ObservedJava, generator) moves { return one(pommerman.Stop) }, nil
	}
	s, err := searcher(name)
	if err != nil {
		return nil, err
	}
	var m memory
	var p planner
	return func(o *pommerman.ObservedJava, rng generator) moves {
		p.root = *o.Copy()
		if !p.begin(o.View.Rules, o.View.Seat, &s, s.budget, rng) {
			return one(pommerman.Stop)
		}
		return one(p.decide(&m))
	}, nil
}

// searcher is how a player searches whose name is osla, mcts:ITERATIONS:DEPTH or
// rhea:ITERATIONS:LENGTH, the last two perhaps with :adv.
func searcher(name string) (settings, error) {
	plain, advanced := strings.CutSuffix(name, ":adv")
	parts := strings.Split(plain, ":")
	s := settings{advanced: advanced}
	if name == "osla" {
		return s, nil
	}
	if len(parts) == 3 {
		tries, err := strconv.Atoi(parts[1])
		far, also := strconv.Atoi(parts[2])
		switch {
		case err != nil || also != nil || tries < 1 || tries > 1e6 || far < 1 || far > len(member{}.moves):
		case parts[0] == "mcts":
			s.method, s.iterations, s.depth, s.c = treeSearch, tries, far, math.Sqrt2
			return s, nil
		case parts[0] == "rhea":
			s.method, s.iterations, s.length, s.mutation = evolution, tries, far, 0.5
			return s, nil
		}
	}
	return s, fmt.Errorf("player is %q, want osla, mcts:ITERATIONS:DEPTH, rhea:ITERATIONS:LENGTH, the last two perhaps with :adv, or simple, random or donothing", name)
}

func checkHeuristics(line []byte) (record.Report, error) {
	values, err := read(line, heuristics)
	var root, future *pommerman.ObservedJava
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
func compute(root, future *pommerman.ObservedJava) saved.Values {
	h := heuristic{rules: root.View.Rules, seat: root.View.Seat}
	found := saved.Values{"terminal": 0}
	if h.rules.Result(future.Copy(), h.seat) != env.Incomplete {
		found["terminal"] = 1
	}
	for _, name := range []string{"custom", "advanced"} {
		var m memory
		h.begin(root.Copy(), &m, name == "advanced", &ownRNG{})
		found[name], found["max_woods"] = h.value(future.Copy(), &ownRNG{}), int(m.wood)
	}
	found["win_score"], found["player_count"] = h.winScore(future.Copy()), h.playerCount(future.Copy())
	return found
}
