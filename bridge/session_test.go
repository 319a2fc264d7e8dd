package bridge

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/vec"
)

func TestSession(t *testing.T) {
	c := startServer(t, nil).dial(t)
	if got := c.Hello().Int("version"); got != Version {
		t.Errorf("version %d, want %d", got, Version)
	}
	made := call(t, c, "make", "env_id", "ToyTeams-v0", "games", 3)
	if made.Int("rows") != 18 || made.Int("learners") != 6 || made.Int("env") != 1 {
		t.Errorf("made %v", made)
	}
	batch := call(t, c, "reset", "env", 1, "seed", 7)
	if got := batch.Map("tensors").Tensor("game.seed").Data; binary.LittleEndian.Uint64(got[8:]) != 8 {
		t.Errorf("seed of game 1 is %x, want 8", got)
	}
	batch = call(t, c, "step", "env", 1, "actions", toyActions(18, 1, 0))
	if got := batch.Map("tensors").Tensor("obs.board"); !slices.Equal(got.Shape, []int{3, 3, 5, 9}) ||
		len(got.Data) != 3*3*5*9 {
		t.Errorf("board has shape %v and %d bytes", got.Shape, len(got.Data))
	}
	coloured := call(t, c, "render", "env", 1, "game", 2, "colour", true)["text"]
	if text, ok := coloured.(string); !ok || !strings.Contains(text, "\x1b[") {
		t.Errorf("the picture in colours is %q", coloured)
	}
	call(t, c, "set_opponents", "env", 1, "opponents", []string{})
	call(t, c, "envs")
	if envs := call(t, c, "envs").list("envs"); len(envs) != 3 {
		t.Errorf("%d specs, want 3", len(envs))
	}
	spec := call(t, c, "spaces", "env_id", "ToySolo-v0", "rules", []string{`{"rows": 5, "teams": [[0], [1]]}`})["spec"].(string)
	if !strings.Contains(spec, `"seats":2,`) || !strings.Contains(spec, `"rows":5,`) {
		t.Errorf("spec of the variant: %v", spec)
	}
	call(t, c, "close", "env", 1)
	callError(t, c, codeUnknownEnv, "observe", "env", 1)
	if again := call(t, c, "make", "env_id", "ToySolo-v0", "games", 1); again.Int("env") != 2 {
		t.Errorf("the next handle is %d, want 2", again.Int("env"))
	}
}

