package bridge

import (
	"errors"
	"flag"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

var autobahn = flag.String("autobahn", "",
	"the program kosoku, which has Autobahn's test cases; without it TestAutobahn is skipped")

// TestAutobahn has the WebSocket test suite Autobahn judge how this server reads
// messages and ends connections: by the same code as its sessions, which here send back
// what they get. Cases of compression are left out, as the server has none; and those of
// messages of up to 16 MiB where the limit for messages is the default.
func TestAutobahn(t *testing.T) {
	if *autobahn == "" {
		t.Skip("needs -autobahn: make autobahn")
	}
	for _, run := range []struct {
		name    string
		limit   int
		without []string
	}{
		{"default limits", 0, []string{"-x", "9.*"}},
		{"raised limits", 32 << 20, nil},
	} {
		t.Run(run.name, func(t *testing.T) {
			host := startEcho(t, func(c *Config) { c.maxMessageBytes = run.limit })
			args := append([]string{"-m", "fuzzingclient", "-p", "2", "-x", "12.*", "-x", "13.*", "-o", t.TempDir()},
				run.without...)
			out, err := exec.Command(*autobahn, append(args, "ws://"+host)...).CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// startEcho serves sessions that send back every message, texts too.
func startEcho(t *testing.T, change func(*Config)) string {
	cfg := testConfig()
	change(&cfg)
	srv, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := srv.upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		s := newSession(srv, ws)
		s.conn.settle()
		defer s.conn.Close()
		s.stop(ending(s.echo()))
		s.sayGoodbye()
		s.linger()
		s.cut.Stop()
	})}
	go web.Serve(&listener{Listener: ln})
	t.Cleanup(func() { web.Close() })
	return ln.Addr().String()
}

var errNotUTF8 = errors.New("a text that is not UTF-8")

// echo is read and write in one.
func (s *session) echo() error {
	cfg := &s.server.cfg
	for r := (&request{}); ; {
		s.conn.allow(tooLong*int64(cfg.maxMessageBytes) + handshakeBytes)
		s.deadline(0)
		kind, in, err := s.ws.NextReader()
		if err != nil {
			return err
		}
		s.deadline(cfg.messageTimeout)
		if err := r.fill(in, cfg.maxMessageBytes, &s.link); err != nil {
			return err
		}
		if kind == websocket.TextMessage && !utf8.Valid(r.buf) {
			s.stop(websocket.CloseInvalidFramePayloadData, errNotUTF8.Error())
			return errNotUTF8
		}
		if err := s.ws.WriteMessage(kind, r.buf); err != nil {
			return err
		}
	}
}
