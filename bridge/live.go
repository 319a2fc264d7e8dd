package bridge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"pommego/arena/scene"
)

// livePath is where viewers ask.
const livePath = "/live"

// lookTimeout is how long a look waits for a long step to end.
const lookTimeout = 5 * time.Second

// Look is how a game stands: as it is now, or what has been since an earlier look.
type Look struct {
	Game    int          `json:"game"`
	Head    scene.Head   `json:"head"`
	Step    scene.Step   `json:"step,omitzero"`
	Steps   []scene.Step `json:"steps,omitzero"`
	Episode int          `json:"episode"` // counted while the game is followed
	Number  int          `json:"number"`  // of the last position in it, likewise
	Paused  bool         `json:"paused"`
}

// LiveEnv is an environment that can be viewed.
type LiveEnv struct {
	ID       int    `json:"id"` // counted over all connections
	Env      string `json:"env"`
	Games    int    `json:"games"`
	Learners int    `json:"learners"` // rows a game
	Client   string `json:"client"`
	Running  bool   `json:"running"`  // it has been reset
	Pausable bool   `json:"pausable"` // viewers may pause it
	Paused   bool   `json:"paused"`
}

// gallery is the environments of all sessions.
type gallery struct {
	mu   sync.Mutex
	last int
	envs map[int]*environment
}

func (g *gallery) add(s *session, e *environment) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.envs == nil {
		g.envs = map[int]*environment{}
	}
	g.last++
	e.owner, e.number = s, g.last
	g.envs[g.last] = e
}

func (g *gallery) remove(e *environment) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.envs, e.number)
}

func (g *gallery) find(number int) *environment {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.envs[number]
}

// list lists the environments in the order in which they were made.
func (g *gallery) list() []LiveEnv {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := []LiveEnv{}
	for number, e := range g.envs {
		all = append(all, LiveEnv{
			number, e.pool.Spec().ID, e.pool.Games(), e.pool.Learners(), e.owner.client, e.begun.Load(), e.pausable,
			e.viewers.paused(),
		})
	}
	slices.SortFunc(all, func(a, b LiveEnv) int { return a.ID - b.ID })
	return all
}

// Live answers viewers: GET /live with the list of environments, GET
// /live/ENV/GAME with how a game stands, and POST /live/ENV/pause, go and step by
// stopping those that may be. It is for the caller to say who may ask.
func (srv *Server) Live() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+livePath, func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, srv.gallery.list()) })
	mux.HandleFunc("GET "+livePath+"/{env}/{game}", srv.look)
	mux.HandleFunc("POST "+livePath+"/{env}/{order}", srv.order)
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error is the peer's going away
}

// lookedAt is the environment that a request is about; nil if it has been answered.
func (srv *Server) lookedAt(w http.ResponseWriter, r *http.Request) *environment {
	number, err := strconv.Atoi(r.PathValue("env"))
	e := srv.gallery.find(number)
	if err != nil || e == nil {
		http.Error(w, fmt.Sprintf("there is no environment %q (any more)", r.PathValue("env")), http.StatusNotFound)
		return nil
	}
	return e
}

func (srv *Server) look(w http.ResponseWriter, r *http.Request) {
	e := srv.lookedAt(w, r)
	if e == nil {
		return
	}
	game, err := strconv.Atoi(r.PathValue("game"))
	if err != nil || game < 0 || game >= e.pool.Games() {
		http.Error(w, fmt.Sprintf("game is %q, want 0 to %d", r.PathValue("game"), e.pool.Games()-1), http.StatusNotFound)
		return
	}
	since := present
	if text := r.URL.Query().Get("since"); text != "" {
		if since, err = strconv.Atoi(text); err != nil || since < 0 {
			http.Error(w, fmt.Sprintf("since is %q, want the number of an earlier look, or 0", text), http.StatusBadRequest)
			return
		}
	}
	select {
	case look := <-e.ask(game, since):
		if look == nil {
			http.Error(w, fmt.Sprintf("environment %d has not been reset", e.number), http.StatusConflict)
			return
		}
		answerJSON(w, look)
	case <-time.After(lookTimeout):
		http.Error(w, fmt.Sprintf("environment %d is busy", e.number), http.StatusServiceUnavailable)
	case <-e.owner.quit:
		http.Error(w, fmt.Sprintf("the client of environment %d has gone", e.number), http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
}

// order pauses an environment, has it go on, or make one step.
func (srv *Server) order(w http.ResponseWriter, r *http.Request) {
	e := srv.lookedAt(w, r)
	switch order := r.PathValue("order"); {
	case e == nil:
	case order != "pause" && order != "go" && order != "step":
		http.Error(w, fmt.Sprintf("the order is %q, want pause, go or step", order), http.StatusNotFound)
	case !e.pausable:
		http.Error(w, fmt.Sprintf("environment %d cannot be paused: its client has to make it with pause", e.number),
			http.StatusConflict)
	default:
		e.viewers.order(order)
		e.owner.wake()
		w.WriteHeader(http.StatusNoContent)
	}
}
