package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/web"
)

type viewOptions struct {
	listen     string
	game, step int
	asJSON     bool
}

func newView() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view FILE",
		Short: "Look at recorded games in the browser",
		Long: `Look at recorded games in the browser: every step with what led to it, events to jump to, what
each seat sees and two games side by side. The address that is printed holds a token, without
which the page shows nothing. Only this machine can open it; the page asks for nothing
from elsewhere. Further files can be dropped onto it. SIGINT ends it.

A page of one file, to be sent to others, is written by: pommego replay FILE --html page.html`,
		Example: `  pommego view games.jsonl.gz
  pommego view games.jsonl.gz --game 17 --step 200
  pommego view games.jsonl.gz --listen 127.0.0.1:8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := o.checkListen(); err != nil {
				return err
			}
			return exactly(1, "FILE")(cmd, args)
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
	if _, err := os.Stat(path); err != nil {
		return nil, usageError{err}
	}
	return web.Recorded(path, formats), nil
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
