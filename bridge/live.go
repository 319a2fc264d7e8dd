package bridge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"pommego/arena/scene"
	"pommego/env"
)

// livePath is below which those who look on ask.
const livePath = "/live"

// lookTimeout is how long a look waits for a long step to end.
const lookTimeout = 5 * time.Second

// onlookers are those who look on at an environment. They ask for a game, and the
// session's worker answers between two steps: at no other time is a game at rest. What
// nobody asks for costs a step one look at a flag.
type onlookers struct {
	asked atomic.Bool
	mu    sync.Mutex
	asks  []lookAsk
	at    time.Time // of the last
}

// last is when somebody last looked.
func (l *onlookers) last() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

type lookAsk struct {
	game   int
	answer chan<- *Look // has room for it
}

// Look is how a game stands.
type Look struct {
	Game int        `json:"game"`
	Head scene.Head `json:"head"`
	Step scene.Step `json:"step"`
}

// LiveEnv is an environment that can be looked at.
type LiveEnv struct {
	ID       int    `json:"id"` // counted over all connections
	Env      string `json:"env"`
	Games    int    `json:"games"`
	Learners int    `json:"learners"` // rows a game
	Client   string `json:"client"`
	Running  bool   `json:"running"` // it has been reset
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
	e.owner.Store(s)
	e.client, e.number = s.client, g.last
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
		all = append(all, LiveEnv{number, e.pool.Spec().ID, e.pool.Games(), e.pool.Learners(), e.client, e.begun.Load()})
	}
	slices.SortFunc(all, func(a, b LiveEnv) int { return a.ID - b.ID })
	return all
}

// Live answers GET requests of those who look on: /live for the list of environments,
// /live/ENV/GAME for how a game stands. It is for the caller to say who may ask.
func (srv *Server) Live() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+livePath, func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, srv.gallery.list()) })
	mux.HandleFunc("GET "+livePath+"/{env}/{game}", srv.look)
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error is the peer's going away
}

func (srv *Server) look(w http.ResponseWriter, r *http.Request) {
	number, errEnv := strconv.Atoi(r.PathValue("env"))
	game, errGame := strconv.Atoi(r.PathValue("game"))
	e := srv.gallery.find(number)
	switch {
	case errEnv != nil || e == nil:
		http.Error(w, fmt.Sprintf("there is no environment %q (any more)", r.PathValue("env")), http.StatusNotFound)
		return
	case errGame != nil || game < 0 || game >= e.pool.Games():
		http.Error(w, fmt.Sprintf("game is %q, want 0 to %d", r.PathValue("game"), e.pool.Games()-1), http.StatusNotFound)
		return
	}
	owner := e.owner.Load()
	select {
	case look := <-e.ask(owner, game):
		if look == nil {
			http.Error(w, fmt.Sprintf("environment %d has not been reset, or cannot be drawn", number), http.StatusConflict)
			return
		}
		answerJSON(w, look)
	case <-time.After(lookTimeout):
		http.Error(w, fmt.Sprintf("environment %d is busy", number), http.StatusServiceUnavailable)
	case <-owner.quit:
		http.Error(w, fmt.Sprintf("the client of environment %d has gone", number), http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
}

// ask asks for a look at a game.
func (e *environment) ask(owner *session, game int) <-chan *Look {
	answer := make(chan *Look, 1)
	e.looks.mu.Lock()
	e.looks.asks = append(e.looks.asks, lookAsk{game, answer})
	e.looks.at = time.Now()
	e.looks.asked.Store(true)
	e.looks.mu.Unlock()
	select {
	case owner.looked <- struct{}{}:
	default: // it is woken already
	}
	return answer
}

// lookOn answers those who look on. actions are those of the step just made, nil if
// they are not known; it is the worker that calls it.
func (e *environment) lookOn(actions []byte) {
	if !e.looks.asked.Load() {
		return
	}
	e.looks.mu.Lock()
	asks := e.looks.asks
	e.looks.asks = nil
	e.looks.asked.Store(false)
	e.looks.mu.Unlock()
	for _, a := range asks {
		a.answer <- e.look(a.game, actions)
	}
}

// look describes a game; nil if there is nothing to see.
func (e *environment) look(game int, actions []byte) *Look {
	if !e.running {
		return nil
	}
	spec, g := e.pool.Spec(), e.pool.Glance(game)
	head, ok := scene.HeadOf(spec, g.Match)
	if !ok {
		return nil
	}
	head.Seed, head.Names = g.Seed.Value, g.Names
	for _, seat := range g.Learners {
		head.Names[seat] = "learner"
	}
	if g.Tracker == nil {
		g.Tracker = env.NewTrackers(e.pool.Config().Game, 1, false)[0]
		g.Tracker.Begin(g.Match)
	}
	l := &Look{game, head, scene.Describe(spec, g.Match, g.Tracker, nil)}
	if l.Step.Step > 0 {
		l.Step.Rewards = make([]float64, spec.Seats)
		g.Match.Rewards(l.Step.Rewards)
		l.Step.Actions = actionsOf(spec, g.Learners, game, actions)
		l.Step.Thoughts = e.shown.thoughts(spec, g.Learners, game)
	}
	return l
}

// actionsOf is the actions of a game's learners by seat.
func actionsOf(spec *env.Spec, learners []uint8, game int, actions []byte) [][]int {
	if actions == nil {
		return nil
	}
	all, parts := make([][]int, spec.Seats), len(spec.Actions)
	for k, seat := range learners {
		own := actions[(game*len(learners)+k)*parts:][:parts]
		for _, a := range own {
			all[seat] = append(all[seat], int(a))
		}
	}
	return all
}
