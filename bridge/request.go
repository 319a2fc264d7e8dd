package bridge

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
)

// Version is the protocol's version that this package speaks.
const Version = 1

// Subprotocol is what a client must offer when it connects.
const Subprotocol = "pommego.v1+msgpack"

// maxTile is the largest tile of a picture, in pixels.
const maxTile = 64

// maxID is the largest request number: what a double holds exactly.
const maxID = 1<<53 - 1

// request is one request, and the buffer it was read into: what it holds of
// texts, binaries and tensors are parts of that buffer. It is reused, so that
// a step costs no allocation.
type request struct {
	buf    []byte // the message
	length int64  // how long the message was; more than buf holds if it was too long

	name  string // one of the table's
	id    uint64
	hasID bool
	has   uint64 // bit k: field k of the request's list was given

	versions []uint64
	client   string

	envID       string
	rules       []byte // JSON
	count       int    // games to make
	observation string
	reward      string
	autoreset   string
	opponents   []string
	seats       []string
	seat        int
	onDeath     string
	maxSteps    int
	workers     int
	noop        bool
	compression string
	shared      int // frames to share

	env     uint64
	seed    uint64
	seeds   tensor
	mask    tensor
	actions tensor
	game    int
	games   []int
	json    bool
	colour  bool
	tile    int
	states  []savedState
}

// savedState is a state as it came: opaque, or as JSON text.
type savedState struct {
	data []byte
	json bool
}

// field is one field a request may have.
type field struct {
	name     string
	required bool
	read     func(d *decoder, r *request, name string) error
}

// requests are all there are, with their fields besides type and id.
var requests = map[string][]field{
	"hello": {
		{"versions", true, readVersions},
		{"client", true, textInto(func(r *request) *string { return &r.client })},
	},
	"envs":   {},
	"ping":   {},
	"spaces": {readEnvID, readRules},
	"make": {
		readEnvID, readRules,
		{"games", true, intInto(1, 1<<31-1, func(r *request) *int { return &r.count })},
		{"observation", false, textInto(func(r *request) *string { return &r.observation })},
		{"reward", false, textInto(func(r *request) *string { return &r.reward })},
		{"autoreset_mode", false, textInto(func(r *request) *string { return &r.autoreset })},
		{"opponents", false, textsInto(func(r *request) *[]string { return &r.opponents })},
		{"seats", false, textsInto(func(r *request) *[]string { return &r.seats })},
		{"seat", false, intInto(0, 255, func(r *request) *int { return &r.seat })},
		{"on_death", false, textInto(func(r *request) *string { return &r.onDeath })},
		{"max_episode_steps", false, intInto(0, 1<<31-1, func(r *request) *int { return &r.maxSteps })},
		{"workers", false, intInto(0, 1<<31-1, func(r *request) *int { return &r.workers })},
		{"compression", false, textInto(func(r *request) *string { return &r.compression })},
		{"noop", false, boolInto(func(r *request) *bool { return &r.noop })},
		{"shared_memory", false, intInto(2, 16, func(r *request) *int { return &r.shared })},
	},
	"reset": {
		readEnv, readSeed,
		{"seeds", false, tensorInto(env.Uint64, func(r *request) *tensor { return &r.seeds })},
		{"mask", false, tensorInto(env.Uint8, func(r *request) *tensor { return &r.mask })},
	},
	"attach":        {readEnv},
	"step":          {readEnv, readActions},
	"ring":          {readEnv},
	"observe":       {readEnv},
	"set_opponents": {readEnv, {"opponents", true, textsInto(func(r *request) *[]string { return &r.opponents })}},
	"get_state": {
		readEnv,
		{"games", false, readGames},
		{"json", false, boolInto(func(r *request) *bool { return &r.json })},
	},
	"set_state": {readEnv, {"games", true, readGames}, {"states", true, readStates}},
	"simulate":  {readEnv, readActions, readSeed, {"states", true, readStates}},
	"render": {
		readEnv,
		{"game", true, intInto(0, 1<<31-1, func(r *request) *int { return &r.game })},
		{"colour", false, boolInto(func(r *request) *bool { return &r.colour })},
		{"tile", false, intInto(4, maxTile, func(r *request) *int { return &r.tile })},
	},
	"close": {readEnv},
}

// The fields that several requests have.
var (
	readEnv = field{"env", true, func(d *decoder, r *request, name string) (err error) {
		r.env, err = d.uint(name, 1, maxID)
		return err
	}}
	readEnvID   = field{"env_id", true, textInto(func(r *request) *string { return &r.envID })}
	readActions = field{"actions", true, tensorInto(env.Uint8, func(r *request) *tensor { return &r.actions })}
	readSeed    = field{"seed", false, func(d *decoder, r *request, name string) (err error) {
		r.seed, err = d.uint(name, 0, 1<<64-1)
		return err
	}}
	readRules = field{"rules", false, func(d *decoder, r *request, name string) (err error) {
		if !isMap(d.code()) {
			return d.wrongType(name, "a map")
		}
		r.rules, err = d.appendJSON(nil, name)
		return err
	}}
)

