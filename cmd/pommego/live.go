package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"pommego/arena/web"
)

// livePage is the page of running environments.
const livePage = "live.html"

// isAddress reports whether an argument is the address of a server.
func isAddress(text string) bool {
	return strings.HasPrefix(text, "ws://") || strings.HasPrefix(text, "unix:")
}

// liveConfig has the page of running environments answered by what answers below /live.
func liveConfig(live http.Handler) web.Config {
	answer := http.StripPrefix("/api", live).ServeHTTP
	return web.Config{Handlers: map[string]http.HandlerFunc{
		"GET /api/live": answer, "GET /api/live/{env}/{game}": answer, "POST /api/live/{env}/{order}": answer,
	}}
}

// serverAt passes requests on to the server at an address, with its token.
func serverAt(address, token string) (http.Handler, error) {
	network, target, host := "unix", strings.TrimPrefix(address, "unix:"), "localhost"
	if target == address {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return nil, usagef("the address is %q, want ws://HOST:PORT or unix:PATH", address)
		}
		network, target, host = "tcp", u.Host, u.Host
	}
	return &httputil.ReverseProxy{
		Transport: &http.Transport{
			IdleConnTimeout: time.Second,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, target)
			},
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", host, host
			r.Out.Header = http.Header{}
			if token != "" {
				r.Out.Header.Set("Authorization", "Bearer "+token)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("the server at %s does not answer: %v", address, err), http.StatusBadGateway)
		},
	}, nil
}
