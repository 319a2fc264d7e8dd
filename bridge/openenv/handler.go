package openenv

import (
	"cmp"
	"crypto/rand"
	"embed"
	"encoding/json"
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

	"pommego/arena/dialogue"
	"pommego/bridge"
)

// fixed holds the answers that are always the same, by path, and with them OpenEnv's description of
// the environment, openenv.yaml.
//
//go:embed package
var fixed embed.FS

// name is the environment's.
const name = "pommego"

// Handler is the protocol for a server: bridge.Config.Protocols. It may serve several.
type Handler struct {
	Dialogues *dialogue.Log // of all games; nil: they are not recorded

	ids     []string
	tools   *mcp.Server
	streams http.Handler // tools, over HTTP

	naming sync.Mutex // held while a game gets an episode_id that a client chose

	mu    sync.Mutex
	games map[string]*game // those of several sessions, by episode_id
}

// New makes a handler with tasks of the given ids.
func New(ids []string) *Handler {
	h := &Handler{ids: ids, tools: newTools(), games: map[string]*game{}}
	h.streams = newStreams(h.tools, toolsIdle)
	return h
}

// routes is what is computed, by method and path; a POST below the environment's name is about tasks.
var routes = map[string]func(h *Handler, g *bridge.Guest, r *http.Request) (any, error){
	"POST /reset": (*Handler).reset,
	"POST /step":  (*Handler).step,
	"GET /state": func(*Handler, *bridge.Guest, *http.Request) (any, error) {
		return (&player{}).state(), nil
	},
	"GET " + tasksPath + "splits": (*Handler).splits,
	"POST " + tasksPath:           (*Handler).tasks,
}

const socketPath, tasksPath = "/ws", "/" + name + "/"

// Answers is bridge.Protocol's.
func (h *Handler) Answers(path string) bool {
	_, err := fixed.ReadFile("package" + path)
	return err == nil || path == socketPath || path == toolsPath || strings.HasPrefix(path, tasksPath) ||
		routes["GET "+path] != nil || routes["POST "+path] != nil
}

// Serve is bridge.Protocol's.
func (h *Handler) Serve(g *bridge.Guest, w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if path == socketPath && websocket.IsWebSocketUpgrade(r) {
		p := &player{handler: h, guest: g}
		g.Upgrade(w, r, p.run) // an error has been answered
		return
	}
	if path == toolsPath && r.Method != http.MethodGet { // nothing is sent unasked
		h.serveTools(g, w, r)
		return
	}
	if text, err := fixed.ReadFile("package" + path); err == nil && r.Method == http.MethodGet {
		w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(filepath.Ext(path)), "application/json"))
		w.Write(text) // an error is the peer's going away
		return
	}
	if strings.HasPrefix(path, tasksPath) && r.Method == http.MethodPost {
		path = tasksPath
	}
	answer := routes[r.Method+" "+path]
	if answer == nil {
		reply(w, http.StatusMethodNotAllowed, map[string]string{"detail": r.Method + " " + path + " is not answered: " +
			"games are played over the WebSocket " + socketPath})
		return
	}
	data, err := answer(h, g, r)
	if err != nil {
		status := http.StatusUnprocessableEntity
		if e, ok := err.(*refusal); ok && e.Code == capacity {
			status = http.StatusServiceUnavailable
		}
		reply(w, status, map[string]string{"detail": err.Error()})
		return
	}
	reply(w, http.StatusOK, data)
}

func reply(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(data)) // an error is the peer's going away
}

// mostBody is the longest body of a request: what a connection may send before it is a WebSocket.
const mostBody = 32 << 10

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	switch {
	case err != nil:
		return nil, refuse(validation, "the body cannot be read: %v", err)
	case len(body) > mostBody:
		return nil, refuse(validation, "the body has more than %d bytes: play over the WebSocket %s", mostBody, socketPath)
	}
	return body, nil
}

