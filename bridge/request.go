package bridge

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Version is the protocol's version that this package speaks.
const Version = 4

// Subprotocol is what a client must offer when it connects.
const Subprotocol = "pommego.v4+msgpack"

// maxID is the largest request number: what a double holds exactly.
const maxID = 1<<53 - 1

// request is a message that a client has sent, and what is known of it. It goes
// round between the reader and the worker, so that a step costs no allocation.
type request struct {
	buf    []byte // the message
	length int64  // how long the message was; more than buf holds if it was too long
	held   int64  // of the memory budget, for a long buf
	lacks  error  // why there was no memory for the message

	name  string // one of the table's
	id    uint64
	hasID bool

	posted    *environment // of a step that was posted in shared memory
	simulates bool         // a message that was posted there, where only a simulation may be
}

// handler answers a request of one name.
type handler struct {
	name   string
	table  []field
	handle func(s *session, in *fields, id uint64) (reply, error)
	posted func(s *session, e *environment, id uint64) (reply, error) // what lies in the channel of e; nil: never there
}

// requests are all there are. Each file that answers one registers it here.
var requests = map[string]*handler{}

// register adds a request: the struct with its fields, and what answers it.
func register[Q any](name string, answer func(*session, uint64, Q) (reply, error)) {
	if requests[name] != nil {
		panic("bridge: two requests are called " + name)
	}
	table, room := tableOf(reflect.TypeFor[Q]()), sync.Pool{New: func() any { return new(Q) }}
	requests[name] = &handler{name: name, table: table, handle: func(s *session, in *fields, id uint64) (reply, error) {
		to := room.Get().(*Q) // which takes no memory of its own for each step
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

// ofEnv is a request about an environment, which it names by the field env.
type ofEnv[Q any] struct {
	Env  uint64 `wire:"env,needed,1..9007199254740991"`
	Rest Q
}

// registerEnv adds a request about an environment. running: all of the
// environment's games must have been reset.
func registerEnv[Q any](name string, running bool, answer func(*session, *environment, uint64, Q) (reply, error)) {
	register(name, func(s *session, id uint64, q ofEnv[Q]) (reply, error) {
		e, err := s.find(q.Env)
		if err == nil && running {
			err = e.wantRunning()
		}
		if err != nil {
			return reply{}, err
		}
		return answer(s, e, id, q.Rest)
	})
}

// nothing is the struct of a request without further fields.
type nothing struct{}

// parse checks the message and finds the request's number and handler. On an
// error it has still found the number if hasID.
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
			"%q is posted in shared memory, where only simulate can be", r.name)
	}
	return h, nil
}
