package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/tournament"
	"pommego/arena/web"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/internal/disk"
)

// livePage is the page of running environments. keyVariable is the environment variable for the key to
// them: other users can read arguments.
const livePage, keyVariable = "live.html", "POMMEGO_VIEW_KEY"

type viewOptions struct {
	listen     string
	game       int
	step       uint
	tokenFile  string
	caFile     string
	clientCert string
	stdin      bool
	asJSON     bool
}

func newView() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view FILE|DATASET|TOURNAMENT|ADDRESS",
		Short: "Look at recorded games, data sets, tournaments and running environments in the browser",
		Long: `Look at recorded games in the browser: every step with what led to it, events to jump to, what
each seat sees, and a chart of each side's estimated chance. The address that is printed holds a token, without
which the page shows nothing. Only this machine can open it; the page asks for nothing
from elsewhere. SIGINT ends it.

FILE may also be a folder with files of recorded games, *.jsonl and *.jsonl.gz. The page names those
that are damaged.

Of a data set (its folder) and of a tournament (the folder of its --out, or games.jsonl in that) a table of
games is shown first, of a finished tournament with ratings and the comparison of pairs. A tournament
may still be under way. Its log has the moves of its games: what it names is neither started nor opened.

With the address of a server (ws://HOST:PORT, wss://HOST:PORT or unix:PATH) and the key of an environment there the
page shows its games while they are stepped: 16 side by side with what becomes of their episodes, and
each with what its seats see, rewards, and what its client shows of its thoughts. It does not slow them
down unless it is open. Only the client that made an environment gets its key. With the key that pommego
serve --web prints, the page lists all environments, and opens those made with web=True. Other users of
this machine can read arguments: where that matters, leave #KEY out and set the environment variable ` + keyVariable + `.

A page of one file, to be sent to others, is written by: pommego replay FILE --html page.html`,
		Example: `  pommego view games.jsonl.gz
  pommego view games.jsonl.gz --game 17 --step 200
  pommego view ffa
  pommego view results
  pommego view games.jsonl.gz --listen 127.0.0.1:8080
  pommego view ws://127.0.0.1:8765#KEY`,
		Args: exactly(1, "FILE, DATASET, TOURNAMENT or ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0], cmd.Flags().Changed("game"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "where to listen on this machine: host:port (port 0: a free one)")
	f.IntVar(&o.game, "game", 1, "the game to begin with, by its number")
	f.Lookup("game").DefValue = "the list of games, if there are several"
	f.UintVar(&o.step, "step", 0, "the step to begin with")
	f.StringVar(&o.tokenFile, "token-file", "",
		"with ADDRESS, a file that holds the server's token; else it is in the environment variable "+tokenVariable)
	f.StringVar(&o.caFile, "ca-file", "",
		"with wss://, the PEM file of the authorities that the server's certificate comes from; else this system's")
	f.StringVar(&o.clientCert, "client-cert", "",
		"with wss://, the PEM file with a certificate of your own and its private key, if the server wants one")
	f.BoolVar(&o.stdin, "exit-on-stdin-close", false,
		"with ADDRESS, end when standard input closes, as it does when a parent process ends")
	f.BoolVar(&o.asJSON, "json", false, "print the address as a JSON object")
	return cmd
}

func (o *viewOptions) run(cmd *cobra.Command, path string, begin bool) error {
	if err := o.checkListen(); err != nil {
		return err
	}
	if strings.HasPrefix(path, "ws://") || strings.HasPrefix(path, "wss://") || strings.HasPrefix(path, "unix:") {
		return o.live(cmd, path)
	}
	games, err := gamesAt(path)
	if err != nil {
		return err
	}
	tell, end := progress(func(path string, _, now time.Duration) string {
		return fmt.Sprintf("reading %s, %v", path, now.Round(time.Second))
	})
	tell(path)
	list, err := games.Listing() // reports an unreadable file here, not on the page
	if end(); err != nil {
		return err
	}
	if list.Kind == "games" && len(list.Games) == 0 {
		return usagef("%s holds neither a data set nor a tournament nor recorded games: want a %s, a tournament's %s, or "+
			"*.jsonl or *.jsonl.gz with games", path, dataset.ManifestName, tournamentLog)
	}
	fragment := url.Values{}
	if begin {
		if _, err := games.Open(o.game); err != nil {
			return usageError{err}
		}
	} else if len(list.Games) > 0 {
		o.game = list.Games[0].Game
	}
	if begin || o.step > 0 {
		fragment.Set("game", strconv.Itoa(o.game))
		fragment.Set("step", fmt.Sprint(o.step))
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	return o.serve(ctx, cmd.OutOrStdout(), "", web.Config{Listing: games.Listing, Game: games.Game},
		fragment, fmt.Sprintf("%d games", len(list.Games)))
}

func gamesAt(path string) (games web.Source, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return games, usagef("%w: want an existing file or folder, or an address, ws://HOST:PORT#KEY or unix:PATH#KEY", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return games, usagef("%s is no regular file, and games are read again when they are shown: use a file", path)
	}
	if folder := inDataSet(path); folder != "" {
		set, game, err := openSet(folder)
		if err != nil {
			return games, err
		}
		return web.DataSet(set, game), nil
	}
	if log := tournamentAt(path); log != "" {
		return web.Tournament(path, log, func() (*tournament.Kept, error) { return tournament.Read(log, variantOf) }), nil
	}
	return web.Recorded(path, catalog.Formats()), nil
}

// inDataSet returns the folder of the data set that path is, or is a file of, if only begun; "" if there is none.
func inDataSet(path string) string {
	folder := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() && strings.HasSuffix(path, ".parquet") {
		folder = filepath.Dir(filepath.Dir(path))
	}
	for _, name := range []string{dataset.ManifestName, dataset.WorkFolder} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return folder
		}
	}
	return ""
}

