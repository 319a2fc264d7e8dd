package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc64"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/vmihailenco/msgpack/v5"

	"pommego/bridge"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/vec"
)

const determinismShort = 40_000

var determinismSteps = flag.Int("determinism-steps", determinismShort,
	"steps of games that TestDeterminismEverywhere makes")

// determinismGames is how many games each configuration has: enough for seven workers to have
// their share. The short form has fewer, and makes more steps with each.
func determinismGames() int {
	if *determinismSteps <= determinismShort {
		return 7 * 8
	}
	return 7 * 64
}

// addedLater lists the ids that came after hashes were first taken. They go last,
// in this order, so that all others keep their seeds, their steps and their hashes;
// behind them go the encoding that came later, unfogged, and masks of safe moves.
var addedLater = []string{"PommeFFAJavaDocument-v0", "PommeTeamJavaDocument-v0"}

// determinismIDs lists all ids, those added later last.
func determinismIDs() []string {
	later := func(id string) bool { return slices.Contains(addedLater, id) }
	return append(slices.DeleteFunc(catalog.IDs(), later), addedLater...)
}

// TestDeterminismEverywhere steps every id in all encodings and all autoreset
// modes, with and without opponents, and with masks of safe moves, in pools of 1, 2 and 7 workers and through
// a server, and demands the same bytes of everything at every step:
// observations, global states, the final ones, rewards, flags, masks and info. It logs a
// hash of all of it for each id and encoding, which must not change unless the
// version of the id does, and one of all together.
func TestDeterminismEverywhere(t *testing.T) {
	client, games := dialOwnServer(t), determinismGames()
	var cases, unfogged, safely []vec.Config
	early := 0 // how many cases are not of ids added later
	for _, id := range determinismIDs() {
		if id == addedLater[0] {
			early = len(cases)
		}
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, encoding := range game.Spec().Encodings {
			list := &cases
			if encoding.Name == "unfogged" {
				list = &unfogged
			}
			for _, mode := range []vec.Autoreset{vec.NextStep, vec.SameStep, vec.Disabled} {
				cfg := vec.Config{Game: game, Games: games, Observation: encoding.Name, State: true, Autoreset: mode}
				*list = append(*list, cfg)
				for k := range game.Spec().Seats - 1 {
					cfg.Opponents = append(cfg.Opponents, []string{"simple", "random", "static"}[k%3])
				}
				*list = append(*list, cfg)
			}
		}
		if _, careful := game.New(1)[0].(env.Careful); careful {
			near := vec.Config{Game: game, Games: games, Observation: "near", Mask: vec.Safe, Autoreset: vec.SameStep}
			raw := near
			raw.Observation, raw.Autoreset = "raw", vec.NextStep
			raw.Opponents = slices.Repeat([]string{"simple"}, game.Spec().Seats-1)
			safely = append(safely, near, raw)
		}
	}
	cases = append(append(cases, unfogged...), safely...)
	table := crc64.MakeTable(crc64.ECMA)
	hash := crc64.New(table)
	perRound := early * games
	moves, rounds := 0, max(1, (*determinismSteps*101/100+perRound-1)/perRound)
	own := uint64(0) // of the id and encoding at hand
	for i, cfg := range cases {
		d := newDeterminism(t, client, cfg, uint64(i))
		for range rounds {
			moves += d.step()
		}
		sum := binary.LittleEndian.AppendUint64(nil, d.Close())
		hash.Write(sum)
		own = crc64.Update(own, table, sum)
		if spec := cfg.Game.Spec(); i+1 == len(cases) || cases[i+1].Game != cfg.Game ||
			cases[i+1].Observation != cfg.Observation {
			t.Logf("%s %s %v: hash %016x", spec.ID, cfg.Observation, cfg.Mask, own)
			own = 0
		}
	}
	t.Logf("%d steps of games in %d configurations, the same bytes with 1, 2 and 7 workers and over the socket; "+
		"hash %016x", moves, len(cases), hash.Sum64())
}