// given tells whether an optional field was there.
func (r *request) given(name string) bool {
	k := slices.IndexFunc(requests[r.name], func(f field) bool { return f.name == name })
	return k >= 0 && r.has>>k&1 != 0
}

// parse checks the message in r.buf and reads it. On an error it has still
// found the request's number if hasID.
func (r *request) parse(c *checker, d *decoder) error {
	*r = request{buf: r.buf, length: r.length}
	if err := c.check(r.buf); err != nil {
		return err
	}
	if err := r.parseHead(c, d); err != nil {
		return err
	}
	fields := requests[r.name]
	for _, key := range c.fields {
		name := r.buf[key.from:key.to]
		if string(name) == "type" || string(name) == "id" {
			continue
		}
		k := slices.IndexFunc(fields, func(f field) bool { return f.name == string(name) })
		if k < 0 {
			return unknownField(r.name, string(name))
		}
		d.seek(r.buf, key.to)
		if d.isNil() {
			continue // counts as absent
		}
		if err := fields[k].read(d, r, fields[k].name); err != nil {
			return err
		}
		r.has |= 1 << k
	}
	for k, f := range fields {
		if f.required && r.has>>k&1 == 0 {
			return fail(CodeMissingField, f.name, "", "%s needs the field %s", r.name, f.name)
		}
	}
	return nil
}

// parseHead finds the request's type and number, wherever in the map they are.
func (r *request) parseHead(c *checker, d *decoder) error {
	var kind []byte
	var wrong error
	for _, key := range c.fields {
		var err error
		switch string(r.buf[key.from:key.to]) {
		case "id":
			d.seek(r.buf, key.to)
			r.id, err = d.uint("id", 0, maxID)
			r.hasID = err == nil
		case "type":
			d.seek(r.buf, key.to)
			kind, err = d.text("type", maxNameBytes)
		}
		if wrong == nil {
			wrong = err
		}
	}
	switch {
	case wrong != nil:
		return wrong
	case !r.hasID:
		return fail(CodeMissingField, "id", "number your requests", "the request has no id")
	case kind == nil:
		return fail(CodeMissingField, "type", "", "the request has no type")
	}
	if r.name = requestNames[string(kind)]; r.name == "" {
		return fail(CodeUnknownType, "type", "", "unknown request %q, want one of %s", kind, strings.Join(slices.Sorted(maps.Keys(requestNames)), ", "))
	}
	return nil
}

// requestNames holds each request's name once, so that looking one up by the
// bytes of a message does not allocate.
var requestNames = map[string]string{}

func init() {
	for name := range requests {
		requestNames[name] = name
	}
}

func unknownField(request, name string) error {
	known := []string{"type", "id"}
	for _, f := range requests[request] {
		known = append(known, f.name)
	}
	return fail(CodeUnknownField, name, "", "%s has no field %q, it has %s", request, name, strings.Join(known, ", "))
}

func intInto(least, most uint64, at func(*request) *int) func(*decoder, *request, string) error {
	return func(d *decoder, r *request, name string) error {
		n, err := d.uint(name, least, most)
		*at(r) = int(n)
		return err
	}
}

func boolInto(at func(*request) *bool) func(*decoder, *request, string) error {
	return func(d *decoder, r *request, name string) (err error) {
		*at(r), err = d.bool(name)
		return err
	}
}

func textInto(at func(*request) *string) func(*decoder, *request, string) error {
	return func(d *decoder, r *request, name string) error {
		b, err := d.text(name, maxNameBytes)
		*at(r) = string(b)
		return err
	}
}

func textsInto(at func(*request) *[]string) func(*decoder, *request, string) error {
	return func(d *decoder, r *request, name string) (err error) {
		*at(r), err = d.texts(name, 256)
		return err
	}
}

func tensorInto(dtype env.DType, at func(*request) *tensor) func(*decoder, *request, string) error {
	return func(d *decoder, r *request, name string) error { return d.tensor(name, dtype, at(r)) }
}

func readVersions(d *decoder, r *request, name string) error {
	n, err := d.array(name, "integers", 1, 16)
	if err != nil {
		return err
	}
	r.versions = make([]uint64, n)
	for i := range r.versions {
		if r.versions[i], err = d.uint(name, 0, 1<<64-1); err != nil {
			return err
		}
	}
	return nil
}

func readGames(d *decoder, r *request, name string) (err error) {
	r.games, err = d.indices(name)
	return err
}

// readStates reads states of either form.
func readStates(d *decoder, r *request, name string) error {
	n, err := d.array(name, "states", 1, maxElements)
	if err != nil {
		return err
	}
	r.states = make([]savedState, n)
	for i := range r.states {
		s := &r.states[i]
		switch code := d.code(); {
		case msgpcode.IsString(code):
			s.json = true
		case !msgpcode.IsBin(code):
			return d.wrongType(name, "binaries, or texts of JSON")
		}
		if s.data, err = d.bytes(); err != nil {
			return err
		}
	}
	return nil
}