// tournamentAt returns the log of the tournament that path is the folder of, or the log; "" if there is none. It
// reads nothing of a pipe, which can be read only once.
func tournamentAt(path string) string {
	first := errors.New("the first line")
	for _, log := range []string{filepath.Join(path, tournamentLog), path} {
		info, err := os.Stat(log)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		err = disk.ReadLog(log, func([]byte) error { return first }, nil)
		if errors.Is(err, first) || errors.Is(err, disk.ErrDamaged) {
			return log
		}
	}
	return ""
}

// variantOf is the game of an id. For an id with "custom:" it has the given rules; other ids have their own.
func variantOf(id string, rules json.RawMessage) (env.Game, error) {
	if base, own := strings.CutPrefix(id, "custom:"); own {
		return catalog.Variant(base, rules)
	}
	return catalog.Game(id)
}

// serve serves a page until ctx ends.
func (o *viewOptions) serve(ctx context.Context, out io.Writer, name string, cfg web.Config, fragment url.Values,
	what string) error {
	p, err := openPage(o.listen, cfg)
	if err != nil {
		return err
	}
	address := p.address(name, fragment)
	text := fmt.Sprintf("%s, to look at in the browser until you press Ctrl-C:\n%s", what, address)
	if err := say(out, o.asJSON, map[string]string{"address": address}, text); err != nil {
		return errors.Join(err, p.ln.Close())
	}
	return serveHTTP(ctx, p.ln, p.handler)
}

func (o *viewOptions) live(cmd *cobra.Command, address string) error {
	address, key, _ := strings.Cut(address, "#")
	if key = cmp.Or(key, os.Getenv(keyVariable)); key == "" {
		return usagef("the address is %s, want %s#KEY, or the key in %s: that of an environment, which the client that made "+
			"it has, or that of the list, which pommego serve --web prints", address, address, keyVariable)
	}
	token, err := serverToken(o.tokenFile)
	if err != nil {
		return err
	}
	trusted, err := trust(o.caFile, o.clientCert)
	if err != nil {
		return err
	}
	server, err := serverAt(address, token, trusted)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1) // it only forwards small answers, and trainers need the cores
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	ctx, gone := untilStdinCloses(ctx, o.stdin)
	defer gone()
	return o.serve(ctx, cmd.OutOrStdout(), livePage, liveConfig(server), url.Values{"key": {key}},
		"running games at "+address)
}

// checkListen returns an error if other machines could connect.
func (o *viewOptions) checkListen() error {
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return usagef("--listen: %w", err)
	}
	if !web.Local(o.listen) {
		return usagef("--listen is %s, want an address of this machine alone, such as 127.0.0.1:8080: forward the port to "+
			"look from elsewhere", o.listen)
	}
	return nil
}

// liveConfig makes a page of running environments. live answers its requests below /live.
func liveConfig(live http.Handler) web.Config {
	answer := http.StripPrefix("/api", live).ServeHTTP
	return web.Config{Handlers: map[string]http.HandlerFunc{"GET /api/live": answer, "GET /api/live/{game}": answer}}
}

func serverAt(address, token string, trusted *tls.Config) (http.Handler, error) {
	scheme, network, target, host := "http", "unix", strings.TrimPrefix(address, "unix:"), "localhost"
	if target == address {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return nil, usagef("the address is %q, want ws://HOST:PORT, wss://HOST:PORT or unix:PATH", address)
		}
		scheme, network, target, host = strings.Replace(u.Scheme, "ws", "http", 1), "tcp", u.Host, u.Host
	}
	return &httputil.ReverseProxy{
		Transport: &http.Transport{
			IdleConnTimeout: time.Second,
			TLSClientConfig: trusted,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, target)
			},
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = scheme, host, host
			r.Out.Header = http.Header{"View-Key": r.In.Header["View-Key"]}
			if token != "" {
				r.Out.Header.Set("Authorization", "Bearer "+token)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("the server at %s does not answer: %v", address, err), http.StatusBadGateway)
		},
	}, nil
}
