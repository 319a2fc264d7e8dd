package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pommego/env"
)

// httpPlayer is an agent behind a web server of its own, in the protocol of the
// reference's HTTP and Docker agents.
type httpPlayer struct {
	remote
	caller
	met  bool   // the server has answered
	sent string // the last body of /init_agent that the server answered and still knows
	obs  []byte
}

// caller calls a server.
type caller struct {
	base, key string
	hidden    *regexp.Regexp // finds the key, also escaped, so that no result contains it; nil: no key
	most      int            // bytes of an answer, at most
	client    *http.Client
	lost      bool // the server did not answer; another may answer next time
}

// hide sends the key with each request. Then masked and hush replace it in texts and errors.
func (p *caller) hide(key string) {
	var pattern strings.Builder
	for _, c := range key { // plain, or escaped as in JSON or an address
		fmt.Fprintf(&pattern, `(?:\\*%s|(?i:\\+u%04x|%%%02x))`, regexp.QuoteMeta(string(c)), c, c)
	}
	if p.key = key; key != "" {
		p.hidden = regexp.MustCompile(pattern.String())
	}
}

func (p *caller) masked(text string) string {
	if p.hidden == nil {
		return text
	}
	return p.hidden.ReplaceAllLiteralString(text, "***")
}

func (p *caller) hush(err error) error {
	if text := p.masked(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

func newCaller(base string, most int) caller {
	return caller{base: base, most: most, client: &http.Client{
		// As with the original, each request has a connection of its own, so
		// that no answer can belong to an earlier one. No proxy, no redirects.
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// addresses has the addresses of all open players. A server keeps the state of
// one game, so it can have only one seat.
var addresses sync.Map

// newHTTP makes a player from "http://host:port".
func newHTTP(game env.Game, name string) (Player, error) {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("match: player %q, want http://host:port", name)
	}
	base := "http://" + strings.ToLower(u.Host)
	if _, taken := addresses.LoadOrStore(base, true); taken {
		return nil, fmt.Errorf("match: player %q has a seat already: it is one agent, and each seat needs one of its own",
			name)
	}
	return &httpPlayer{remote: remote{name, game}, caller: newCaller(base, maxAnswer)}, nil
}

// Begin waits until the server gives any answer, and sends it the number of its
// seat and the kind of game. It does not send them again for the next game if
// they are the same: the original's own runner cannot take them twice.
func (p *httpPlayer) Begin(ctx context.Context, g Start) error {
	if err := p.await(ctx, p.name, "/ping"); err != nil {
		return err
	}
	p.met = true
	body := string(appendFields(nil, "id", strconv.Itoa(g.Seat), "game_type", p.game.GameType()))
	if body == p.sent && !p.lost {
		return nil
	}
	p.sent, p.lost = body, false
	_, err := p.do(ctx, http.MethodPost, "/init_agent", []byte(body))
	return err
}

// await repeats a request until there is an answer or time is up.
func (p *caller) await(ctx context.Context, name, path string) error {
	var last error
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		_, err := p.do(ctx, http.MethodGet, path, nil)
		var status statusError
		if err == nil || errors.As(err, &status) {
			return nil
		}
		if last == nil || ctx.Err() == nil { // report the failed request and not that time is up
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %w: %w", name, ErrAbsent, last)
		case <-time.After(pause):
		}
	}
}

func (p *httpPlayer) Act(ctx context.Context, m env.Match, seat int, action []uint8) (Cost, error) {
	p.obs = p.game.AppendObservation(p.obs[:0], m, seat)
	// A new body each time: the client may read one after it has returned.
	body := make([]byte, 0, len(p.obs)*9/8)
	body = appendFields(body, "obs", string(p.obs), "action_space", p.game.ActionSpace())
	reply, err := p.do(ctx, http.MethodPost, "/action", body)
	if err != nil {
		return Cost{}, err
	}
	var answer struct{ Action json.RawMessage }
	if err := json.Unmarshal(reply, &answer); err != nil {
		return Cost{}, fmt.Errorf(`POST /action answered %s, want {"action": ...}`, short(reply))
	}
	return Cost{}, readAction(answer.Action, p.game.Spec().Actions, action)
}

func (p *httpPlayer) End(ctx context.Context, r Outcome) error {
	fields := []string{"reward", strconv.FormatFloat(r.Reward, 'f', -1, 64)}
	if r.Counts != nil {
		counts, err := json.Marshal(r.Counts)
		if err != nil {
			return err
		}
		fields = append(fields, "counts", string(counts))
	}
	_, err := p.do(ctx, http.MethodPost, "/episode_end", appendFields(nil, fields...))
	return err
}

// Close tells the agent that there will be no more games. Its answer is ignored:
// it may end at once.
func (p *httpPlayer) Close() error {
	if p.met {
		ctx, cancel := context.WithTimeout(context.Background(), endLimit)
		defer cancel()
		p.do(ctx, http.MethodPost, "/shutdown", []byte("{}"))
		p.met = false
	}
	p.client.CloseIdleConnections()
	addresses.Delete(p.base)
	return nil
}

// statusError is an answer with a status other than success.
type statusError struct {
	request, status, body string
	code                  int
	wait                  time.Duration // how long to wait before the next request, if the server says so
}

func (e statusError) Error() string { return e.request + " answered " + e.status }

// do makes one request and reads the answer, if it is not too long.
func (p *caller) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.lost = p.lost || ctx.Err() == nil
		return nil, p.hush(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, int64(p.most)+1))
	reply = []byte(p.masked(string(reply)))
	switch {
	case err != nil:
		p.lost = p.lost || ctx.Err() == nil
		return nil, p.hush(fmt.Errorf("%s %s: %w", method, path, err))
	case len(reply) > p.most:
		return nil, fmt.Errorf("%s %s answered more than %d bytes", method, path, p.most)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is not a number
		return nil, statusError{method + " " + path, p.masked(resp.Status), short(reply), resp.StatusCode,
			time.Duration(min(max(seconds, 0), 3600)) * time.Second}
	}
	return reply, nil
}

// appendFields appends a JSON object of strings, each of which holds JSON, as
// the reference sends them.
func appendFields(dst []byte, pairs ...string) []byte {
	dst = append(dst, '{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(dst, '"'), pairs[i]...), `": "`...)
		for _, c := range []byte(pairs[i+1]) {
			if c == '"' || c == '\\' { // JSON text holds no control characters
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
		}
		dst = append(dst, '"')
	}
	return append(dst, '}')
}
