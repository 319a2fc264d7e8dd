package bridge

import (
	"fmt"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
)

const helloBytes = 4 << 10 // the longest first message

type helloRequest struct {
	Versions []uint64 `wire:"versions,needed,1..16"`
	Client   string   `wire:"client,needed"`
}

// greet has the client say hello. If it returns false the session is stopped.
func (s *session) greet() bool {
	cfg := &s.server.cfg
	s.ws.SetReadLimit(tooLong * helloBytes)
	r := &request{}
	if err := s.receive(r, helloBytes, cfg.helloTimeout, cfg.helloTimeout); err != nil {
		s.stop(ending(err))
		return false
	}
	begun := time.Now()
	rep, err := s.handle(r)
	s.server.metrics.answered(r.name, time.Since(begun), false)
	if err != nil {
		rep.msg = encodeError(s.server.metrics.failed(asError(err)), r.id, r.hasID)
	}
	s.ws.SetWriteDeadline(time.Now().Add(cfg.helloTimeout))
	if failed := s.ws.WriteMessage(websocket.BinaryMessage, rep.msg); failed != nil {
		s.stop(0, failed.Error())
		return false
	}
	if err != nil {
		s.stop(websocket.CloseProtocolError, err.Error())
		return false
	}
	s.ws.SetReadLimit(tooLong * int64(cfg.maxMessageBytes))
	return true
}

func (s *session) hello(id uint64, q helloRequest) (reply, error) {
	if s.greeted {
		return reply{}, fail(codeHelloExpected, "type", "", "hello has been sent already, want it once, as the first request")
	}
	if !slices.Contains(q.Versions, Version) {
		err := fail(codeVersionMismatch, "versions", "install client and server of the same release",
			"the client speaks versions %v, the server %v", q.Versions, []uint64{Version})
		err.Details = entries{"versions", []uint64{Version}}
		return reply{}, err
	}
	s.greeted = true
	cfg := &s.server.cfg
	s.client = fmt.Sprintf("%s %q", s.client, q.Client)
	cfg.Log.Info("connected", "client", s.client)
	return message("hello", id, "version", Version, "server", "pommego/"+cfg.Version, "seed_version", env.SeedVersion,
		"limits", entries{
			"message_bytes", cfg.maxMessageBytes, "batch_bytes", cfg.maxBatchBytes,
			"games_per_env", cfg.MaxGames, "envs", cfg.maxEnvs, "total_games", cfg.MaxTotalGames,
			"in_flight", cfg.maxInFlight, "workers", cfg.MaxWorkers, "idle_seconds", int(cfg.IdleTimeout.Seconds()),
		})
}
