package bridge

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Version is the version of the protocol that this package speaks.
const Version = 4

// Subprotocol is what a client must offer when it connects.
const Subprotocol = "pommego.v4+msgpack"

// maxID is the largest request number: all whole numbers up to it fit into a double exactly.
const maxID = 1<<53 - 1

// request is a message from a client, and what is known of it. Requests go to and fro
// between the reader and the worker, so that a step allocates nothing.
type request struct {
	buf    []byte // the message
	length int64  // the message's length; if it was too long, buf holds less
	held   int64  // bytes of the memory budget, for a long buf
	lacks  error  // why there was no memory for the message

	name  string // a key of requests
	id    uint64
	hasID bool

	posted    *environment // the environment of a step that was posted in shared memory
	simulates bool         // a message that was posted in shared memory, where only a simulation may be
}

// handler answers a request of one name.
type handler struct {
	name   string
	table  []field
	handle func(s *session, in *fields, id uint64) (reply, error)
}

// requests holds all requests by name.
var requests = map[string]*handler{}

func init() {
	register("hello", (*session).hello)
	register("envs", (*session).listEnvs)
	register("spaces", (*session).spaces)
	register("make", (*session).makeEnv)
	registerEnv("close", anyTime, (*session).closeEnv)
	registerEnv("attach", anyTime, (*session).attach)
	registerEnv("reset", anyTime, (*session).reset)
	registerEnv("step", together, (*session).step)
	registerEnv("observe", together, (*session).observe)
	registerEnv("send", oneByOne, (*session).sendGames)
	registerEnv("recv", oneByOne, (*session).recvGames)
	registerEnv("get_state", running, (*session).getState)
	registerEnv("set_state", together, (*session).setState)
	registerEnv("simulate", anyTime, (*session).simulate)
	registerEnv("set_opponents", anyTime, (*session).setOpponents)
	registerEnv("set_starts", anyTime, (*session).setStarts)
	registerEnv("render", running, (*session).render)
	registerEnv("show", anyTime, (*session).show)
}

// register adds a request: Q is the struct of its fields, and answer answers it.
func register[Q any](name string, answer func(*session, uint64, Q) (reply, error)) {
	table, room := tableOf(reflect.TypeFor[Q]()), sync.Pool{New: func() any { return new(Q) }}
	requests[name] = &handler{name: name, table: table, handle: func(s *session, in *fields, id uint64) (reply, error) {
		to := room.Get().(*Q) // reused, so that a step allocates nothing
		err := in.read(to, table)
		q := *to
		*to = *new(Q)
		room.Put(to)
		if err != nil {
			return reply{}, err
		}
		return answer(s, id, q)
	}}
}

// ofEnv is a request about an environment, which the field env names.
type ofEnv[Q any] struct {
	Env  uint64 `wire:"env,needed,1..9007199254740991"`
	Rest Q
}

// when is what a request needs of an environment.
type when uint8

const (
	anyTime  when = iota
	running       // all games have been reset
	together      // the same, and they step together
	oneByOne      // the same, and they step one by one: it has a batch size
)

// registerEnv adds a request about an environment.
func registerEnv[Q any](name string, needs when, answer func(*session, *environment, uint64, Q) (reply, error)) {
	register(name, func(s *session, id uint64, q ofEnv[Q]) (reply, error) {
		e, err := s.find(q.Env)
		if err == nil {
			err = e.want(needs)
		}
		if err != nil {
			return reply{}, err
		}
		return answer(s, e, id, q.Rest)
	})
}

// nothing is the struct of a request without further fields.
type nothing struct{}

// parse checks the message, and finds the request's number and handler. If it returns
// an error and hasID is set, it has found the number.
func (r *request) parse(in *fields) (*handler, error) {
	r.name, r.id, r.hasID = "", 0, false
	if err := in.start(r.buf); err != nil {
		return nil, err
	}
	hasID := in.seek("id")
	if hasID {
		r.id = in.number("id", 0, maxID)
		r.hasID = in.err == nil
	}
	var name []byte
	hasType := in.seek("type")
	if hasType {
		name = in.name("type")
	}
	switch {
	case in.err != nil:
		return nil, in.err
	case !hasID:
		return nil, fail(codeMissingField, "id", "number your requests", "the request has no id")
	case !hasType:
		return nil, fail(codeMissingField, "type", "", "the request has no type")
	}
	h := requests[string(name)]
	if h == nil {
		return nil, fail(codeUnknownType, "type", "", "unknown request %q, want one of %s", name,
			strings.Join(slices.Sorted(maps.Keys(requests)), ", "))
	}
	r.name, in.request = h.name, h.name
	if r.simulates && r.name != "simulate" {
		return nil, fail(codeUnknownType, "type", "send it through the socket",
			"%q was posted in shared memory, where only simulate can be", r.name)
	}
	return h, nil
}
