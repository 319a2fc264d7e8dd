package bridge_test

import (
	"context"
	"fmt"
	"net"

	"github.com/gorilla/websocket"
	"github.com/vmihailenco/msgpack/v5"

	"pommego/bridge"
	"pommego/env"
	"pommego/env/envtest"
)

// A server, and a client that needs no more than a WebSocket and msgpack.
func Example() {
	server, err := bridge.New(bridge.Config{
		IDs:  func() []string { return []string{"ToyTeams-v0"} },
		Game: func(string) (env.Game, error) { return envtest.Toy(), nil },
	})
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- server.Serve(ctx, listener) }()

	dialer := websocket.Dialer{Subprotocols: []string{bridge.Subprotocol}}
	ws, _, err := dialer.Dial("ws://"+listener.Addr().String(), nil)
	if err != nil {
		panic(err)
	}
	call := func(request map[string]any) (reply map[string]any) {
		msg, err := msgpack.Marshal(request)
		if err != nil {
			panic(err)
		}
		if err := ws.WriteMessage(websocket.BinaryMessage, msg); err != nil {
			panic(err)
		}
		if _, msg, err = ws.ReadMessage(); err != nil {
			panic(err)
		}
		if err := msgpack.Unmarshal(msg, &reply); err != nil {
			panic(err)
		}
		return reply
	}
	call(map[string]any{"type": "hello", "id": 1, "versions": []int{bridge.Version}, "client": "example/1"})
	made := call(map[string]any{"type": "make", "id": 2, "env_id": "ToyTeams-v0", "games": 100})
	batch := call(map[string]any{"type": "reset", "id": 3, "env": made["env"], "seed": 7})
	board := batch["tensors"].(map[string]any)["obs.board"].([]any)
	fmt.Println(made["rows"], "rows, boards", board[0], board[1])
	refused := call(map[string]any{"type": "step", "id": 4, "env": made["env"], "actions": []int{1, 2, 3}})
	fmt.Println(refused["code"], "-", refused["message"])

	ws.Close()
	cancel()
	fmt.Println(<-done)
	// Output:
	// 600 rows, boards uint8 [100 3 5 9]
	// wrong_type - actions is an array of 3, want a tensor: [dtype, shape, pad, data]
	// <nil>
}
