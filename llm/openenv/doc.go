// Package openenv speaks OpenEnv 0.10, in which frameworks that train language models talk to
// environments: JSON over the WebSocket /ws, and some HTTP paths beside it.
//
//	server, err := bridge.New(bridge.Config{
//		IDs: catalog.IDs, Game: catalog.Game, Protocols: []bridge.Protocol{openenv.New(catalog.IDs())},
//	})
//
// A connection is a session, which plays one game after the other from one seat. What a seat
// sees comes from package words, and what its model answers is read and carried out by package
// orders. Models that call tools play in the same sessions, by MCP (mcp.go). docs/language-models.md
// is the reference.
//
// # Concurrency
//
// A session has one goroutine, which reads, and one more while a request is being answered.
// A game has none: whoever brings the last answer that a tick needs makes the tick, under the
// game's mutex. A session that waits holds neither buffers nor a position.
package openenv
