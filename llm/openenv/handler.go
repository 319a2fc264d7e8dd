package openenv

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
	"pommego/llm/dialogue"
	"pommego/llm/words"
)

// fixed holds the constant answers, by path, and openenv.yaml, OpenEnv's description of the
// environment.
//
//go:embed package
var fixed embed.FS

// name is the name of the environment.
const name = "pommego"

// Handler is the protocol for a server: bridge.Config.Protocols. One Handler can serve several servers.
type Handler struct {
	Dialogues *dialogue.Log // records all games; nil: none are recorded

	ids     []string
	tools   *mcp.Server
	streams http.Handler  // serves tools over HTTP
	idle    time.Duration // idle time after which a session over HTTP gives its place to another

	calls    sync.Map // contexts of current requests for tools, by name
	games    sync.Map // *game: the games of several sessions, by episode_id
	sessions sync.Map // *player: the sessions of sockets, by session_id
}

// New makes a handler. Its tasks have the given ids.
func New(ids []string) *Handler {
	h := &Handler{ids: ids, tools: newTools(), idle: toolsRoom}
	h.streams = newStreams(h.tools, toolsIdle)
	return h
}

// routes are the computed answers, by method and path. A POST below the environment's name is about tasks.
var routes = map[string]func(h *Handler, g *bridge.Guest, path string, body []byte) (any, error){
	"POST /reset":                 (*Handler).reset,
	"POST /step":                  (*Handler).step,
	"GET " + tasksPath + "splits": (*Handler).splits,
	"POST " + tasksPath:           (*Handler).tasks,
}

const socketPath, tasksPath = "/ws", "/" + name + "/"

// Answers implements bridge.Protocol.
func (h *Handler) Answers(path string) bool {
	_, err := fixed.ReadFile("package" + path)
	return err == nil || path == socketPath || path == toolsPath || strings.HasPrefix(path, tasksPath) ||
		routes["GET "+path] != nil || routes["POST "+path] != nil
}

// Serve implements bridge.Protocol.
func (h *Handler) Serve(g *bridge.Guest, w http.ResponseWriter, r *http.Request) {
	path, route := r.URL.Path, r.URL.Path
	if path == socketPath && websocket.IsWebSocketUpgrade(r) {
		p := &player{handler: h, guest: g}
		if name := r.URL.Query().Get("session_id"); name != "" {
			if len(name) < leastName {
				reply(w, http.StatusBadRequest, map[string]string{"detail": fmt.Sprintf("session_id is %q: who knows it may "+
					"play, so want %d random characters or more, as openenv/session/create answers", name, leastName)})
				return
			}
			if _, taken := h.sessions.LoadOrStore(name, p); taken {
				reply(w, http.StatusConflict, map[string]string{"detail": "the session of this session_id is connected already"})
				return
			}
			context.AfterFunc(g.Context(), func() { h.sessions.Delete(name) })
		}
		g.Upgrade(w, r, p.reply, p.end)
		return
	}
	if path == toolsPath && r.Method != http.MethodGet { // the server sends nothing without a request
		h.serveTools(g, w, r)
		return
	}
	if text, err := fixed.ReadFile("package" + path); err == nil && r.Method == http.MethodGet {
		w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(filepath.Ext(path)), "application/json"))
		w.Write(text) // an error means that the peer has gone
		return
	}
	if strings.HasPrefix(path, tasksPath) && r.Method == http.MethodPost {
		route = tasksPath
	}
	answer := routes[r.Method+" "+route]
	if answer == nil {
		want := "games are played over the WebSocket " + socketPath
		if strings.HasPrefix(path, tasksPath) || routes["POST "+path] != nil {
			want = "want POST"
		}
		reply(w, http.StatusMethodNotAllowed, map[string]string{"detail": r.Method + " " + path + " is not answered: " +
			want})
		return
	}
	body, _ := io.ReadAll(r.Body) // bridge has read it, so there is no error
	status := http.StatusOK
	data, err := answer(h, g, path, body)
	if err != nil {
		status, data = http.StatusUnprocessableEntity, map[string]string{"detail": err.Error()}
	}
	if e, ok := err.(*refusal); ok && e.Code == capacity {
		status = http.StatusServiceUnavailable
	}
	reply(w, status, data)
}

func reply(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if write, long := data.(func(io.Writer)); long {
		write(w)
		return
	}
	w.Write(encode(data)) // an error means that the peer has gone
}

