package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
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

type viewOptions struct {
	listen     string
	game, step int
	asJSON     bool
}

func newView() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view FILE|DATASET|TOURNAMENT",
		Short: "Look at recorded games, data sets and tournaments in the browser",
		Long: `Look at recorded games in the browser: every step with what led to it, events to jump to, what
each seat sees and two games side by side. The address that is printed holds a token, without
which the page shows nothing. Only this machine can open it; the page asks for nothing
from elsewhere. Further files can be dropped onto it. SIGINT ends it.

Of a data set (its folder) and of a tournament (the folder of --out or the file of --log) a table of
games is shown first, of a finished tournament with ratings and the comparison of pairs. A tournament
may still be under way. Its log holds results; to be shown, a game is played again by the same agents.

A page of one file, to be sent to others, is written by: pommego replay FILE --html page.html`,
		Example: `  pommego view games.jsonl.gz
  pommego view games.jsonl.gz --game 17 --step 200
  pommego view ffa
  pommego view results
  pommego view games.jsonl.gz --listen 127.0.0.1:8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := o.checkListen(); err != nil {
				return err
			}
			return exactly(1, "FILE, DATASET or TOURNAMENT")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0], cmd.Flags().Changed("game"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "where to listen on this machine: host:port (port 0: a free one)")
	f.IntVar(&o.game, "game", 1, "the game to begin with, by its number; else the list of games, if there are several")
	f.IntVar(&o.step, "step", 0, "the step to begin with")
	f.BoolVar(&o.asJSON, "json", false, "print the address as a JSON object")
	return cmd
}

func (o *viewOptions) run(cmd *cobra.Command, path string, begin bool) error {
	games, err := gamesAt(path)
	if err != nil {
		return err
	}
	list, err := games.Listing() // an unreadable file is told here, not on the page
	if err != nil {
		return err
	}
	fragment := url.Values{}
	if begin || o.step > 0 {
		fragment.Set("game", strconv.Itoa(o.game))
		fragment.Set("step", strconv.Itoa(o.step))
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	return o.serve(ctx, cmd.OutOrStdout(), web.Config{Games: games, Open: web.OpenRecorded(formats)}, fragment, len(list.Games))
}

// gamesAt is the games that an argument names.
func gamesAt(path string) (web.Games, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, usageError{err}
	}
	if folder := inDataSet(path); folder != "" {
		set, game, err := openSet(folder)
		if err != nil {
			return nil, err
		}
		return web.DataSet(set, game), nil
	}
	if info.IsDir() {
		log := filepath.Join(path, tournamentLog)
		if _, err := os.Stat(log); err != nil {
			return nil, usagef("%s holds neither a data set nor a tournament: there is no %s and no %s", path, dataset.ManifestName, tournamentLog)
		}
		return tournamentAt(path, log), nil
	}
	if isLog(path) {
		return tournamentAt(path, path), nil
	}
	return web.Recorded(path, formats), nil
}

// isLog reports whether a file begins as logs of tournaments do.
func isLog(path string) bool {
	first := errors.New("the first line")
	err := disk.ReadLog(path, func([]byte) error { return first })
	return errors.Is(err, first)
}

// tournamentAt is a tournament by the name under which it was found, and its log.
func tournamentAt(name, log string) web.Games {
	return web.Tournament(name, func() (*tournament.Kept, error) { return tournament.Read(log, variantOf) })
}

// variantOf is the game of an id and rules, which for ids with their own rules say all.
func variantOf(id string, rules json.RawMessage) (env.Game, error) {
	if base, own := strings.CutPrefix(id, "custom:"); own {
		return catalog.Variant(base, rules)
	}
	return catalog.Game(id)
}

// serve serves a page until ctx ends.
func (o *viewOptions) serve(ctx context.Context, out io.Writer, cfg web.Config, fragment url.Values, games int) error {
	cfg.Token = rand.Text()
	handler, err := web.New(cfg)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fragment.Set("token", cfg.Token)
	address := fmt.Sprintf("http://%s/#%s", ln.Addr(), fragment.Encode())
	if o.asJSON {
		err = printJSON(out, map[string]string{"address": address})
	} else {
		_, err = fmt.Fprintf(out, "%d games, to look at in the browser until you press Ctrl-C:\n%s\n", games, address)
	}
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// checkListen makes sure that only this machine can connect.
func (o *viewOptions) checkListen() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usagef("--listen: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--listen is %s, want an address of this machine alone, such as 127.0.0.1:8080: forward the port to look from elsewhere", o.listen)
	}
	return nil
}
