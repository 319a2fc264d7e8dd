package match

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pommego/env"
	"pommego/env/saved"
)

// httpPlayer is an agent behind a web server of its own, in the protocol of the
// reference's HTTP and Docker agents.
type httpPlayer struct {
	remote
	Caller
	sent map[string]string // the last body of /init_agent that the server still knows; nil: it has not answered yet
	obs  []byte
}

// Caller calls a server, for a player.
type Caller struct {
	Lost bool // the server did not answer; another may answer next time

	absent    error // what Await returns in vain: ErrAbsent, or ErrVoid once there has been an answer
	base, key string
	hidden    *regexp.Regexp    // finds the key, also escaped, so that no result contains it; nil: it is no secret
	bare      *strings.Replacer // removes escapes of the key's characters: to see quickly that the key is not there
	most      int               // bytes of an answer, at most
	client    *http.Client
}

// NewCaller makes a caller of the server at an address, whose answers have so many bytes at most.
func NewCaller(base string, most int) Caller {
	return Caller{absent: ErrAbsent, base: base, most: most, client: &http.Client{
		// As with the original, each request has a connection of its own, so
		// that no answer can belong to an earlier one. No proxy, no redirects.
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Hide sends the key with each request. Then masked and hush replace it in texts and errors. A key of fewer than 6
// characters is no secret, and could be part of any answer: it stays.
func (p *Caller) Hide(key string) {
	var pattern strings.Builder
	bare := []string{`\`, ""}
	for _, c := range key { // plain, or escaped as in JSON or an address
		fmt.Fprintf(&pattern, `(?:\\*%s|(?i:\\+u%04x|%%%02x))`, regexp.QuoteMeta(string(c)), c, c)
		for _, form := range []string{"u%04x", "u%04X", "%%%02x", "%%%02X"} {
			bare = append(bare, fmt.Sprintf(form, c), string(c))
		}
	}
	if p.key = key; len(key) >= 6 {
		p.hidden, p.bare = regexp.MustCompile(pattern.String()), strings.NewReplacer(bare...)
	}
}

func (p *Caller) masked(text string) string {
	if p.hidden == nil || !strings.Contains(p.bare.Replace(text), p.bare.Replace(p.key)) {
		return text
	}
	return p.hidden.ReplaceAllLiteralString(text, "***")
}

func (p *Caller) hush(err error) error {
	if text := p.masked(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// addresses has the addresses of all open players. A server keeps the state of
// one game, so it can have only one seat.
var addresses sync.Map

func newHTTP(game env.Game, name string) (Player, error) {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("match: player %q, want http://host:port", name)
	}
	base := "http://" + strings.ToLower(u.Host)
	if _, taken := addresses.LoadOrStore(base, true); taken {
		return nil, fmt.Errorf("match: player %q %w: it is one agent, and each seat needs one of its own", name,
			env.ErrTaken)
	}
	return &httpPlayer{remote: remote{Local(name), game, ""}, Caller: NewCaller(base, maxAnswer)}, nil
}

// Begin waits until the server gives any answer, and sends it the number of its
// seat and the kind of game. It does not send them again for the next game if
// they are the same and were taken: the original's own runner cannot take them twice.
func (p *httpPlayer) Begin(ctx context.Context, g Start) error {
	if err := p.Await(ctx, p.Name(), "/ping"); err != nil {
		return err
	}
	body := map[string]string{"id": strconv.Itoa(g.Seat), "game_type": p.game.GameType()}
	if maps.Equal(body, p.sent) && !p.Lost {
		return nil
	}
	p.sent = body
	_, err := p.Do(ctx, "/init_agent", body)
	p.Lost = err != nil
	return err
}

// Await repeats a request until there is any answer or time is up. name is the player's, for the error.
func (p *Caller) Await(ctx context.Context, name, path string) error {
	var last error
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		_, err := p.Do(ctx, path, nil)
		if _, answered := errors.AsType[StatusError](err); err == nil || answered {
			p.absent = fmt.Errorf("is not there any more: %w", ErrVoid)
			return nil
		}
		if last == nil || ctx.Err() == nil { // report the failed request and not that time is up
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %w: %w", name, p.absent, last)
		case <-time.After(pause):
		}
	}
}

func (p *httpPlayer) Act(ctx context.Context, m env.Match, seat int, action []uint8) (Cost, error) {
	p.obs = p.game.AppendObservation(p.obs[:0], m, seat)
	reply, err := p.Do(ctx, "/action", map[string]string{"obs": string(p.obs), "action_space": p.game.ActionSpace()})
	if err != nil {
		return Cost{}, err
	}
	var answer struct{ Action json.RawMessage }
	if err := json.Unmarshal(reply, &answer); err != nil {
		return Cost{}, fmt.Errorf(`POST /action answered %s, want {"action": ...}`, Short(reply))
	}
	return Cost{}, readAction(answer.Action, p.game.Spec().Actions, action)
}

func (p *httpPlayer) End(ctx context.Context, r Outcome) error {
	fields := map[string]string{"reward": strconv.FormatFloat(r.Reward, 'f', -1, 64)}
	if r.Counts != nil {
		fields["counts"] = string(saved.JSON(r.Counts))
	}
	_, err := p.Do(ctx, "/episode_end", fields)
	return err
}

// Close tells the agent that there will be no more games. Its answer is ignored:
// it may end at once.
func (p *httpPlayer) Close() error {
	if p.sent != nil {
		ctx, cancel := context.WithTimeout(context.Background(), endLimit)
		defer cancel()
		p.Do(ctx, "/shutdown", struct{}{})
		p.sent = nil
	}
	addresses.Delete(p.base)
	return nil
}

// StatusError is an answer with a status other than success.
type StatusError struct {
	request, status string
	Body            string // its beginning
	Code            int
	Wait            time.Duration // how long to wait before the next request, if the server says so
}

func (e StatusError) Error() string { return e.request + " answered " + e.status }

// Do makes one request, GET without a body and else POST, with the body as JSON. It reads the answer, if that is not
// too long.
func (p *Caller) Do(ctx context.Context, path string, body any) ([]byte, error) {
	method, text := http.MethodGet, []byte(nil)
	var err error
	if body != nil {
		method = http.MethodPost
		text, err = json.Marshal(body)
	}
	req, also := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(text))
	if err = cmp.Or(err, also); err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.Lost = p.Lost || ctx.Err() == nil
		return nil, p.hush(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, int64(p.most)+1))
	switch {
	case err != nil:
		p.Lost = p.Lost || ctx.Err() == nil
		return nil, p.hush(fmt.Errorf("%s %s: %w", method, path, err))
	case len(reply) > p.most:
		return nil, fmt.Errorf("%s %s answered more than %d bytes", method, path, p.most)
	}
	if reply = []byte(p.masked(string(reply))); resp.StatusCode < 200 || resp.StatusCode > 299 {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is not a number
		return nil, StatusError{method + " " + path, p.masked(resp.Status), Short(reply), resp.StatusCode,
			time.Duration(min(max(seconds, 0), 3600)) * time.Second}
	}
	return reply, nil
}
