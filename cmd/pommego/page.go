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
)

// page is one in the browser that is about to be served.
type page struct {
	address string // with the token
	handler http.Handler
	ln      net.Listener
}

// openPage listens, at an address of this machine alone, for those who open a page of
// the program's, "" for that of recorded games.
func openPage(listen, name string, cfg web.Config, fragment url.Values) (*page, error) {
	cfg.Token = rand.Text()
	handler, err := web.New(cfg)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	fragment.Set("token", cfg.Token)
	return &page{fmt.Sprintf("http://%s/%s#%s", ln.Addr(), name, fragment.Encode()), handler, ln}, nil
}

// serve serves the page until ctx ends.
func (p *page) serve(ctx context.Context) error {
	server := &http.Server{Handler: p.handler, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(p.ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
