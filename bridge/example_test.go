package bridge_test

import (
	"context"
	"fmt"
	"net"

	"pommego/bridge"
	"pommego/env"
	"pommego/env/envtest"
)

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

	client, err := bridge.Dial(ctx, "ws://"+listener.Addr().String(), bridge.DialOptions{})
	if err != nil {
		panic(err)
	}
	made, err := client.Call("make", "env_id", "ToyTeams-v0", "games", 100)
	if err != nil {
		panic(err)
	}
	batch, err := client.Call("reset", "env", made.Int("env"), "seed", 7)
	if err != nil {
		panic(err)
	}
	fmt.Println(made.Int("rows"), "rows, boards", batch.Map("tensors").Tensor("obs.board").Shape)
	_, err = client.Call("step", "env", made.Int("env"), "actions", []int{1, 2, 3})
	fmt.Println(err)

	client.Close()
	cancel()
	fmt.Println(<-done)
	// Output:
	// 600 rows, boards [100 3 5 9]
	// wrong_type: actions is an array of 3, want a tensor: [dtype, shape, pad, data]
	// <nil>
}
