package openenv

import (
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
)

// toolsPath is where tools are called over HTTP, and toolsIdle after how long a session without calls
// ends there.
const toolsPath, toolsIdle = "/mcp", 30 * time.Minute

// described is what models are told of the tools.
//
//go:embed tools.json
var described []byte

// playerKey is the key of a session's player in the context of its calls.
type playerKey struct{}

// newTools makes the server of tools.
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
			return ctx.Value(playerKey{}).(*player).call(tool.Name, call.Params.Arguments), nil
		})
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			session := r.GetSession().(*mcp.ServerSession)
			if method == "initialize" && session.ID() != "" && session.InitializeParams() == nil { // over HTTP, and new
				if err := ctx.Value(playerKey{}).(*player).keep(session); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, r)
		}
	})
	return s
}

// newStreams serves tools over HTTP. Who asks, and for what host, has been checked.
func newStreams(tools *mcp.Server, idle time.Duration) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools },
		&mcp.StreamableHTTPOptions{JSONResponse: true, SessionTimeout: idle, DisableLocalhostProtection: true})
}

// call calls a tool: the text, the metadata and the picture, if there is one, are its result.
func (p *player) call(tool string, arguments []byte) (result *mcp.CallToolResult) {
	result = new(mcp.CallToolResult)
	defer func() {
		if v := recover(); v != nil {
			p.guest.Fault(v, debug.Stack())
			result.SetError(errFailed)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	o, err := p.useTool(tool, arguments)
	if err != nil {
		result.SetError(err)
		return result
	}
	result.Content = []mcp.Content{&mcp.TextContent{Text: o.Observation.Text},
		&mcp.TextContent{Text: string(encode(o.Observation.Metadata))}}
	if i := o.Observation.Image; i != nil {
		result.Content = append(result.Content, &mcp.ImageContent{Data: i.Data, MIMEType: i.MediaType})
	}
	return result
}

// useTool does what a tool does. mu is held.
func (p *player) useTool(tool string, arguments []byte) (o observation, err error) {
	if kind := map[string]string{"new_game": "reset", "act": "step"}[tool]; kind != "" {
		_, told, err := p.answer(message{kind, arguments})
		o, _ = told.(observation)
		return o, err
	}
	var in struct{ Image bool }
	if len(arguments) > 0 {
		err = decode(arguments, &in)
	}
	switch {
	case err != nil:
		return o, err
	case p.game == nil:
		return o, errNoGame
	}
	o = p.look(false, in.Image)
	if tool == "result" {
		o.Observation.Text = string(encode(p.state()))
	}
	return o, nil
}

// keep has a session outlast the request that began it, until either side ends it.
func (p *player) keep(s *mcp.ServerSession) error {
	leave, err := p.guest.Keep()
	if err != nil {
		return err
	}
	go func() {
		s.Wait() // how it ended does not matter
		p.guest.Close()
	}()
	go func() {
		<-p.guest.Quit()
		p.abandon()
		s.Close()
		p.end()
		leave()
	}()
	return nil
}

// serveTools answers a request to toolsPath.
func (h *Handler) serveTools(g *bridge.Guest, w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == int64(len("{}")) { // OpenEnv's checker sends it
		reply(w, http.StatusOK, noTools(nil))
		return
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(seconds(2 * mostSeconds))) // calls wait for others
	p := &player{handler: h, guest: g}
	h.streams.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), playerKey{}, p)))
}

// Converse serves the tools to one client over a pair of streams, until the client closes its own.
func (h *Handler) Converse(ctx context.Context, g *bridge.Guest, in io.ReadCloser, out io.WriteCloser) error {
	p := &player{handler: h, guest: g}
	defer p.end()
	return h.tools.Run(context.WithValue(ctx, playerKey{}, p), &mcp.IOTransport{Reader: in, Writer: out,
		MaxLineLength: mostBody})
}
