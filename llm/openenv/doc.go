// Package openenv serves OpenEnv 0.10, the protocol by which frameworks that train language models
// use environments: JSON over the WebSocket /ws, and some HTTP paths beside it.
//
//	server, err := bridge.New(bridge.Config{
//		IDs: catalog.IDs, Game: catalog.Game, Protocols: []bridge.Protocol{openenv.New(catalog.IDs())},
//	})
//
// A connection is a session, which plays one game after the other from one seat. What a seat
// sees comes from package words. Package orders reads its model's answers and carries them out. Models
// that call tools play in the same sessions, by MCP (mcp.go). docs/language-models.md is the
// reference.
//
// # Concurrency
//
// A session has one goroutine, which reads, and one more while it answers a request. A game has
// none: the session that gives the last answer that a tick needs makes the tick, under the
// game's mutex. A session that waits holds neither buffers nor a position.
package openenv
