package catalog_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc64"
	"math"
	"os"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

const (
	digestSteps = 40_000
	digestFile  = "testdata/digests.txt"
)

var (
	determinismSteps = flag.Int("determinism-steps", digestSteps,
		"steps that TestDeterminismOfRules makes; other than the default ones are not compared with "+digestFile)
	update = flag.Bool("update", false, "write the files of hashes")
)

// TestDeterminismOfRules plays every id and compares hashes of all that is decided, seen and
// saved with those on file, one for each encoding. They are the same on every
// architecture, big-endian ones included, which package vec leaves out. They must not
// change unless the version of the id does.
func TestDeterminismOfRules(t *testing.T) {
	var lines []string
	ids := catalog.IDs()
	for k, id := range ids {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		d := newDigest(t, game, uint64(k))
		for range (*determinismSteps + len(ids) - 1) / len(ids) {
			d.step()
		}
		lines = append(lines, d.lines()...)
	}
	got := strings.Join(lines, "\n") + "\n"
	t.Logf("%d steps:\n%sall together hash %016x", *determinismSteps, got, crc64.Checksum([]byte(got), table))
	switch want, err := os.ReadFile(digestFile); {
	case *update:
		if err := os.WriteFile(digestFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	case *determinismSteps != digestSteps:
	case err != nil:
		t.Fatal(err)
	case string(want) != got:
		t.Errorf("%s has other hashes. If a version was raised, or an id or encoding is new, run go test ./env/catalog "+
			"-run TestDeterminismOfRules -update:\n%s", digestFile, want)
	}
}

// digest is a match with hashes of what it was.
type digest struct {
	t       *testing.T
	game    env.Game
	match   env.Match
	agents  []env.Agent // nil where actions are drawn, legal or not
	seed    env.Seed
	rng     env.RNG
	actions []uint8
	steps   int
	rules   uint64   // decisions and saved states
	seen    []uint64 // of each encoding, and of the global state behind them
}

func newDigest(t *testing.T, game env.Game, seed uint64) *digest {
	t.Helper()
	spec := game.Spec()
	d := &digest{t: t, game: game, match: game.New(1)[0], seed: env.Seed{Value: seed},
		rng: env.Seed{Value: seed}.RNG(env.StreamPolicy)}
	d.actions, d.seen = make([]uint8, spec.Seats*len(spec.Actions)), make([]uint64, len(spec.Encodings)+1)
	for seat := range spec.Seats {
		var agent env.Agent
		if seat%2 == 1 {
			agent = must(game.NewAgent("simple"))(t)
		}
		d.agents = append(d.agents, agent)
	}
	d.reset()
	return d
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (d *digest) reset() {
	d.match.Reset(d.seed)
	for seat, agent := range d.agents {
		if agent != nil {
			agent.Reset(d.seed.RNG(env.StreamAgents + uint64(seat)))
		}
	}
	d.seed.Episode++
	d.observe()
}

// step makes one step, and notes what came of it.
func (d *digest) step() {
	d.t.Helper()
	components := d.game.Spec().Actions
	for seat, agent := range d.agents {
		action := d.actions[seat*len(components):][:len(components)]
		for k := range action {
			action[k] = uint8(d.rng.IntN(components[k].N))
		}
		if agent != nil && d.match.Status().In.Has(seat) {
			agent.Act(d.match, seat, action)
		}
	}
	d.match.Step(d.actions)
	d.decide()
	d.observe()
	if d.steps++; d.steps%16 == 0 {
		d.save()
	}
	if d.match.Status().Over {
		d.reset()
	}
}

var table = crc64.MakeTable(crc64.ECMA)

func (d *digest) note(data []byte) { d.rules = crc64.Update(d.rules, table, data) }

// decide notes the rules' decisions.
func (d *digest) decide() {
	s := d.match.Status()
	d.note(fmt.Appendf(nil, "{%v %v %v %v %v %v}", s.Over, s.Result, s.Winners, s.In, s.Decided, s.Steps))
	numbers := make([]float64, d.game.Spec().Seats)
	for _, write := range []func([]float64){d.match.Rewards, d.match.Outcome} {
		clear(numbers)
		write(numbers)
		for _, x := range numbers {
			d.note(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	mask := make([]byte, d.game.Spec().MaskSize())
	for seat := range d.game.Spec().Seats {
		d.match.Mask(seat, mask)
		d.note(mask)
	}
}

// observe notes what all seats see in each encoding, and the global state.
func (d *digest) observe() {
	see(d.match, d.game.Spec(), func(k int, data []byte) { d.seen[k] = crc64.Update(d.seen[k], table, data) })
}

// see observes for all seats, in each encoding and, behind them, the global state.
func see(m env.Match, spec *env.Spec, note func(k int, data []byte)) {
	var seats []uint8
	for seat := range spec.Seats {
		seats = append(seats, uint8(seat))
	}
	for k := range len(spec.Encodings) + 1 {
		encoding, fields := env.GlobalState, spec.State
		if k < len(spec.Encodings) {
			encoding, fields = k, spec.Encodings[k].Fields
		}
		var dst [][]byte
		for i := range fields {
			n := fields[i].Size()
			if !fields[i].Shared {
				n *= len(seats)
			}
			dst = append(dst, make([]byte, n))
		}
		m.Observe(encoding, seats, dst)
		for _, data := range dst {
			note(k, data)
		}
	}
}

// save notes the saved state and goes on with a match that is restored from it: from bytes or,
// every other time, from JSON.
func (d *digest) save() {
	d.t.Helper()
	saved, readable := d.match.Append(nil), must(d.match.AppendJSON(nil))(d.t)
	d.note(saved)
	d.note(readable)
	again := d.game.New(1)[0]
	restore := func() error { return again.Restore(saved) }
	if d.steps%32 == 0 {
		restore = func() error { return again.RestoreJSON(readable) }
	}
	if err := restore(); err != nil {
		d.t.Fatalf("%s: step %d: %v", d.game.Spec().ID, d.steps, err)
	}
	d.match = again
}

func (d *digest) lines() []string {
	spec := d.game.Spec()
	lines := []string{fmt.Sprintf("%s rules hash %016x", spec.ID, d.rules)}
	for k, sum := range d.seen {
		name := "state"
		if k < len(spec.Encodings) {
			name = spec.Encodings[k].Name
		}
		lines = append(lines, fmt.Sprintf("%s %s hash %016x", spec.ID, name, sum))
	}
	return lines
}