// enter gives a session a seat in the game that its reset asks for.
func (h *Handler) enter(guest *bridge.Guest, o options) (*game, *seat, error) {
	if o.EpisodeID != nil {
		h.naming.Lock()
		defer h.naming.Unlock()
		if g := h.find(*o.EpisodeID); g != nil {
			s, err := g.join(o)
			if s != nil || err != nil {
				return g, s, err
			}
		}
	}
	asked := o
	o.complete(rand.Text())
	g, err := newGame(guest, o)
	if err != nil {
		return nil, nil, err
	}
	g.log = h.Dialogues
	if places(g.line) > 1 {
		h.mu.Lock()
		h.games[*o.EpisodeID] = g
		h.mu.Unlock()
		time.AfterFunc(seconds(*o.WaitS), g.startWithout)
	}
	asked.Seat = o.Seat
	s, err := g.join(asked)
	return g, s, err
}

// find is the game of several sessions with an episode_id, nil if there is none.
func (h *Handler) find(id string) *game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.games[id]
}

// join seats a session and begins the game if it was the last to come. It returns no seat if the
// game is over, so that its id is free for another.
func (g *game) join(o options) (*seat, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return nil, nil
	}
	if err := g.fits(o); err != nil {
		return nil, err
	}
	at := -1
	for n := range g.line {
		if g.line[n] == open && g.seats[n] == nil && (o.Seat == nil || *o.Seat == n) {
			at = n
			break
		}
	}
	if at < 0 || g.started {
		return nil, refuse(session, "the game %s takes nobody there: it has begun, or the seat is not free",
			*g.options.EpisodeID)
	}
	s := &seat{Seat: g.talk.Seat(at, o.Detail, o.FrameTicks), replies: make(chan observation, 1)}
	g.seats[at] = s
	g.sessions.Add(1)
	for n := range g.line {
		if g.line[n] == open && g.seats[n] == nil {
			return s, nil
		}
	}
	g.begin()
	return s, nil
}

// startWithout begins the game without those who have not come.
func (g *game) startWithout() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stop.Load() {
		g.begin()
		g.play(false)
	}
}

// leave ends a session's part in its game, and the game if it was the last.
func (h *Handler) leave(g *game, s *seat) {
	g.leave(s)
	if !g.stop.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if id := *g.options.EpisodeID; h.games[id] == g {
		delete(h.games, id)
	}
	g.release()
}

// reset plays no further: as in the reference, a game begun over HTTP lasts for one request.
func (h *Handler) reset(g *bridge.Guest, r *http.Request) (any, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	return h.once(g, body, func(_ *player, first observation) (any, error) { return first, nil })
}

// step plays the first answer of a usual game.
func (h *Handler) step(g *bridge.Guest, r *http.Request) (any, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	var in struct {
		Action    json.RawMessage `json:"action"`
		TimeoutS  *float64        `json:"timeout_s"`
		RequestID *string         `json:"request_id"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	text, err := readAction(in.Action)
	if err != nil {
		return nil, err
	}
	return h.once(g, nil, func(p *player, _ observation) (any, error) { return p.step(text) })
}

// once makes a game for one request.
func (h *Handler) once(g *bridge.Guest, data []byte, use func(*player, observation) (any, error)) (any, error) {
	o, err := readOptions(data)
	if err != nil {
		return nil, err
	}
	if o.EpisodeID != nil && h.find(*o.EpisodeID) != nil || slices.Contains(o.Opponents, open) {
		return nil, refuse(session, "games of several sessions are played over the WebSocket %s", socketPath)
	}
	p := &player{handler: h, guest: g}
	defer p.leave()
	first, err := p.reset(o)
	if err != nil {
		return nil, err
	}
	return use(p, first)
}

// noTools is the JSON-RPC answer to a request where there are no tools.
func noTools(request []byte) map[string]any {
	var in struct{ ID any }
	json.Unmarshal(request, &in) // what is no JSON has no id
	return map[string]any{"jsonrpc": "2.0", "id": in.ID, "error": map[string]any{"code": -32601,
		"message": "there are no tools here: send steps to " + socketPath + ", or call tools at " + toolsPath}}
}
