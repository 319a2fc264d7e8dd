package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"pommego/arena/web"
)

// livePage is the page of running environments. keyVariable is the environment variable for the key to
// them: other users can read arguments.
const livePage, keyVariable = "live.html", "POMMEGO_VIEW_KEY"

func isAddress(text string) bool {
	return strings.HasPrefix(text, "ws://") || strings.HasPrefix(text, "wss://") || strings.HasPrefix(text, "unix:")
}

// keyed splits the address of a server from the key.
func keyed(text string) (address, key string, err error) {
	address, key, _ = strings.Cut(text, "#")
	if key = cmp.Or(key, os.Getenv(keyVariable)); key == "" {
		err = usagef("the address is %s, want %s#KEY, or the key in %s: that of an environment, which the client that made "+
			"it has, or that of the list, which pommego serve --web prints", address, address, keyVariable)
	}
	return address, key, err
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
