// Package web serves the pages that show games in a browser: recorded games,
// data sets and tournaments.
//
// The pages are in the program, app/: a shell, plain ES modules and one style sheet. Each is
// served as one file with the modules that it needs, compressed, which browsers keep by its hash.
// It draws the descriptions of games that package scene makes. For a game of 800 steps they
// are some 300 kB, 20 kB compressed. The games' rules compiled to WebAssembly would be 6 MB, 1.6 MB
// compressed, and not faster.
//
//	handler := web.New(web.Config{Listing: games.Listing, Game: games.Game, Token: token})
//	http.Serve(listener, handler)
//
// [WriteFile] writes the same page and one game as one file.
//
// # Safety
//
// Requests for data need the token, which is in the fragment of the page's address, so that
// the browser does not send it by itself. Requests with another host name than this machine's,
// or from other pages, are refused. The content security policy allows only the
// page's own script and style, and the page shows the content of files as text alone.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
)

//go:embed app
var embedded embed.FS

// Source has recorded games.
type Source struct {
	// Listing lists the games. The caller must not change it.
	Listing func() (*Listing, error)

	// Open opens a game of the listing. The error is ErrNoGame if there is no game of that number.
	Open func(number int) (record.Replay, error)
}

// Game describes a game of the source.
func (s Source) Game(number int) (*scene.Timeline, error) {
	replay, err := s.Open(number)
	if err != nil {
		return nil, err
	}
	return scene.Read(replay)
}

// ErrNoGame says that there is no such game.
var ErrNoGame = trace.ErrNoGame

// Config says what a page shows, and to whom.
type Config struct {
	// Listing and Game give the games, as a Source does; nil: there are none.
	Listing func() (*Listing, error)
	Game    func(number int) (*scene.Timeline, error)

	Token string // what requests for data must carry; "": none is answered

	// Handlers answer other requests below /api/, by patterns of http.ServeMux.
	Handlers map[string]http.HandlerFunc
}

type handler struct {
	Config
	mux *http.ServeMux

	drawing sync.Mutex // one at a time
}

// New makes the handler that serves a page.
func New(c Config) http.Handler {
	h := &handler{Config: c, mux: http.NewServeMux()}
	for path := range shells() {
		h.mux.HandleFunc("GET "+path+map[string]string{"/": "{$}"}[path], servePage)
	}
	if h.Listing != nil {
		h.mux.HandleFunc("GET /api/game/{number}/{kind}", h.picture)
		h.mux.HandleFunc("GET /api/listing", func(w http.ResponseWriter, _ *http.Request) {
			list, err := h.Listing()
			answer(w, list, err)
		})
		h.mux.HandleFunc("GET /api/game/{number}", h.game)
	}
	for pattern, answer := range c.Handlers {
		h.mux.HandleFunc(pattern, answer)
	}
	return h
}

// ServeHTTP answers requests of its own pages, and refuses all others.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	shell, ok := shells()[r.URL.Path]
	if !ok {
		shell = shells()["/"]
	}
	framers := "'none'"
	if r.URL.Path == "/" && r.URL.Query().Has("embed") { // an embedded page cannot change anything
		framers = "http://127.0.0.1:* http://localhost:*"
	}
	head.Set("Content-Security-Policy", shell.policy+"; connect-src 'self'; frame-ancestors "+framers)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	switch origin := r.Header.Get("Origin"); {
	case !Local(r.Host):
		http.Error(w, fmt.Sprintf("the Host header is %q, and this page is served to localhost, 127.0.0.1 and other "+
			"loopback addresses alone", r.Host), http.StatusForbidden)
	case origin != "" && origin != "http://"+r.Host:
		http.Error(w, fmt.Sprintf("the Origin header is %q, and only the page itself may ask", origin), http.StatusForbidden)
	case strings.HasPrefix(r.URL.Path, "/api/") && !h.admits(r):
		http.Error(w, "The address lacks its token: open the address that pommego has printed.", http.StatusUnauthorized)
	default:
		h.mux.ServeHTTP(w, r)
	}
}

// Local reports whether a host, with a port or without, is this machine as it calls itself.
func Local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}

