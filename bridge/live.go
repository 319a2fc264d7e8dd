package bridge

import (
	"context"
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
	// lookTimeout is how long a viewer waits for a step to end. After that the answer
	// is "busy".
	lookTimeout = 5 * time.Second

	// mostLooks is how many viewers the games of one client have at a time.
	mostLooks = 16
)

// LiveEnv describes an environment that can be viewed, without its positions.
type LiveEnv struct {
	Env      string `json:"env"`
	Games    int    `json:"games"`
	Learners int    `json:"learners"` // rows per game
	Client   string `json:"client"`
	Running  bool   `json:"running"` // it has been reset
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
	return LiveEnv{e.pool.Spec().ID, e.pool.Games(), e.pool.Learners(), e.owner.client, e.begun.Load()}
}

// Live answers those who have the key of an environment: GET /live says what it is, and GET
// /live/GAME tells what happens in a game, line by line, until it is closed. With Config.ListKey, GET
// /live lists all environments.
func (srv *Server) Live() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+livePath, srv.tell)
	mux.HandleFunc("GET "+livePath+"/{game}", srv.look)
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

// tell answers what the key of a request is for: an environment, or the list of all.
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
	defer e.owner.looks.Add(-1)
	if e.owner.looks.Add(1) > mostLooks {
		http.Error(w, fmt.Sprintf("the games of the client have %d viewers, and may have no more", mostLooks),
			http.StatusServiceUnavailable)
		return
	}
	ctx, leave := context.WithCancel(r.Context())
	defer e.owner.wake()
	defer leave()
	select {
	case rep := <-e.ask(ctx, game):
		switch {
		case rep.err == errNotLive:
			http.Error(w, rep.err.Error(), http.StatusConflict)
		case rep.err != nil:
			http.Error(w, rep.err.Error(), http.StatusServiceUnavailable)
		default:
			e.stream(ctx, w, rep.game)
		}
	case <-time.After(lookTimeout):
		http.Error(w, "the environment is busy", http.StatusServiceUnavailable)
	case <-e.gone:
		http.Error(w, "the client of the environment has gone", http.StatusServiceUnavailable)
	}
}

// stream sends a viewer what happens in a game, until the viewer is gone, or the environment.
func (e *environment) stream(ctx context.Context, w http.ResponseWriter, f *followed) {
	var v scene.Viewer
	send := scene.Lines[scene.Line](w)
	for send(f.news(&v)) == nil {
		select {
		case <-ctx.Done():
			return
		case <-e.gone:
			send([]scene.Line{{End: "The environment is closed."}})
			return
		case <-time.After(between):
		}
		if f.isBehind() {
			e.owner.wake()
		}
	}
}
