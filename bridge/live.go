package bridge

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"pommego/arena/scene"
)

// livePath is where viewers ask, and viewKey the header with the key of what they may see. Headers
// are in no log, no history and no Referer, unlike addresses.
const livePath, viewKey = "/live", "View-Key"

const (
	// lookTimeout is how long a look waits for a long step to end, and then for its viewer to
	// take the answer.
	lookTimeout = 5 * time.Second

	// mostLooks is how many looks at the games of one client wait, or are answered, at a time.
	mostLooks = 16
)

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

// LiveEnv is an environment that can be viewed, without what is in it.
type LiveEnv struct {
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
	envs []*environment // in the order in which they were made
}

func (g *gallery) add(e *environment) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.envs = append(g.envs, e)
}

func (g *gallery) remove(e *environment) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.envs = slices.DeleteFunc(g.envs, func(other *environment) bool { return other == e })
}

// find finds the environment of a key; nil if there is none.
func (g *gallery) find(key string) (found *environment) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.envs { // all of them: the time that it takes says nothing about a key
		if isKey(e.key, key) {
			found = e
		}
	}
	return found
}

func isKey(key, given string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(given)) == 1
}

func (g *gallery) list() []LiveEnv {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := []LiveEnv{}
	for _, e := range g.envs {
		all = append(all, e.about())
	}
	return all
}

func (e *environment) about() LiveEnv {
	return LiveEnv{e.pool.Spec().ID, e.pool.Games(), e.pool.Learners(), e.owner.client, e.begun.Load(), e.pausable,
		e.viewers.paused()}
}

// Live answers those who have the key of an environment: GET /live says what it is, GET /live/GAME
// how a game stands, and POST /live/pause, go and step stop it if it may be. With
// Config.ListKey, GET /live lists all environments.
func (srv *Server) Live() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+livePath, srv.tell)
	mux.HandleFunc("GET "+livePath+"/{game}", srv.look)
	mux.HandleFunc("POST "+livePath+"/{order}", srv.order)
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error is the peer's going away
}

// lookedAt is the environment of a request's key; nil if there is none, and the request has been answered.
func (srv *Server) lookedAt(w http.ResponseWriter, r *http.Request) *environment {
	e := srv.gallery.find(r.Header.Get(viewKey))
	if e == nil {
		http.Error(w, "no environment has the key in the header "+viewKey+": it is closed, or the key is wrong",
			http.StatusNotFound)
	}
	return e
}

// tell says what the key of a request opens: an environment, or the list of all.
func (srv *Server) tell(w http.ResponseWriter, r *http.Request) {
	if srv.cfg.ListKey != "" && isKey(srv.cfg.ListKey, r.Header.Get(viewKey)) {
		answerJSON(w, srv.gallery.list())
	} else if e := srv.lookedAt(w, r); e != nil {
		answerJSON(w, e.about())
	}
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
	defer e.owner.looks.Add(-1)
	if e.owner.looks.Add(1) > mostLooks {
		http.Error(w, fmt.Sprintf("the client of the environment has %d looks under way, and may have no more", mostLooks),
			http.StatusServiceUnavailable)
		return
	}
	select {
	case rep := <-e.ask(game, since):
		switch {
		case rep.err == errNotLive:
			http.Error(w, rep.err.Error(), http.StatusConflict)
		case rep.err != nil:
			http.Error(w, rep.err.Error(), http.StatusServiceUnavailable)
		default:
			answerJSON(w, rep.look)
		}
	case <-time.After(lookTimeout):
		http.Error(w, "the environment is busy", http.StatusServiceUnavailable)
	case <-e.owner.ctx.Done():
		http.Error(w, "the client of the environment has gone", http.StatusServiceUnavailable)
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
		http.Error(w, "the environment cannot be paused: its client has to make it with pause", http.StatusConflict)
	default:
		e.viewers.order(order)
		e.owner.wake()
		w.WriteHeader(http.StatusNoContent)
	}
}