func (h *handler) admits(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && h.Token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(h.Token)) == 1
}

// servePage serves a page to those who do not have it yet.
func servePage(w http.ResponseWriter, r *http.Request) {
	shell, head := shells()[r.URL.Path], w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Encoding", "gzip") // every browser with modules supports it
	head.Set("Cache-Control", "no-cache")
	head.Set("ETag", shell.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(shell.zipped))
}

func (h *handler) game(w http.ResponseWriter, r *http.Request) {
	g, err := h.asked(r)
	if err == nil {
		g = g.Patched()
	}
	answer(w, g, err)
}

func (h *handler) asked(r *http.Request) (*scene.Timeline, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return nil, fmt.Errorf("%w %q, want a number", ErrNoGame, r.PathValue("number"))
	}
	return h.Game(number)
}

// answer sends v as compressed JSON, or the error.
func answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		status := http.StatusUnprocessableEntity
		if errors.Is(err, ErrNoGame) {
			status = http.StatusNotFound
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	out, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if json.NewEncoder(out).Encode(v) == nil {
		out.Close()
	}
}

// Videos are made one at a time. The limits on pixels make videos of long games smaller.
const (
	videoPixels           = 128 << 20
	smallTile, normalTile = 8, 48
	pictureTile           = 96 // for single pictures
	videoRate             = 10 // steps per second
)

// picture sends a game as an animation (gif), or one step (png): the first of the range that the request names. It
// shows what the request's seat sees.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	kind := r.PathValue("kind")
	if kind != "gif" && kind != "png" {
		http.Error(w, fmt.Sprintf("the picture's kind is %q, want gif or png", kind), http.StatusNotFound)
		return
	}
	content, err := h.film(r, kind == "gif")
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/"+kind)
	w.Write(content)
}

func (h *handler) film(r *http.Request, moves bool) ([]byte, error) {
	h.drawing.Lock()
	defer h.drawing.Unlock()
	if err := r.Context().Err(); err != nil { // the page has gone
		return nil, err
	}
	g, err := h.asked(r)
	if err != nil {
		return nil, err
	}
	seat, err := strconv.Atoi(r.URL.Query().Get("seat"))
	if err != nil || seat < env.NoSeat || seat >= len(g.Colours) {
		return nil, fmt.Errorf("seat is %q, want -1 to %d", r.URL.Query().Get("seat"), len(g.Colours)-1)
	}
	if g, err = part(g, r.URL.Query()); err != nil {
		return nil, err
	}
	tile := tileOf(len(g.Steps) * g.Rows * g.Cols)
	if tile < smallTile {
		return nil, fmt.Errorf("the game has %d steps, too many for a video: save it as one file", len(g.Steps)-1)
	}
	var out bytes.Buffer
	film := picture.Film(g, seat)
	if !moves {
		err = png.Encode(&out, picture.NewPainter(pictureTile, false).Image(&film[0]))
		return out.Bytes(), err
	}
	err = picture.WriteGIF(r.Context(), &out, picture.NewPainter(tile, false), film, videoRate)
	return out.Bytes(), err
}

// part cuts the game to the steps that from and to in the query name, if they are there.
func part(g *scene.Timeline, query url.Values) (*scene.Timeline, error) {
	ends := [2]int{0, math.MaxInt}
	for i, name := range [...]string{"from", "to"} {
		var err error
		if text := query.Get(name); text != "" {
			if ends[i], err = strconv.Atoi(text); err != nil {
				return nil, fmt.Errorf("%s is %q, want the number of a step", name, text)
			}
		}
	}
	out := func(s scene.Step) bool { return s.Step < ends[0] || s.Step > ends[1] }
	in := &scene.Timeline{Head: g.Head, Steps: slices.DeleteFunc(slices.Clone(g.Steps), out)}
	if len(in.Steps) == 0 {
		return nil, fmt.Errorf("the game has no steps from %d to %d", ends[0], ends[1])
	}
	return in, nil
}

// tileOf is the largest size for which this many tiles stay within the limit on pixels.
func tileOf(tiles int) int {
	tile := normalTile
	for ; tile*tile*tiles > videoPixels; tile -= 4 {
	}
	return tile
}
