// Package bridge serves environments over WebSocket: one connection, many
// environments, one reply per request. PROTOCOL.md is what goes over the wire.
//
//	server, err := bridge.New(bridge.Config{IDs: catalog.IDs, Game: catalog.Game})
//	listener, err := net.Listen("tcp", "127.0.0.1:0")
//	err = server.Serve(ctx, listener) // until ctx is done
//
// # Trust
//
// What comes in is hostile until checked. A message is read into a buffer that
// grows with the bytes that arrive, never with those promised. One cursor reads
// it (cursor.go): it goes through the structure once, without recursion and
// without allocating, and notes where the fields lie; then each is read where
// it lies, with its own range (fields.go), into the struct of its request. The
// msgpack library and reflection see none of it: they only write replies.
//
// # Requests
//
// A request has a file, or shares one with related requests: a struct of what
// it says and a method that answers (step.go is short). Besides that it has a line
// in request.go, a section in PROTOCOL.md, an exchange among the golden messages, and
// a method in the Python client.
//
// # The way out
//
// A batch is written by package vec straight into a message: the msgpack
// around each tensor is constant, so it is laid into the gaps between the
// fields once, when the environment is made (batchmessage.go). A step fills in the
// request's number, appends the list of finished games and hands the slab to
// the socket as it is.
//
// # Concurrency
//
// Three goroutines serve a connection. The reader reads requests ahead, up to
// a bound, and handles control frames; the worker answers requests in their
// order; the writer sends replies, so that one batch is on its way while the
// next is computed. Games are never stepped by the reader, or a long step
// would look like a dead connection. An environment that shares its memory has
// one goroutine more, which sleeps in a futex while the worker waits (channel.go).
package bridge
