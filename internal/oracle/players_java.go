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

// There are records of decisions of the original's players, which a check makes again
// with its generator and seed, and records of the values of its heuristics. Where a
// decision depends on the process that made it, it must be one of those possible.

// choices is how many moves there are.
const choices = int(pommerman.LayBomb) + 1

// decisionsJava is a record of decisions.
type decisionsJava struct {
	Format    string            `json:"format"`
	Player    string            `json:"player"`
	Seed      json.RawMessage   `json:"seed"`
	Agent     int               `json:"agent"`
	Config    json.RawMessage   `json:"config"`
	Decisions []json.RawMessage `json:"decisions"`
}

// decisionJava is one recorded decision.
type decisionJava struct {
	Obs    json.RawMessage `json:"obs"`
	Action int             `json:"action"`
}

// heuristicsJava is a record of the values of a state, the future, seen from a root.
type heuristicsJava struct {
	Format string          `json:"format"`
	Agent  int             `json:"agent"`
	Config json.RawMessage `json:"config"`
	Root   json.RawMessage `json:"root"`
	Future json.RawMessage `json:"future"`
	valuesJava
}

type valuesJava struct {
	MaxWoods    int        `json:"max_woods"`
	Terminal    saved.Flag `json:"terminal"`
	Custom      float64    `json:"custom"`
	Advanced    float64    `json:"advanced"`
	WinScore    float64    `json:"win_score"`
	PlayerCount float64    `json:"player_count"`
}

// read reads a JSON object.
func read(text []byte, to any) error {
	err := saved.Decode(text, to)
	if err == nil {
		err = decisionShape.Check(to)
	}
	return err
}

func checkDecisions(line []byte) (record.Report, error) {
	report, err := madeAgainJava(line)
	if err != nil {
		err = fmt.Errorf("recorded decision: %w", err)
	}
	return report, err
}

func madeAgainJava(line []byte) (record.Report, error) {
	var in decisionsJava
	if err := read(line, &in); err != nil {
		return record.Report{}, err
	}
	play, err := player(in.Player)
	if err != nil {
		return record.Report{}, err
	}
	seed, err := javaSeed(in.Seed)
	if err != nil {
		return record.Report{}, err
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: len(in.Decisions)}}}
	rng := newJavaRandom(seed)
	for i, text := range in.Decisions {
		at := fmt.Sprintf("decisions[%d].", i)
		var one decisionJava
		if err := read(text, &one); err != nil {
			return record.Report{}, fmt.Errorf("%s%w", at, err)
		}
		o, err := readObservationJava(in.Config, one.Obs, in.Agent)
		if err != nil {
			return record.Report{}, fmt.Errorf("%s%w", at, err)
		}
		o.Compare(&c, at+"obs.")
		if could := play(o, rng); !could.has(one.Action) {
			c.Differs(at+"action", one.Action, could)
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

// player returns, for the name that a record gives a player of the original, a function
// that returns what that player may play in a decision.
func player(name string) (func(o *observedJava, rng java.Generator) moves, error) {
	switch name {
	case "random":
		return func(_ *observedJava, rng java.Generator) moves { return 1 << rng.IntN(choices) }, nil
	case "donothing":
		return func(*observedJava, java.Generator) moves { return 1 << pommerman.Stop }, nil
	}
	bot, err := java.Roster.New(agentName(name))
	if err != nil {
		return nil, fmt.Errorf("player is %q, want osla, mcts:ITERATIONS:DEPTH, rhea:ITERATIONS:LENGTH, the last two "+
			"perhaps with :adv, or simple, random or donothing", name)
	}
	return func(o *observedJava, rng java.Generator) moves {
		return moves(bot.(java.Replayable).Could(&o.View, o.Copy(), rng))
	}, nil
}

// agentName returns the name of the built-in agent that plays like a player of the
// original.
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
	var in heuristicsJava
	var root, future *observedJava
	err := read(line, &in)
	for _, part := range []struct {
		name string
		obs  *json.RawMessage
		to   **observedJava
	}{{"root", &in.Root, &root}, {"future", &in.Future, &future}} {
		if err == nil {
			if *part.to, err = readObservationJava(in.Config, *part.obs, in.Agent); err != nil {
				err = fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	if err != nil {
		return record.Report{}, fmt.Errorf("recorded values: %w", err)
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: 4}}}
	root.Compare(&c, "root.")
	future.Compare(&c, "future.")
	c.Compare("", &decisionShape, &in.valuesJava, compute(root, future))
	return c.Report, nil
}

// compute returns the values of a future by all heuristics.
func compute(root, future *observedJava) *valuesJava {
	r, seat := root.View.Rules, root.View.Seat
	v := &valuesJava{
		Terminal: r.Result(future.Copy(), seat) != env.Incomplete,
		WinScore: winScore(r, future.Copy(), seat), PlayerCount: playerCount(r, future.Copy(), seat),
	}
	v.Custom, v.MaxWoods = java.Score(r, seat, root.Copy(), future.Copy(), false)
	v.Advanced, v.MaxWoods = java.Score(r, seat, root.Copy(), future.Copy(), true)
	return v
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
	return 1 / float64(s.Living().Without(seat).Len())
}
