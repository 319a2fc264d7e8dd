package bridge

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Operations serves operators at an address of its own: /healthz, /readyz and /metrics,
// without a token. On the server's own address the first two need no token either.
//
// A page in a browser could reach a local address by a name that it has made up. So a
// request must call the server by an IP address or a name that the server knows.
func (srv *Server) Operations() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * lookTimeout)) // for those who do not read
		switch {
		case srv.probe(w, r):
		case !srv.Known(r):
			refuse(w, http.StatusForbidden,
				fmt.Sprintf("the Host header is %q, want an IP address or a name the server was started with", r.Host))
		case r.URL.Path == "/metrics":
			promhttp.HandlerFor(srv.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
		default:
			refuse(w, http.StatusNotFound, fmt.Sprintf("the path is %q, want /healthz, /readyz or /metrics", r.URL.Path))
		}
	})
}

// probe answers /healthz and /readyz, and reports whether r was one of them.
func (srv *Server) probe(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
	case "/readyz":
		if reason := srv.unready(); reason != "" {
			refuse(w, http.StatusServiceUnavailable, reason)
			return true
		}
		fmt.Fprintln(w, "ready")
	default:
		return false
	}
	return true
}

// unready returns why the server takes no new connections; empty if it takes some.
func (srv *Server) unready() string {
	switch {
	case srv.draining.Load():
		return "this server is shutting down and takes no new connections"
	case srv.connections.Load() >= int64(srv.cfg.MaxConnections):
		return fmt.Sprintf("this server has all of its %d connections; close one or come back later", srv.cfg.MaxConnections)
	}
	return ""
}

// Drain makes the server refuse new connections, for good, and waits until the present ones are
// gone or ctx is done. It returns how many are left. The caller then shuts the server down.
func (srv *Server) Drain(ctx context.Context) (left int) {
	srv.draining.Store(true)
	for {
		if left = int(srv.connections.Load()); left == 0 || ctx.Err() != nil {
			return left
		}
		time.Sleep(10 * time.Millisecond)
	}
}
