package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"pommego/arena/web"
	"pommego/bridge"
)

// page is a listener for the program's pages in the browser.
type page struct {
	token   string
	handler http.Handler
	ln      net.Listener
}

// openPage listens at an address of this machine alone.
func openPage(listen string, cfg web.Config) (*page, error) {
	cfg.Token = rand.Text()
	for pattern, answer := range cfg.Handlers { // streams of those who have the token stay
		cfg.Handlers[pattern] = func(w http.ResponseWriter, r *http.Request) {
			bridge.Settle(r)
			answer(w, r)
		}
	}
	ln, err := listenTCP("--listen", listen)
	if err != nil {
		return nil, err
	}
	return &page{cfg.Token, web.New(cfg), ln}, nil
}

// address is the address of one of the pages, "" for that of recorded games, with the token.
func (p *page) address(name string, fragment url.Values) string {
	fragment.Set("token", p.token)
	return fmt.Sprintf("http://%s/%s#%s", p.ln.Addr(), name, fragment.Encode())
}

// serveHTTP serves until ctx ends, within the bounds of bridge.Bound.
func serveHTTP(ctx context.Context, ln net.Listener, handler http.Handler) error {
	prompt := func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 { // the server reads a body before it lets the connection go
			http.NewResponseController(w).SetReadDeadline(time.Now().Add(5 * time.Second))
		}
		handler.ServeHTTP(w, r)
	}
	server := &http.Server{Handler: http.HandlerFunc(prompt), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 8 << 10, ConnContext: bridge.ConnContext}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(bridge.Bound(ln)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
