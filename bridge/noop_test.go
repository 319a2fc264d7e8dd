package bridge

import "testing"

// TestNoopStepsNothing makes steps in an environment that is there to measure
// the way to the client.
func TestNoopStepsNothing(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 4, "noop", true)
	call(t, c, "reset", "env", 1, "seed", 1)
	before := call(t, c, "get_state", "env", 1).Binaries("states")
	for range 3 {
		if reply := call(t, c, "step", "env", 1, "actions", toyActions(12, 1, 1)); reply["type"] != "batch" {
			t.Fatalf("a reply of type %v, want batch", reply["type"])
		}
	}
	after := call(t, c, "get_state", "env", 1).Binaries("states")
	for i := range before {
		if string(before[i]) != string(after[i]) {
			t.Errorf("game %d has moved", i)
		}
	}
}
