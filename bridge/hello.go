package bridge

import (
	"fmt"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
)

func init() {
	register("hello", readHello, (*session).helloAgain)
	register("ping", readNothing, (*session).pingReply)
}

const helloBytes = 4 << 10 // the longest first message

// helloRequest is the first request of a connection.
type helloRequest struct {
	versions []uint64
	client   string

	grace    int    // seconds for which the session is to be kept if the connection is lost; 0: not at all
	resume   []byte // the key of the session to go on with; nil: a new one
	received uint64 // the number of the last reply to that session that has arrived
}

func readHello(in *fields) helloRequest {
	in.need("versions", "client")
	versions := list(in, "versions", "an array of integers", 1, 16, func(int) uint64 { return in.number("versions", 0, 1<<64-1) })
	q := helloRequest{versions: versions, client: in.text("client"), grace: in.integer("resume_seconds", 1, maxInt), received: in.unsigned("received", 0, maxID)}
	if in.at("resume") {
		q.resume = in.take("resume", formBinary, "a binary").data
	}
	return q
}

// greet has the client say hello. If it returns false the session is stopped.
func (s *session) greet() bool {
	cfg := &s.server.cfg
	s.ws.SetReadLimit(tooLong * helloBytes)
	r := &request{}
	if err := s.receive(r, helloBytes, cfg.HelloTimeout, cfg.HelloTimeout); err != nil {
		s.stopFor(err)
		return false
	}
	rep, received, err := s.hello(r)
	if err != nil {
		rep.msg = encodeError(s.server.metrics.failed(asError(err)), r.id, r.hasID)
	}
	s.ws.SetWriteDeadline(time.Now().Add(cfg.HelloTimeout))
	if failed := s.ws.WriteMessage(websocket.BinaryMessage, rep.msg); failed != nil {
		s.stop(0, failed.Error())
		return false
	}
	if err != nil {
		s.stop(websocket.CloseProtocolError, err.Error())
		return false
	}
	s.ws.SetReadLimit(tooLong * int64(cfg.MaxMessageBytes))
	s.touch()
	return s.repeat(received)
}

// repeat sends the kept reply once more, unless the client has it. If it returns
// false the session is stopped.
func (s *session) repeat(received uint64) bool {
	if s.kept.id <= received {
		return true
	}
	s.ws.SetWriteDeadline(time.Now().Add(s.server.cfg.WriteTimeout))
	if err := s.ws.WriteMessage(websocket.BinaryMessage, s.kept.msg); err != nil {
		s.stop(0, err.Error())
		return false
	}
	return true
}

// hello answers the first request, and says which reply the client has received last.
func (s *session) hello(r *request) (rep reply, received uint64, err error) {
	q, err := s.parseHello(r)
	if err != nil {
		return reply{}, 0, err
	}
	cfg := &s.server.cfg
	s.client = fmt.Sprintf("%s %q", s.client, q.client)
	more, inFlight := entries{}, cfg.MaxInFlight
	switch {
	case q.resume != nil:
		if err = s.leases.take(s, q.resume); err != nil {
			return reply{}, 0, err
		}
		more, inFlight = entries{"resumed", s.answered}, 1
		cfg.Log.Info("resumed", "client", s.client)
	case q.grace > 0:
		if err = s.leases.grant(s, time.Duration(q.grace)*time.Second); err != nil {
			return reply{}, 0, err
		}
		s.answered = r.id
		more, inFlight = entries{"resume", entries{"key", []byte(s.lease.key), "seconds", int(s.lease.grace.Seconds())}}, 1
		fallthrough
	default:
		cfg.Log.Info("connected", "client", s.client)
	}
	rep, err = message("hello", r.id, append(entries{"version", Version, "server", "pommego/" + cfg.Version, "seed_version", env.SeedVersion,
		"limits", entries{
			"message_bytes", cfg.MaxMessageBytes, "batch_bytes", cfg.MaxBatchBytes,
			"games_per_env", cfg.MaxGames, "envs", cfg.MaxEnvs, "total_games", cfg.MaxTotalGames,
			"in_flight", inFlight, "workers", cfg.MaxWorkers, "idle_seconds", int(cfg.IdleTimeout.Seconds()),
		}}, more...)...)
	return rep, q.received, err
}

func (s *session) parseHello(r *request) (q helloRequest, err error) {
	if r.length > helloBytes {
		return q, messageTooLarge(r.length, helloBytes)
	}
	if _, err := r.parse(&s.fields); err != nil {
		return q, err
	}
	if r.name != "hello" {
		return q, fail(codeHelloExpected, "type", "send hello first", "the first request is %s, want hello", r.name)
	}
	q = readHello(&s.fields)
	if err := s.fields.end(); err != nil {
		return q, err
	}
	if !slices.Contains(q.versions, Version) {
		err := fail(codeVersionMismatch, "versions", "install client and server of the same release",
			"the client speaks versions %v, the server %v", q.versions, []uint64{Version})
		err.Versions = []uint64{Version}
		return q, err
	}
	if q.resume != nil && q.grace > 0 {
		return q, fail(codeBadOption, "resume", "a session that is resumed keeps the time it was made with", "resume and resume_seconds are both given, want one of them")
	}
	return q, nil
}

func (s *session) helloAgain(uint64, helloRequest) (reply, error) {
	return reply{}, fail(codeHelloExpected, "type", "", "hello has been sent already, want it once, as the first request")
}

func (s *session) pingReply(id uint64, _ nothing) (reply, error) { return message("pong", id) }
