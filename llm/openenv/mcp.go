package openenv

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
)

// toolsPath is the path of the tools over HTTP. A session there ends toolsIdle after a call, toolsRoom if others wait.
const toolsPath, toolsIdle, toolsRoom = "/mcp", 30 * time.Minute, time.Minute

// described describes the tools for models.
//
//go:embed tools.json
var described []byte

// callHeader is the header for a call's key in Handler.calls.
const callHeader = "Pommego-Call"

// playerKey is the key of a session's player in the context of its calls.
type playerKey struct{}

// newTools makes the MCP server with the tools.
func newTools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ServerOptions{
		Instructions: "Call new_game, then act until there is a result.",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	var all []*mcp.Tool
	if err := json.Unmarshal(described, &all); err != nil {
		panic(err)
	}
	for _, tool := range all {
		s.AddTool(tool, func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			p := ctx.Value(playerKey{}).(*player)
			ctx, end := context.WithCancel(ctx)
			defer end()
			defer context.AfterFunc(p.guest.Context(), end)()
			if call.Extra != nil { // over HTTP a session outlasts its requests
				caller, ok := p.handler.calls.Load(call.Extra.Header.Get(callHeader))
				if !ok {
					return nil, errLeft
				}
				defer context.AfterFunc(caller.(context.Context), end)()
			}
			return p.call(ctx, tool.Name, call.Params.Arguments), nil
		})
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			session := r.GetSession().(*mcp.ServerSession)
			if method == "initialize" && session.ID() != "" && session.InitializeParams() == nil { // a new session over HTTP
				if err := ctx.Value(playerKey{}).(*player).keep(session); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, r)
		}
	})
	return s
}

// newStreams serves tools over HTTP. bridge has checked the token and the host.
func newStreams(tools *mcp.Server, idle time.Duration) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools },
		&mcp.StreamableHTTPOptions{JSONResponse: true, SessionTimeout: idle, DisableLocalhostProtection: true})
}

// call calls a tool. The result has the text, the metadata and the picture, if there is one.
func (p *player) call(ctx context.Context, tool string, arguments []byte) (result *mcp.CallToolResult) {
	result = new(mcp.CallToolResult)
	defer func() {
		if v := recover(); v != nil {
			p.guest.Fault(v, debug.Stack())
			result.SetError(errFailed)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	o, err := p.useTool(ctx, tool, arguments)
	if err != nil {
		result.SetError(err)
		return result
	}
	result.Content = o.contents()
	return result
}

// contents is what a tool returns of an observation.
func (o *observation) contents() []mcp.Content {
	all := []mcp.Content{&mcp.TextContent{Text: o.Observation.Text},
		&mcp.TextContent{Text: string(encode(o.Observation.Metadata))}}
	if i := o.Observation.Image; i != nil {
		all = append(all, &mcp.ImageContent{Data: i.Data, MIMEType: i.MediaType})
	}
	return all
}

// useTool runs a tool, for steps and resets, too. mu is held.
func (p *player) useTool(ctx context.Context, tool string, arguments []byte) (o observation, err error) {
	switch tool {
	case "new_game":
		wanted, err := readOptions(arguments)
		if err != nil {
			return o, err
		}
		return p.reset(wanted)
	case "act":
		text, err := readAction(arguments)
		if err != nil {
			return o, err
		}
		return p.step(ctx, text)
	}
	var in struct {
		Image bool `json:"image"`
	}
	if err = decode(arguments, &in); err == nil && p.game == nil {
		err = errNoGame
	}
	if err != nil {
		return o, err
	}
	switch o = p.look(false, in.Image); tool {
	case "look":
	case "result":
		o.Observation.Text = string(encode(p.state()))
	default:
		return o, refuse(validation, "there is no tool %.100q, want new_game, look, act or result", tool)
	}
	return o, nil
}

// keep keeps a session after the request that began it, until either side ends it.
func (p *player) keep(s *mcp.ServerSession) error {
	kept, err := p.guest.Keep(s.ID(), p.handler.idle, func() {
		s.Close()
		p.end()
	})
	if err != nil {
		return err
	}
	p.guest = kept
	go func() {
		s.Wait() // the error does not matter
		kept.Close()
	}()
	return nil
}

// rpc is a request of OpenEnv's MCPToolClient. That client begins no MCP session. It asks for a session_id and opens a
// socket under it. Its calls use the session of that socket, which ends with the socket.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Session   string          `json:"session_id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// answer answers a request. p is its session, whose mu is held; nil if there is none.
func (r *rpc) answer(ctx context.Context, p *player) map[string]any {
	answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
	fail := func(code int, message string) { answer["error"] = map[string]any{"code": code, "message": message} }
	switch {
	case r.Method == "openenv/session/create":
		answer["result"] = map[string]any{"session_id": rand.Text()}
	case r.Method == "openenv/session/close":
		answer["result"] = map[string]any{"session_id": r.Params.Session, "closed": true}
	case r.Method == "tools/list":
		answer["result"] = map[string]any{"tools": json.RawMessage(described)}
	case r.Method != "tools/call":
		fail(-32601, fmt.Sprintf("the method is %.100q, want tools/list, tools/call, openenv/session/create or "+
			"openenv/session/close", r.Method))
	case p == nil || p.guest.Context().Err() != nil:
		fail(-32602, "no session with this session_id is connected to "+socketPath+": connect the client first")
	default:
		if o, err := p.useTool(ctx, r.Params.Name, r.Params.Arguments); err != nil {
			fail(-32000, err.Error())
		} else {
			answer["result"] = map[string]any{"data": o.Observation.Text, "content": o.contents()}
		}
	}
	return answer
}

// serveTools answers a request to toolsPath.
func (h *Handler) serveTools(g *bridge.Guest, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // bridge has read it, so there is no error
	// Old versions of MCP have batches: one could hold hundreds of calls, whose answers no account has.
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		reply(w, http.StatusBadRequest, map[string]string{"detail": "a batch is not answered: send one request at a time"})
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var in rpc
	json.Unmarshal(body, &in) // the library answers invalid requests, except {}, which OpenEnv's checker sends
	if in.Params.Session != "" || strings.HasPrefix(in.Method, "openenv/") || string(body) == "{}" {
		found, _ := h.sessions.Load(in.Params.Session)
		p, there := found.(*player)
		ctx, end := context.WithCancel(r.Context())
		defer end()
		if there {
			p.mu.Lock()
			defer p.mu.Unlock()
			defer context.AfterFunc(p.guest.Context(), end)()
		}
		reply(w, http.StatusOK, in.answer(ctx, p))
		return
	}
	p, call := &player{handler: h, guest: g}, rand.Text()
	r.Header.Set(callHeader, call)
	h.calls.Store(call, r.Context())
	defer h.calls.Delete(call)
	h.streams.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), playerKey{}, p)))
}

// Converse serves the tools to one client over a pair of streams, until the client closes its own.
func (h *Handler) Converse(ctx context.Context, g *bridge.Guest, in io.ReadCloser, out io.WriteCloser) error {
	p := &player{handler: h, guest: g}
	defer p.end()
	err := h.tools.Run(context.WithValue(ctx, playerKey{}, p), &mcp.IOTransport{Reader: in, Writer: out,
		MaxLineLength: mostLine})
	if err != nil {
		return fmt.Errorf("the session ends: want lines of the input to be messages of JSON-RPC with at most %d bytes each, "+
			"and the output to be open: %w", mostLine, err)
	}
	return nil
}