// mostBody is the most bytes of a reset, and mostLine of a line for tools over streams, as of a message of /ws.
const mostBody, mostLine = 32 << 10, 512 << 10

// enter gives a session a seat in the game that its reset asks for. If that is the one under way, or needs its
// place, the session leaves first.
func (p *player) enter(o options) (*game, *seat, error) {
	for h := p.handler; ; {
		found := h.find(o)
		if found == p.game {
			p.leave()
		}
		if found != nil {
			if s, err := found.(*game).join(o); s != nil || err != nil {
				return found.(*game), s, err
			}
			h.games.CompareAndDelete(*o.EpisodeID, found) // the game is over
		}
		g, err := p.newGame(o)
		if err != nil {
			return nil, nil, err
		}
		s, there := g.open(o), false
		if places(g.line) > 1 {
			_, there = h.games.LoadOrStore(*g.options.EpisodeID, g)
		}
		if !there {
			return g, s, nil
		}
		g.lease.Release() // another session was faster
	}
}

// find returns the game of several sessions that a reset names; nil if there is none.
func (h *Handler) find(o options) (found any) {
	if o.EpisodeID != nil {
		found, _ = h.games.Load(*o.EpisodeID)
	}
	return found
}

// open seats the session that made the game. The game then waits for other sessions.
func (g *game) open(o options) *seat {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lease.After(seconds(*g.options.WaitS), func() { // begins the game without the sessions that have not come
		g.mu.Lock()
		defer g.mu.Unlock()
		g.begin()
	})
	return g.sit(*g.options.Seat, o)
}

// join seats a session. It returns no seat if the game is over: then its id is free for another game.
func (g *game) join(o options) (*seat, error) {
	if g.over.Load() {
		return nil, nil
	}
	taken := refuse(session, "the session cannot join the game: it has begun, its seat is taken, or its options differ")
	if g.started.Load() {
		return nil, taken // before the lock, which is held while agents think
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for n := range g.line {
		if g.line[n] == open && g.seats[n] == nil && (o.Seat == nil || *o.Seat == n) && !g.started.Load() && g.fits(o, n) {
			return g.sit(n, o), nil
		}
	}
	if g.over.Load() {
		return nil, nil
	}
	return nil, taken
}

// sit gives a session a seat, and begins the game if it was the last free one. mu is held.
func (g *game) sit(n int, o options) *seat {
	form := words.Form{Detail: cmp.Or(o.Detail, "full"), Bare: o.Hints != nil && !*o.Hints,
		Moves: o.Orders != nil && !*o.Orders, Frame: o.FrameTicks}
	s := &seat{Seat: dialogue.NewSeat(g.words, g.match, n, form), prompt: o.Prompt, replies: make(chan observation, 1)}
	g.seats[n] = s
	if g.sessions++; g.sessions == places(g.line) {
		g.begin()
	}
	return s
}

// reset only answers: as in the reference, a game over HTTP lasts for one request.
func (h *Handler) reset(g *bridge.Guest, _ string, body []byte) (any, error) {
	return h.once(g, body, func(_ *player, first observation) (any, error) { return first, nil })
}

// step plays one answer, the first of a game with default options.
func (h *Handler) step(g *bridge.Guest, _ string, body []byte) (any, error) {
	var in struct {
		Action    json.RawMessage `json:"action"`
		TimeoutS  *float64        `json:"timeout_s"`
		RequestID *string         `json:"request_id"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	if len(in.Action) > 0 && in.Action[0] != '{' { // the body is as the data over the socket
		in.Action = slices.Concat([]byte(`{"action":`), in.Action, []byte("}"))
	}
	text, err := readAction(in.Action)
	if err != nil {
		return nil, err
	}
	return h.once(g, nil, func(p *player, _ observation) (any, error) { return p.step(g.Context(), text) })
}

// once makes a game for one request.
func (h *Handler) once(g *bridge.Guest, data []byte, use func(*player, observation) (any, error)) (any, error) {
	o, err := readOptions(data)
	if err != nil {
		return nil, err
	}
	if h.find(o) != nil || slices.Contains(o.Opponents, open) {
		return nil, refuse(session, "games of several sessions need the WebSocket %s", socketPath)
	}
	p := &player{handler: h, guest: g}
	defer p.leave()
	first, err := p.reset(o)
	if err != nil {
		return nil, err
	}
	return use(p, first)
}
