// Package web is the pages on which games are looked at in a browser: recorded games,
// data sets and tournaments.
//
// The pages are static files in the program, app/, plain ES modules and one style
// sheet. They get descriptions of games as package scene makes them, and draw them. A
// game of 800 steps is some 300 kB so, 20 kB compressed; the games' rules compiled to
// WebAssembly are 6 MB, 1.6 MB compressed, and not faster.
//
//	handler, err := web.New(web.Config{Games: games, Token: token})
//	http.Serve(listener, handler)
//
// [WriteFile] writes the same page and one game as one file.
//
// # Safety
//
// Data is given to those who send the token, which is in the fragment of the page's
// address and so is never sent by itself. Requests by other names than this machine's,
// or from other pages, are refused. The content security policy allows nothing but the
// page's own files, and what a file says is only ever text on the page.
package web

import (
	"compress/gzip"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"

	"pommego/arena/scene"
)

//go:embed app
var embedded embed.FS

// Games is what a page shows.
type Games interface {
	// Listing lists the games. Nobody changes it.
	Listing() (*Listing, error)

	// Game describes a game of the listing. An error that is ErrNoGame says that
	// there is none of that number.
	Game(number int) (*scene.Game, error)
}

// ErrNoGame says that there is no such game.
var ErrNoGame = errors.New("there is no such game")

// Config says what a page shows, and to whom.
type Config struct {
	Games Games // nil: none
	Token string

	// Handlers answer other requests below /api/, by patterns of http.ServeMux.
	Handlers map[string]http.HandlerFunc
}

// policy is the content security policy of what is served.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type handler struct {
	Config
	token [sha256.Size]byte
	mux   *http.ServeMux
}

// New makes the handler that serves a page.
func New(c Config) (http.Handler, error) {
	if c.Token == "" {
		return nil, errors.New("web: Config needs a Token")
	}
	h := &handler{Config: c, token: sha256.Sum256([]byte(c.Token)), mux: http.NewServeMux()}
	h.mux.HandleFunc("GET /", h.file)
	if h.Games != nil {
		h.mux.HandleFunc("GET /api/listing", h.listing)
		h.mux.HandleFunc("GET /api/game/{number}", h.game)
	}
	for pattern, answer := range c.Handlers {
		h.mux.HandleFunc(pattern, answer)
	}
	return h, nil
}

// ServeHTTP answers requests of the page that comes from here, and no others.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	switch origin := r.Header.Get("Origin"); {
	case !local(r.Host):
		http.Error(w, fmt.Sprintf("the Host header is %q, and this page is served to 127.0.0.1, localhost and [::1] alone",
			r.Host), http.StatusForbidden)
	case origin != "" && origin != "http://"+r.Host:
		http.Error(w, fmt.Sprintf("the Origin header is %q, and only the page itself may ask", origin), http.StatusForbidden)
	case strings.HasPrefix(r.URL.Path, "/api/") && !h.admits(r):
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
	default:
		h.mux.ServeHTTP(w, r)
	}
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1", "[::1]"}, host)
}

func (h *handler) admits(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(given))
	return ok && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

// file serves the page's files.
func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	content, err := fs.ReadFile(embedded, path.Join("app", name))
	if err != nil {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	w.Write(content)
}

// types are not the machine's, whose tables may have others.
var types = map[string]string{
	".html": mime.FormatMediaType("text/html", map[string]string{"charset": "utf-8"}),
	".css":  mime.FormatMediaType("text/css", map[string]string{"charset": "utf-8"}),
	".js":   mime.FormatMediaType("text/javascript", map[string]string{"charset": "utf-8"}),
}

func (h *handler) listing(w http.ResponseWriter, r *http.Request) {
	list, err := h.Games.Listing()
	if err != nil {
		answer(w, nil, err)
		return
	}
	part, err := list.PartOf(r.URL.Query())
	answer(w, part, err)
}

func (h *handler) game(w http.ResponseWriter, r *http.Request) {
	var number int
	if _, err := fmt.Sscan(r.PathValue("number"), &number); err != nil {
		http.Error(w, fmt.Sprintf("game %q: want a number", r.PathValue("number")), http.StatusBadRequest)
		return
	}
	g, err := h.Games.Game(number)
	answer(w, g, err)
}

// answer sends JSON, compressed, or what went wrong.
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
	w.Header().Set("Content-Encoding", "gzip") // which every browser with modules reads
	zipped, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if json.NewEncoder(zipped).Encode(v) == nil {
		zipped.Close()
	}
}
