package openenv

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"pommego/arena/dialogue"
	"pommego/arena/orders"
	"pommego/bridge"
	"pommego/env"
)

// options is what a reset may say. All of it may be left out.
type options struct {
	Seed        *uint64         `json:"seed"`
	EpisodeID   *string         `json:"episode_id"`
	Env         string          `json:"env"`
	Seat        *int            `json:"seat"`
	Opponents   names           `json:"opponents"`
	Rules       json.RawMessage `json:"rules"`
	Detail      string          `json:"detail"`
	FrameTicks  int             `json:"frame_ticks"`
	WaitS       *float64        `json:"wait_s"`
	MoveTimeout *float64        `json:"move_timeout_s"`
	StandIn     string          `json:"stand_in"`
}

// The defaults. The times are below those for which OpenEnv's client waits.
const (
	usualEnv     = "OneVsOne-v0"
	usualAgent   = "simple"
	usualSeconds = 30
	mostSeconds  = 3600
	stops        = "stop" // in place of an agent: one that does nothing
)

// names is one name, or a list of them.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	if json.Unmarshal(text, (*[]string)(n)) != nil {
		return fmt.Errorf("opponents is %.100s, want the name of an agent or a list of names", text)
	}
	return nil
}

// decode reads JSON without unknown fields.
func decode(text []byte, v any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		return refuse(validation, "%v", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return refuse(validation, "there is more than one JSON value")
	}
	return nil
}

func readOptions(data []byte) (o options, err error) {
	if len(data) > 0 {
		err = decode(data, &o)
	}
	if err == nil {
		err = o.check()
	}
	return o, err
}

func (o *options) check() error {
	o.Env = env.ID(o.Env)
	if bytes.Equal(o.Rules, []byte("null")) {
		o.Rules = nil
	}
	switch {
	case o.EpisodeID != nil && (*o.EpisodeID == "" || len(*o.EpisodeID) > 255):
		return refuse(validation, "episode_id has %d bytes, want 1 to 255", len(*o.EpisodeID))
	case o.Seat != nil && *o.Seat < 0:
		return refuse(validation, "seat is %d, want 0 or more", *o.Seat)
	case o.Detail != "" && o.Detail != "image" && !slices.Contains(dialogue.Details, o.Detail):
		return refuse(validation, "detail is %q, want full, short, json or image", o.Detail)
	case o.FrameTicks < 0 || o.FrameTicks > orders.MostTicks:
		return refuse(validation, "frame_ticks is %d, want 1 to %d, or 0 for no limit", o.FrameTicks, orders.MostTicks)
	}
	for name, value := range map[string]*float64{"wait_s": o.WaitS, "move_timeout_s": o.MoveTimeout} {
		if value != nil && !(*value >= 0 && *value <= mostSeconds) {
			return refuse(validation, "%s is %v, want 0 to %d seconds", name, *value, mostSeconds)
		}
	}
	return nil
}

// complete fills in the defaults of a game that a reset makes.
func (o *options) complete(id string) {
	usual := float64(usualSeconds)
	o.Env, o.StandIn = cmp.Or(o.Env, usualEnv), cmp.Or(o.StandIn, usualAgent)
	o.Seed, o.EpisodeID = cmp.Or(o.Seed, new(rand.Uint64()>>11)), cmp.Or(o.EpisodeID, &id) // a float of others holds it
	o.WaitS, o.MoveTimeout = cmp.Or(o.WaitS, &usual), cmp.Or(o.MoveTimeout, &usual)
	o.Seat = cmp.Or(o.Seat, new(int))
}

// lineUp is who sits where in a game of so many seats, its own session's seat being open.
func (o *options) lineUp(seats int) ([]string, error) {
	if *o.Seat >= seats {
		return nil, refuse(validation, "seat is %d, and %s has %d", *o.Seat, o.Env, seats)
	}
	others := slices.Clone(o.Opponents)
	if len(others) == 0 {
		others = names{usualAgent}
	}
	if len(others) == 1 {
		others = slices.Repeat(others, seats-1)
	}
	if len(others) != seats-1 {
		return nil, refuse(validation, "opponents has %d names, want 1, or %d for the other seats of %s in their order",
			len(others), seats-1, o.Env)
	}
	return slices.Insert(others, *o.Seat, open), nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// newGame makes a game and its agents, within the server's limits.
func newGame(g *bridge.Guest, o options) (*game, error) {
	rules, err := g.Game(o.Env, o.Rules)
	if err != nil {
		return nil, refuse(factory, "%v", err)
	}
	spec := rules.Spec()
	line, err := o.lineUp(spec.Seats)
	if err != nil {
		return nil, err
	}
	made := &game{
		options: o, line: line, game: rules, begun: make(chan struct{}), match: rules.New(1)[0],
		tracker: rules.NewTrackers(1, true)[0], agents: make([]env.Agent, spec.Seats),
		standIns: make([]env.Agent, spec.Seats), seats: make([]*seat, spec.Seats),
		actions: make([]uint8, spec.Seats*len(spec.Actions)),
	}
	if made.talk, err = dialogue.New(spec, made.match); err != nil {
		return nil, refuse(factory, "%v", err)
	}
	for n, name := range line {
		to := &made.agents[n]
		if name == open {
			name, to = o.StandIn, &made.standIns[n]
		}
		if name == stops || to == &made.standIns[n] && places(line) == 1 {
			continue
		}
		if *to, err = g.Agent(rules, name); err != nil {
			return nil, refuse(factory, "%v", err)
		}
	}
	if made.release, err = g.Lease(o.Rules != nil, slices.Concat(made.agents, made.standIns)); err != nil {
		return nil, refuse(capacity, "%v", err)
	}
	return made, nil
}

// fits refuses a session that joins a game and wants another.
func (g *game) fits(o options) error {
	differs := func(name string, has, wants any) error {
		return refuse(session, "the game %s has %s %v, and this reset wants %v: leave it out to join the game",
			*g.options.EpisodeID, name, has, wants)
	}
	switch {
	case o.Env != "" && o.Env != g.options.Env:
		return differs("env", g.options.Env, o.Env)
	case o.Seed != nil && *o.Seed != *g.options.Seed:
		return differs("seed", *g.options.Seed, *o.Seed)
	case o.Rules != nil && !bytes.Equal(o.Rules, g.options.Rules):
		return differs("rules", string(g.options.Rules), string(o.Rules))
	case o.StandIn != "" && o.StandIn != g.options.StandIn:
		return differs("stand_in", g.options.StandIn, o.StandIn)
	}
	o.Env = g.options.Env
	if o.Opponents != nil && o.Seat != nil {
		line, err := o.lineUp(len(g.line))
		if err == nil && !slices.Equal(line, g.line) {
			err = differs("agents", g.line, line)
		}
		return err
	}
	return nil
}
