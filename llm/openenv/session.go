package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"pommego/bridge"
	"pommego/llm/orders"
)

// The codes of errors.
const (
	invalidJSON = "INVALID_JSON"
	unknownType = "UNKNOWN_TYPE"
	validation  = "VALIDATION_ERROR" // a message or an option is wrong
	execution   = "EXECUTION_ERROR"  // a step fails
	capacity    = "CAPACITY_REACHED" // a limit of the server is reached
	factory     = "FACTORY_ERROR"    // an id, rules or an agent is wrong
	session     = "SESSION_ERROR"    // a game cannot be joined
)

// refusal is the data of an error message.
type refusal struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

func (r *refusal) Error() string { return r.Message }

func refuse(code, format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), code}
}

// errNoGame is the error of a step or a look without a game.
var errNoGame = refuse(execution, "there is no game yet: reset first (new_game)")

// errFailed is the answer to a client after a panic.
var errFailed = refuse(execution, "the server failed: please report it")

// errLeft says that a request needs no answer: its client has gone.
var errLeft = errors.New("openenv: the client has gone")

// player is a session: a client that plays one game after the other.
type player struct {
	handler *Handler
	guest   *bridge.Guest

	mu    sync.Mutex // held while a request is answered
	game  *game      // nil: none yet
	seat  *seat
	steps int
	paid  float64
	over  bool // the end of the game has been sent
}

// message is a message of a client.
type message struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// end ends the session, after its guest has gone.
func (p *player) end() {
	p.mu.Lock() // waits for the last request
	defer p.mu.Unlock()
	p.leave()
}

// reply answers a message; nil if the client has gone. lacks is why the server has no memory for the message.
func (p *player) reply(text []byte, lacks error) (reply []byte) {
	defer func() {
		if v := recover(); v != nil {
			p.guest.Fault(v, debug.Stack())
			reply = failed(errFailed)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	if lacks != nil {
		return failed(refuse(capacity, "%v", lacks))
	}
	var m message
	if !json.Valid(text) {
		return failed(refuse(invalidJSON, "the message is not JSON"))
	}
	if err := decode(text, &m); err != nil {
		return failed(err)
	}
	kind, data, err := p.answer(p.guest.Context(), m)
	if err != nil {
		return failed(err)
	}
	return encode(map[string]any{"type": kind, "data": data})
}

func failed(err error) []byte {
	var r *refusal
	if !errors.As(err, &r) {
		return nil
	}
	return encode(map[string]any{"type": "error", "data": r})
}

// answer does what a message asks for, while ctx is not done.
func (p *player) answer(ctx context.Context, m message) (kind string, data any, err error) {
	switch m.Type {
	case "reset":
		data, err = p.useTool(ctx, "new_game", m.Data)
		return "observation", data, err
	case "step":
		var used struct { // the form of MCPToolClient
			Tool      string          `json:"tool_name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal(m.Data, &used); used.Tool == "" {
			data, err = p.useTool(ctx, "act", m.Data)
			return "observation", data, err
		}
		o, err := p.useTool(ctx, used.Tool, used.Arguments)
		o.Observation.Tool, o.Observation.Result = used.Tool, o.Observation.Text
		return "observation", o, err
	case "state":
		return "state", p.state(), nil
	case "close":
		p.guest.Close()
		return "", nil, errLeft
	case "mcp":
		var in rpc
		if json.Unmarshal(m.Data, &in) != nil {
			return "", nil, refuse(validation, "the data is %.100q, want a request of JSON-RPC", m.Data)
		}
		return "mcp", in.answer(ctx, p), nil
	}
	return "", nil, refuse(unknownType, "the type is %.100q, want reset, step, state, mcp or close", m.Type)
}

// readAction reads the action in the data of a step. An action that is not a string is read as its JSON: a model may
// answer with a list of words. If data itself is an answer in JSON, it is the action: some clients send what the
// model wrote. Of a long action it keeps only the part that orders reads.
func readAction(data []byte) (string, error) {
	var in map[string]json.RawMessage
	if err := decode(data, &in); err != nil {
		return "", err
	}
	delete(in, "metadata")
	action, text := in["action"], ""
	switch {
	case len(in) == 1 && action != nil:
	case orders.Object(orders.Read(string(data))) != "":
		action = data
	default:
		return "", refuse(validation, `the step has no action: want {"action": "the answer of the model"}`)
	}
	if json.Unmarshal(action, &text) != nil {
		text = string(action)
	}
	return orders.Read(text), nil
}

// reset begins a game, or joins one. The one under way goes on if the options are wrong or the other cannot be joined.
func (p *player) reset(o options) (observation, error) {
	g, s, err := p.enter(o)
	if err != nil {
		return observation{}, err
	}
	p.leave()
	p.game, p.seat, p.steps, p.paid, p.over = g, s, 0, 0, false
	return p.look(true, false), nil
}

// look is what the seat sees now. It gives no reward. With first it begins with the rules.
func (p *player) look(first, image bool) observation {
	g, s := p.game, p.seat
	g.mu.Lock()
	defer g.mu.Unlock()
	step, kept, talk := g.look(), *s, *s.Seat
	seen := g.observe(s, &step, first)
	if seen.Reward = nil; first {
		kept.turn, kept.prompt = s.turn, nil
	}
	*s, *s.Seat = kept, talk
	if image {
		seen.Observation.Image = s.image(&step)
	}
	return seen
}

// step plays an answer of the model, while ctx is not done.
func (p *player) step(ctx context.Context, text string) (observation, error) {
	switch {
	case p.game == nil:
		return observation{}, errNoGame
	case p.over:
		return observation{}, refuse(execution, "the game is over: reset (new_game) to begin another")
	}
	defer p.game.lease.Attend(ctx)()
	p.game.take(p.seat, text)
	p.steps++
	seen, err := p.wait(ctx)
	if err == nil {
		p.over, p.paid = seen.Done, p.paid+*seen.Reward
	}
	return seen, err
}

// wait waits for the reply to an answer. A seat that is out would wait until the game is over, so it
// gets a reply from time to time.
func (p *player) wait(ctx context.Context) (seen observation, err error) {
	patience := time.NewTicker(seconds(*p.game.options.MoveTimeout) + time.Second)
	defer patience.Stop()
	for err == nil {
		select {
		case seen = <-p.seat.replies:
			return seen, nil
		case <-patience.C:
			p.game.replyOut(p.seat)
		case <-p.game.failed:
			err = errFailed
		case <-ctx.Done():
			err = errLeft
		}
	}
	p.game.drop(p.seat)
	select {
	case seen = <-p.seat.replies: // the reply came at the last moment
		return seen, nil
	default:
		return seen, err
	}
}

// leave ends the session's part in its game.
func (p *player) leave() {
	if p.game == nil {
		return
	}
	if p.game.leave(p.seat) { // it was the last session: the game is over
		p.handler.games.CompareAndDelete(*p.game.options.EpisodeID, p.game)
	}
	p.game, p.seat = nil, nil
}

func (p *player) state() map[string]any {
	if p.game == nil {
		return map[string]any{"episode_id": nil, "step_count": p.steps}
	}
	g := p.game
	g.mu.Lock()
	defer g.mu.Unlock()
	return map[string]any{
		"episode_id": *g.options.EpisodeID, "step_count": p.steps, "env": g.game.Spec().ID, "seed": *g.options.Seed,
		"seat": p.seat.Number, "tick": g.match.Status().Steps, "done": p.seat.done, "counts": p.seat.Counts,
		"sessions": g.sessions, "reward": p.paid + p.seat.unpaid, "result": g.result(p.seat),
	}
}
