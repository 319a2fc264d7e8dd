package bridge

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"pommego/arena/scene"
)

// livePath is the path for viewers. viewKey is the header with the key of what they may
// see: unlike addresses, headers are in no log, no history and no Referer.
const livePath, viewKey = "/live", "View-Key"

const (
	// lookTimeout is how long a viewer waits for a step to end. After that the answer is
	// "busy".
	lookTimeout = 5 * time.Second

	// mostLooks is how many viewers the games of one client can have at a time. wallGames
	// is how many games one viewer sees at most.
	mostLooks, wallGames = 16, 16
)

// LiveEnv describes an environment that can be viewed, without its positions.
type LiveEnv struct {
	Env      string `json:"env"`
	Games    int    `json:"games"`
	Learners int    `json:"learners"` // rows per game
	Client   string `json:"client"`
	Running  bool   `json:"running"`      // the environment has been reset
	Moves    uint64 `json:"moves"`        // moves of all its games
	Key      string `json:"key,omitzero"` // in the list, if the client wants it there
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
	for _, e := range g.envs { // all of them, so that the time taken says nothing about a key
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
		about := e.about()
		if e.listed {
			about.Key = e.key
		}
		all = append(all, about)
	}
	return all
}

func (e *environment) about() LiveEnv {
	return LiveEnv{Env: e.pool.Spec().ID, Games: e.pool.Games(), Learners: e.pool.Learners(), Client: e.owner.client,
		Running: e.running.Load(), Moves: e.moves.Load()}
}

// Live answers those who have the key of an environment: GET /live describes it, and GET /live/GAME
// sends what happens in a game, line by line, until the environment is closed. GET /live/any does so for a game
// whose learner lives, and GET /live/wall for several. With Config.ListKey, GET /live lists all environments.
func (srv *Server) Live() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+livePath, srv.tell)
	mux.HandleFunc("GET "+livePath+"/{game}", srv.tell)
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error means that the peer has gone
}

// tell answers what the key of a request opens: an environment, its games, or the list of all environments.
func (srv *Server) tell(w http.ResponseWriter, r *http.Request) {
	key, game := r.Header.Get(viewKey), r.PathValue("game")
	e := srv.gallery.find(key)
	switch {
	case game == "" && srv.cfg.ListKey != "" && isKey(srv.cfg.ListKey, key):
		answerJSON(w, srv.gallery.list())
	case e == nil:
		http.Error(w, "no environment has the key in the header "+viewKey+": it is closed, or the key is wrong",
			http.StatusNotFound)
	case game == "":
		answerJSON(w, e.about())
	default:
		e.look(w, r, game)
	}
}

// look tells a viewer what happens in a game, or in several.
func (e *environment) look(w http.ResponseWriter, r *http.Request, game string) {
	games, err := e.gamesOf(game)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer e.owner.looks.Add(-1)
	if e.owner.looks.Add(1) > mostLooks {
		http.Error(w, fmt.Sprintf("the games of the client have %d viewers, and may have no more", mostLooks),
			http.StatusServiceUnavailable)
		return
	}
	followed, err := e.begin(games)
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, errNotLive) {
			status = http.StatusConflict
		}
		http.Error(w, err.Error(), status)
		return
	}
	defer e.end(followed)
	Settle(r) // viewers are bounded by mostLooks, not as handshakes
	e.stream(r.Context(), w, followed, game)
}

// gamesOf returns the games that a viewer asks for: one by its number, the first ones for "wall", or nil for "any",
// which stands for a game that a learner plays.
func (e *environment) gamesOf(asked string) (games []int, err error) {
	game, err := strconv.Atoi(asked)
	switch {
	case asked == "any":
		return nil, nil
	case asked == "wall":
		for game := range min(e.pool.Games(), wallGames) {
			games = append(games, game)
		}
		return games, nil
	case err != nil || game < 0 || game >= e.pool.Games():
		return nil, fmt.Errorf("game is %q, want 0 to %d, any or wall", asked, e.pool.Games()-1)
	}
	return []int{game}, nil
}

// liveLine is a line that a viewer is sent, about one game.
type liveLine struct {
	scene.Line
	Game   int    `json:"game"`
	Moves  uint64 `json:"moves"`           // moves of all games so far
	Replay bool   `json:"replay,omitzero"` // the line replays an episode that is over
}

// stream sends a viewer what happens in games. It ends when the viewer or the
// environment is gone; of "any" also when the learners of its game are out.
func (e *environment) stream(ctx context.Context, w http.ResponseWriter, games []*followed, of string) {
	viewers, send := make([]scene.Viewer, len(games)), scene.Lines[liveLine](w)
	var past *episode
	var since time.Time // when past was sent
	for {
		var lines []liveLine
		out := of == "any" && !games[0].plays() // the lines show that the learners are out
		for i, f := range games {
			for _, l := range f.news(&viewers[i]) {
				lines = append(lines, liveLine{Line: l, Game: f.game, Moves: e.moves.Load()})
			}
			viewers[i].All = of == "wall" // which counts the episodes that end from now on
		}
		if send(lines) != nil || out {
			return
		}
		if last := e.over.Load(); of == "wall" && last != past && time.Since(since) >= replayPause {
			if past, since = last, time.Now(); last.replay(send) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.gone:
			send([]liveLine{{Line: scene.Line{End: "The environment is closed."}}})
			return
		case <-time.After(between):
		}
		e.catchUp(games)
	}
}
