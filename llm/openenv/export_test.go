package openenv

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
)

var ReadAction = readAction

// Rpc is a call of OpenEnv's client.
type Rpc = rpc

// Faulty calls a tool of a session that panics.
func Faulty(g *bridge.Guest) *mcp.CallToolResult {
	p := &player{guest: g} // of no handler
	return p.call(context.Background(), "new_game", []byte(`{"opponents":"open"}`))
}

// NewIdle is New with sessions over HTTP that end after idle, and make room after room.
func NewIdle(ids []string, idle, room time.Duration) *Handler {
	h := New(ids)
	h.idle = room
	h.streams = newStreams(h.tools, idle)
	return h
}
