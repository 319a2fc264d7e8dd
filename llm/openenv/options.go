package openenv

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	random "math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"pommego/env"
	"pommego/env/record"
	"pommego/llm/orders"
	"pommego/llm/words"
)

// options are the fields of a reset. All are optional.
type options struct {
	Seed        *uint64         `json:"seed"`
	EpisodeID   *string         `json:"episode_id"`
	Env         string          `json:"env"`
	Seat        *int            `json:"seat"`
	Opponents   names           `json:"opponents"`
	Rules       json.RawMessage `json:"rules"`
	Detail      string          `json:"detail"`
	FrameTicks  int             `json:"frame_ticks"`
	Orders      *bool           `json:"orders"` // null: true
	Hints       *bool           `json:"hints"`
	Prompt      *string         `json:"system_prompt"`
	WaitS       *float64        `json:"wait_s"`
	MoveTimeout *float64        `json:"move_timeout_s"`
	StandIn     string          `json:"stand_in"`
}

// The defaults. OpenEnv's client waits longer than these times.
const (
	usualEnv     = "OneVsOne-v0"
	usualAgent   = "simple"
	usualSeconds = 30
	mostSeconds  = 3600
	leastName    = 26     // least bytes of a name that opens a game to others: as many as crypto/rand.Text draws
	stops        = "stop" // the name of an agent that does nothing
)

// names is one name, or a list of them.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one *string
	if json.Unmarshal(text, &one) == nil {
		if one != nil { // null is the default
			*n = names{*one}
		}
		return nil
	}
	if json.Unmarshal(text, (*[]string)(n)) != nil {
		return fmt.Errorf("opponents is %.100s, want the name of an agent or a list of names", text)
	}
	return nil
}

// kinds are the kinds of fields, in words.
var kinds = map[reflect.Kind]string{reflect.Uint64: "a whole number from 0 to 2^64 - 1", reflect.Int: "a whole number",
	reflect.Float64: "a number", reflect.String: "a text", reflect.Bool: "true or false", reflect.Struct: "an object",
	reflect.Map: "an object"}

// decode reads one JSON value, {} if there is none, without unknown fields.
func decode(text []byte, v any) error {
	if len(text) == 0 {
		text = []byte("{}")
	}
	if !json.Valid(text) {
		return refuse(validation, "it is %.100q, want one JSON value", text)
	}
	in, wrong := json.NewDecoder(bytes.NewReader(text)), new(json.UnmarshalTypeError)
	in.DisallowUnknownFields()
	if err := in.Decode(v); errors.As(err, &wrong) {
		var given map[string]json.RawMessage // nil if it is no object
		json.Unmarshal(text, &given)
		return refuse(validation, "%s is %.100s, want %s", cmp.Or(wrong.Field, "it"),
			cmp.Or(string(given[wrong.Field]), string(text)), kinds[wrong.Type.Kind()])
	} else if name, unknown := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); unknown {
		var known []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v).Elem()) {
			known = append(known, f.Tag.Get("json"))
		}
		return refuse(validation, "there is no %.100s, want one of %s", name, strings.Join(known, ", "))
	} else if err != nil {
		return refuse(validation, "%v", err)
	}
	return nil
}

func readOptions(data []byte) (o options, err error) {
	if len(data) > mostBody {
		return o, refuse(validation, "the reset has %d bytes, want at most %d", len(data), mostBody)
	}
	if err = decode(data, &o); err == nil {
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
	case o.EpisodeID != nil && len(*o.EpisodeID) < leastName && slices.Contains(o.Opponents, open):
		return refuse(validation, "episode_id has %d bytes: who knows it may join the game, so want %d random ones "+
			"or more, or none, and the session's state has one", len(*o.EpisodeID), leastName)
	case o.Seat != nil && *o.Seat < 0:
		return refuse(validation, "seat is %d, want 0 or more", *o.Seat)
	case o.Detail != "" && !slices.Contains(words.Details, o.Detail):
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
func (o *options) complete() {
	usual, id := float64(usualSeconds), rand.Text()
	o.Env, o.StandIn = cmp.Or(o.Env, usualEnv), cmp.Or(o.StandIn, usualAgent)
	o.Seed, o.EpisodeID = cmp.Or(o.Seed, new(random.Uint64()>>11)), cmp.Or(o.EpisodeID, &id) // a float can hold it
	o.WaitS, o.MoveTimeout = cmp.Or(o.WaitS, &usual), cmp.Or(o.MoveTimeout, &usual)
	o.Seat = cmp.Or(o.Seat, new(int))
}

// lineUp lists the players of a game by seat. The seat of the session itself is open.
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
func (p *player) newGame(o options) (*game, error) {
	g := p.guest
	o.complete()
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
		rules: sha256.Sum256(o.Rules), line: line, game: rules, match: rules.New(1)[0],
		tracker: rules.NewTrackers(1, true)[0], agents: make([]env.Agent, spec.Seats), seats: make([]*seat, spec.Seats),
		actions: make([]uint8, spec.Seats*len(spec.Actions)), waited: -1, fault: g.Fault, failed: make(chan struct{}),
	}
	made.words = words.New(rules, spec, made.match)
	for n, name := range line {
		if name == open {
			name = o.StandIn
		}
		if name == stops || line[n] == open && places(line) == 1 { // a game ends with its only session
			continue
		}
		if made.agents[n], err = g.Agent(rules, name); err != nil {
			return nil, refuse(factory, "%v", err)
		}
	}
	p.leave() // all that could be wrong is right
	if made.lease, err = g.Lease(o.Rules != nil, made.agents); err != nil {
		return nil, refuse(capacity, "%v", err)
	}
	if o.Rules, o.Opponents, o.Prompt = nil, nil, nil; places(line) == 1 {
		o.StandIn = "" // nobody has looked at it
	}
	made.options = o
	seed := env.Seed{Value: *o.Seed}
	made.match.Reset(seed)
	made.tracker.Begin(made.match)
	made.record = p.handler.Dialogues.Begin(rules, made.match, record.Info{EnvID: spec.ID, Seed: seed.Value,
		Note: "episode_id " + *o.EpisodeID, Policies: line})
	return made, nil
}

// fits reports whether the options of a session that joins in a seat match those of the game.
func (g *game) fits(o options, seat int) bool {
	has := &g.options
	if o.Env != "" && o.Env != has.Env || o.Seed != nil && *o.Seed != *has.Seed ||
		o.Rules != nil && sha256.Sum256(o.Rules) != g.rules || o.StandIn != "" && o.StandIn != has.StandIn {
		return false
	}
	if *cmp.Or(o.WaitS, has.WaitS) != *has.WaitS || *cmp.Or(o.MoveTimeout, has.MoveTimeout) != *has.MoveTimeout {
		return false
	}
	o.Env, o.Seat = has.Env, &seat
	if o.Opponents == nil {
		return true
	}
	line, err := o.lineUp(len(g.line))
	return err == nil && slices.Equal(line, g.line)
}
