package openenv

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
)

// Faulty calls a tool of a session that panics.
func Faulty(g *bridge.Guest) *mcp.CallToolResult {
	p := &player{guest: g} // of no handler
	return p.call("new_game", []byte(`{"opponents":"open"}`))
}

// NewIdle is New with sessions over HTTP that end after idle.
func NewIdle(ids []string, idle time.Duration) *Handler {
	h := New(ids)
	h.streams = newStreams(h.tools, idle)
	return h
}