// dialOwnServer starts a server in this process and says hello to it.
func dialOwnServer(t *testing.T) *connection {
	t.Helper()
	srv, err := bridge.New(bridge.Config{IDs: catalog.IDs, Game: catalog.Game})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	dialer := websocket.Dialer{Subprotocols: []string{bridge.Subprotocol}}
	ws, _, err := dialer.DialContext(ctx, "ws://"+ln.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	client := &connection{ws: ws}
	client.ask(t, "hello", message{"versions": []int{bridge.Version}, "client": "determinism"})
	return client
}

// message is a request or a reply of the wire protocol.
type message map[string]any

// data is that of a tensor.
func (m message) data(name string) []byte { return m[name].([]any)[3].([]byte) }

// tensor is what an array of bytes is sent as.
func tensor(data []byte, shape ...int) []any { return []any{env.Uint8, shape, []byte{}, data} }

// connection is one with a server; replies are read into the same buffer, as they have megabytes.
type connection struct {
	ws  *websocket.Conn
	got bytes.Buffer
}

// ask sends a request and returns its reply, which must be no error.
func (c *connection) ask(t *testing.T, kind string, request message) (reply message) {
	t.Helper()
	request["type"], request["id"] = kind, 1
	sent, err := msgpack.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ws.WriteMessage(websocket.BinaryMessage, sent); err != nil {
		t.Fatal(err)
	}
	_, in, err := c.ws.NextReader()
	if err != nil {
		t.Fatal(err)
	}
	c.got.Reset()
	if _, err := c.got.ReadFrom(in); err != nil {
		t.Fatal(err)
	}
	whole := msgpack.NewDecoder(&c.got)
	whole.DisableAllocLimit(true) // else it copies again and again
	if err := whole.Decode(&reply); err != nil || reply["type"] == "error" {
		t.Fatalf("%s: %v, %v", kind, reply["message"], err)
	}
	return reply
}

// determinism is one configuration in three pools and on a server.
type determinism struct {
	t       *testing.T
	cfg     vec.Config
	pools   []*vec.Pool
	batches []*vec.Batch
	client  *connection
	handle  any
	rng     env.RNG
	actions []uint8
	table   *crc64.Table
	sum     uint64
}

func newDeterminism(t *testing.T, client *connection, cfg vec.Config, seed uint64) *determinism {
	t.Helper()
	d := &determinism{t: t, cfg: cfg, client: client, rng: env.Seed{Value: seed}.RNG(env.StreamPolicy),
		table: crc64.MakeTable(crc64.ECMA)}
	for _, workers := range []int{1, 2, 7} {
		cfg.Workers = workers
		pool, err := vec.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d.pools, d.batches = append(d.pools, pool), append(d.batches, pool.NewBatch(nil))
		if err := pool.Reset(d.batches[len(d.batches)-1], vec.ResetOptions{Seed: &seed}); err != nil {
			t.Fatal(err)
		}
	}
	made := message{"env_id": cfg.Game.Spec().ID, "games": cfg.Games, "observation": cfg.Observation, "state": cfg.State,
		"mask": cfg.Mask.String(), "autoreset_mode": cfg.Autoreset.String()}
	if cfg.Opponents != nil {
		made["opponents"] = cfg.Opponents
	}
	d.handle = client.ask(t, "make", made)["env"]
	d.compare(d.call("reset", message{"seed": seed}))
	d.actions = make([]uint8, d.pools[0].Rows()*len(cfg.Game.Spec().Actions))
	return d
}

// call asks for something of the environment.
func (d *determinism) call(kind string, request message) message {
	d.t.Helper()
	request["env"] = d.handle
	return d.client.ask(d.t, kind, request)
}

// step makes one step everywhere and returns how many games moved.
func (d *determinism) step() int {
	d.t.Helper()
	parts := d.cfg.Game.Spec().Actions
	for i := range d.actions {
		d.actions[i] = uint8(d.rng.IntN(parts[i%len(parts)].N))
	}
	resting := 0 // games that this step resets
	if d.cfg.Autoreset == vec.NextStep {
		resting = len(d.batches[0].Finished())
	}
	for i, pool := range d.pools {
		if err := pool.Step(d.batches[i], d.actions); err != nil {
			d.t.Fatal(err)
		}
	}
	shape := []int{len(d.actions)}
	if len(parts) > 1 {
		shape = []int{len(d.actions) / len(parts), len(parts)}
	}
	d.compare(d.call("step", message{"actions": tensor(d.actions, shape...)}))
	if finished := d.batches[0].Finished(); d.cfg.Autoreset == vec.Disabled && len(finished) > 0 {
		d.resetFinished(slices.Clone(finished))
	}
	return d.cfg.Games - resting
}

// resetFinished does what a caller without autoreset must do.
func (d *determinism) resetFinished(finished []int32) {
	d.t.Helper()
	mask, bits := make([]bool, d.cfg.Games), make([]uint8, d.cfg.Games)
	for _, game := range finished {
		mask[game], bits[game] = true, 1
	}
	for i, pool := range d.pools {
		if err := pool.Reset(d.batches[i], vec.ResetOptions{Mask: mask}); err != nil {
			d.t.Fatal(err)
		}
	}
	d.compare(d.call("reset", message{"mask": tensor(bits, len(bits))}))
}

// compare holds all pools and the server's reply to the first pool.
func (d *determinism) compare(reply message) {
	d.t.Helper()
	first := d.batches[0]
	tensors := message(reply["tensors"].(map[string]any))
	for _, f := range first.Tensors() {
		want := first.Bytes(f.Name)
		d.note(f.Name, want)
		for i, b := range d.batches[1:] {
			d.same(fmt.Sprintf("pool %d", i+1), f.Name, b.Bytes(f.Name), want)
		}
		d.same("the server", f.Name, tensors.data(f.Name), want)
	}
	finished := first.Finished()
	for i, b := range d.batches[1:] {
		if !slices.Equal(b.Finished(), finished) {
			d.t.Fatalf("pool %d has finished games %v, want %v", i+1, b.Finished(), finished)
		}
	}
	var sent []byte
	for _, game := range finished {
		sent = binary.LittleEndian.AppendUint32(sent, uint32(game))
	}
	d.same("the server", "finished", reply.data("finished"), sent)
	if d.cfg.Autoreset == vec.SameStep && len(finished) > 0 {
		d.compareFinal(message(reply["final"].(map[string]any)), finished)
	}
}

// note hashes a tensor. Hashes are older than global states, which are compared alone.
func (d *determinism) note(name string, data []byte) {
	if !strings.HasPrefix(name, "state.") {
		d.sum = crc64.Update(d.sum, d.table, data)
	}
}

// compareFinal does the same for what finished games last showed.
func (d *determinism) compareFinal(final message, finished []int32) {
	d.t.Helper()
	if len(final) == 0 {
		d.t.Fatal("the server sent no final observations")
	}
	for name := range final {
		of := func(b *vec.Batch, game int32) []byte {
			all := b.Bytes("final." + name)
			size := len(all) / d.cfg.Games
			return all[b.FinalAt(game)*size:][:size]
		}
		var want []byte
		for _, game := range finished {
			first := of(d.batches[0], game)
			want = append(want, first...)
			for i, b := range d.batches[1:] {
				d.same(fmt.Sprintf("pool %d", i+1), "final "+name, of(b, game), first)
			}
		}
		d.same("the server", "final "+name, final.data(name), want)
	}
	for _, f := range d.batches[0].Tensors() { // in order, unlike a map
		if final[f.Name] != nil {
			d.note(f.Name, final.data(f.Name))
		}
	}
}

func (d *determinism) same(who, field string, got, want []byte) {
	d.t.Helper()
	if !bytes.Equal(got, want) {
		d.t.Fatalf("%s, %s, %s, opponents %v: %s of %s differs from 1 worker's at byte %d of %d",
			d.cfg.Game.Spec().ID, d.cfg.Observation, d.cfg.Autoreset, d.cfg.Opponents, field, who, firstDifference(got,
				want), len(want))
	}
}

func (d *determinism) Close() uint64 {
	for _, pool := range d.pools {
		pool.Close()
	}
	d.call("close", message{})
	return d.sum
}