// TestPipelining sends more requests at once than may be in flight; replies
// come in order.
func TestPipelining(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 5)
	call(t, c, "reset", "env", 1, "seed", 1)
	const n = 100
	sent := make(chan error, 1)
	go func() {
		for i := range n {
			kind, fields := "step", []any{"env", 1, "actions", toyActions(15, uint8(i%5), 0)}
			if i%10 == 9 {
				kind, fields = "envs", nil
			}
			if _, err := c.Send(kind, fields...); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range n {
		reply, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		kind := "batch"
		if i%10 == 9 {
			kind = "envs"
		}
		if reply["type"] != kind || reply.Int("id") != i+4 {
			t.Fatalf("reply %d is %v with id %v, want %s with %d", i, reply["type"], reply["id"], kind, i+4)
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
}

// TestSameBytes compares what comes over the socket with vec in process.
func TestSameBytes(t *testing.T) {
	server := startServer(t, nil)
	for _, mode := range []vec.Autoreset{vec.NextStep, vec.SameStep, vec.Disabled} {
		for _, game := range []struct {
			id, observation string
			opponents       []string
			steps           int // max_episode_steps
		}{
			{id: "ToyTeams-v0", observation: "maps"},
			{id: "ToySolo-v0", observation: "list", steps: 17},
			{id: "ToySolo-v0", observation: "maps", opponents: []string{"hunter", "wander"}},
		} {
			t.Run(fmt.Sprint(mode, game.id, game.observation, game.opponents), func(t *testing.T) {
				const games = 7
				cfg := vec.Config{Game: toys[game.id], Games: games, Observation: game.observation, Autoreset: mode,
					Opponents: game.opponents, MaxEpisodeSteps: game.steps}
				pool, err := vec.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer pool.Close()
				c := server.dial(t)
				made := call(t, c, "make", "env_id", game.id, "games", games, "observation", game.observation, "autoreset_mode",
					mode.String(),
					"opponents", opponentsOrNil(game.opponents), "max_episode_steps", game.steps)
				compareRun(t, c, made, pool, mode)
			})
		}
	}
}

func opponentsOrNil(names []string) any {
	if names == nil {
		return nil
	}
	return names
}

func compareRun(t *testing.T, c *Client, made Message, pool *vec.Pool, mode vec.Autoreset) {
	batch, seed := pool.NewBatch(nil), uint64(3)
	if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
		t.Fatal(err)
	}
	sameBatch(t, "reset", call(t, c, "reset", "env", 1, "seed", seed), made, pool, batch)
	ended := 0
	for step := range 150 {
		actions := make([]byte, 2*pool.Rows())
		for i := range actions {
			actions[i] = uint8((step*7 + i*i) % 3)
		}
		if err := pool.Step(batch, actions); err != nil {
			t.Fatal(err)
		}
		reply := call(t, c, "step", "env", 1, "actions", Tensor{"uint8", []int{pool.Rows(), 2}, actions})
		sameBatch(t, fmt.Sprint("step ", step), reply, made, pool, batch)
		ended += len(batch.Finished())
		if done := batch.Bytes("game.done"); mode == vec.Disabled && slices.Contains(done, 1) {
			mask := slices.Clone(done)
			bools := make([]bool, len(mask))
			for i := range bools {
				bools[i] = mask[i] == 1
			}
			if err := pool.Reset(batch, vec.ResetOptions{Mask: bools}); err != nil {
				t.Fatal(err)
			}
			sameBatch(t, "masked reset", call(t, c, "reset", "env", 1, "mask", uint8s(mask...)), made, pool, batch)
		}
	}
	if ended < 5 {
		t.Errorf("%d episodes ended, want at least 5 for the test to mean something", ended)
	}
}

func sameBatch(t *testing.T, when string, reply, made Message, pool *vec.Pool, batch *vec.Batch) {
	t.Helper()
	tensors := reply.Map("tensors")
	if len(tensors) != len(batch.Tensors()) || len(made.list("fields")) != len(batch.Tensors()) {
		t.Fatalf("%s: %d tensors, %d promised, want %d", when, len(tensors), len(made.list("fields")), len(batch.Tensors()))
	}
	for i, f := range batch.Tensors() {
		got := tensors.Tensor(f.Name)
		if got.DType != dtype(&f) || !slices.Equal(got.Shape, f.Shape()) {
			t.Fatalf("%s: %s is %s %v, want %s %v", when, f.Name, got.DType, got.Shape, f.Dtype(), f.Shape())
		}
		if want := batch.Bytes(f.Name); !slices.Equal(got.Data, want) {
			t.Fatalf("%s: %s is\n%x, want\n%x", when, f.Name, got.Data, want)
		}
		if name := made.list("fields")[i].(Message)["name"]; name != f.Name {
			t.Fatalf("field %d was promised as %v, is %s", i, name, f.Name)
		}
	}
	finished := batch.Finished()
	var want []byte
	for _, g := range finished {
		want = binary.LittleEndian.AppendUint32(want, uint32(g))
	}
	if got := reply.Tensor("finished"); !slices.Equal(got.Data, want) || got.Shape[0] != len(finished) {
		t.Fatalf("%s: finished %v, want %v", when, got, finished)
	}
	final := reply.Map("final")
	if wantFinal := pool.Config().Autoreset == vec.SameStep && len(finished) > 0; wantFinal != (final != nil) {
		t.Fatalf("%s: final is there: %v, want %v", when, final != nil, wantFinal)
	}
	if final != nil && len(final) != len(made.list("final_fields")) {
		t.Fatalf("%s: %d final fields, promised %v", when, len(final), made.list("final_fields"))
	}
	for name := range final {
		all := batch.Bytes("final." + name)
		size := len(all) / pool.Games()
		var want []byte
		for _, g := range finished {
			want = append(want, all[batch.FinalAt(g)*size:][:size]...)
		}
		if got := final.Tensor(name); !slices.Equal(got.Data, want) {
			t.Fatalf("%s: final %s is\n%x, want\n%x", when, name, got.Data, want)
		}
	}
}
