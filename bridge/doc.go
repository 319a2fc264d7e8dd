// Package bridge serves environments over WebSocket: a connection has any number of
// environments, and each request gets one reply. PROTOCOL.md specifies the protocol.
//
//	server, err := bridge.New(bridge.Config{IDs: catalog.IDs, Game: catalog.Game})
//	listener, err := net.Listen("tcp", "127.0.0.1:0")
//	err = server.Serve(ctx, listener) // until ctx is done
//
// # Trust
//
// What comes in is hostile until checked. A message is read into a buffer that
// grows with the bytes that arrive, never with those promised. A cursor
// (cursor.go) goes through its structure once, without recursion and without
// allocating, and notes where the fields are. Then each field is read in its
// place, with its own range (fields.go), into the struct of its request. The
// msgpack library and reflection see none of it: they only write replies.
//
// # Requests
//
// A request has a file, or shares one with related requests. The file has a struct
// of the request's fields and a method that answers it (step.go is short). The request
// also has a line in request.go, a section in PROTOCOL.md, an exchange among the golden
// messages, and a method in the Python client.
//
// # Batches
//
// Package vec writes a batch straight into its message. The msgpack around each
// tensor is constant, so it is written into the gaps between the fields once, when
// the environment is made (batchmessage.go). A step fills in the request's number,
// appends the list of finished games and hands the slab to the socket as it is.
//
// # Concurrency
//
// Three goroutines serve a connection. The reader reads requests ahead, up to
// a bound, and handles control frames; the worker answers requests in their
// order; the writer sends replies, so that one batch is on its way while the
// next is computed. The reader never steps games, or a long step would look like
// a dead connection. An environment that shares its memory has one goroutine more,
// which sleeps in a futex while the worker waits (channel.go).
package bridge
