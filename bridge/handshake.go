package bridge

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// admit checks a request before it is upgraded. A status other than 0 refuses it.
func (srv *Server) admit(r *http.Request) (status int, reason string) {
	switch {
	case !srv.Known(r):
		return http.StatusForbidden,
			fmt.Sprintf("the Host header is %q, and this server answers to IP addresses, localhost and the names it was "+
				"started with (--host)", r.Host)
	case len(r.Header.Values("Origin")) > 0: // only browsers send it
		return http.StatusForbidden,
			fmt.Sprintf("the Origin header is %q, and this server answers to programs, not to web pages",
				r.Header.Get("Origin"))
	}
	if status, reason = srv.admitToken(r); status != 0 {
		return status, reason
	}
	switch {
	case asksLive(r), srv.protocol(r.URL.Path) != nil:
		return 0, ""
	case r.URL.Path != "/":
		path, _, secret := strings.Cut(r.URL.Path, "/token/")
		if secret { // not shown: the log shows reasons
			path += "/token/***"
		}
		return http.StatusNotFound, fmt.Sprintf("the path is %q, want /, or one of those that serve --openenv answers", path)
	case !websocket.IsWebSocketUpgrade(r):
		return http.StatusBadRequest, "this is a pommego server: connect with WebSocket and subprotocol " + Subprotocol
	case !slices.Contains(websocket.Subprotocols(r), Subprotocol):
		return http.StatusBadRequest,
			fmt.Sprintf("the subprotocols offered are %q, want %s: install client and server of the same release",
				websocket.Subprotocols(r), Subprotocol)
	}
	return 0, ""
}

func asksLive(r *http.Request) bool {
	return r.URL.Path == livePath || strings.HasPrefix(r.URL.Path, livePath+"/")
}

// Known reports whether a request calls the server by an IP address or by one of its names. A page can make up a name
// that leads to this machine, but no address.
func (srv *Server) Known(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "["), "]")
	return host == "localhost" || net.ParseIP(host) != nil ||
		slices.ContainsFunc(srv.cfg.Hosts, func(known string) bool { return strings.EqualFold(known, host) })
}

const (
	// tokenPause is how long the answer to a wrong token takes.
	tokenPause = 500 * time.Millisecond

	// mostPaused is how many such answers may wait at a time. Further ones are given at once, and to requests with a
	// body none.
	mostPaused = 256
)

// admitToken is the part of admit that checks the token. The answer to a wrong token takes a while;
// no other client waits for it. The right token is never refused, however many wrong ones come.
func (srv *Server) admitToken(r *http.Request) (status int, reason string) {
	given := r.Header.Get("Authorization")
	if srv.cfg.Token == "" || srv.knowsToken(given) {
		return 0, ""
	}
	if given != "" {
		srv.metrics.wrongTokens.Inc()
		p := r.Context().Value(peerKey{}).(peer)
		p.settle()
		if srv.paused.Add(1) <= mostPaused {
			select {
			case <-time.After(tokenPause):
			case <-r.Context().Done():
			}
			p.SetReadDeadline(time.Now().Add(tokenPause)) // for the rest of a body, which the connection stays for
		} else if r.ContentLength != 0 {
			p.Close()
		}
		srv.paused.Add(-1)
	}
	return http.StatusUnauthorized,
		"this server wants the header Authorization: Bearer TOKEN, with the token it was started with"
}

func (srv *Server) knowsToken(given string) bool {
	scheme, token, _ := strings.Cut(given, " ")
	// Hashes have one length, so the time of the comparison says nothing about the token.
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], srv.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// refuse answers a request with one line that says why.
func refuse(w http.ResponseWriter, status int, reason string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	http.Error(w, reason, status)
}
