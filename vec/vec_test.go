package vec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pommego/env"
	"pommego/env/catalog"
)

// stateless is a game without a global state.
type stateless struct{ env.Game }

func (g stateless) Spec() *env.Spec {
	spec := *g.Game.Spec()
	spec.State = nil
	return &spec
}

func TestConfigErrors(t *testing.T) {
	trained, err := catalog.Variant("PommeFFACompetition-v0", json.RawMessage(`{"training_agent": 2}`))
	must(t, err)
	model := make1(t, Config{Game: solo, Games: 1}).Model(1)
	model.Autoreset = SameStep
	for _, c := range []struct {
		reason string
		cfg    Config
		want   string
	}{
		{"no game", Config{Games: 1}, "Game is nil"},
		{"no games", Config{Game: teams}, "Games is 0, want 1 to 1048576"},
		{"too many games", Config{Game: teams, Games: 1 << 21}, "Games is 2097152"},
		{"less than no workers", Config{Game: teams, Games: 1, Workers: -1}, "Workers is -1"},
		{"an unknown encoding", Config{Game: teams, Games: 1, Observation: "rgb"},
			`Observation "rgb" does not exist in ToyTeams-v0; there are ["maps" "list"]`},
		{"no global state", Config{Game: stateless{solo}, Games: 1, State: true},
			"State is true, but ToySolo-v0 has no global state"},
		{"too few opponents", Config{Game: teams, Games: 1, Opponents: []string{"still"}}, "Opponents has 1 entries, want 5"},
		{"an unknown opponent", Config{Game: solo, Games: 1, Opponents: []string{"still", "ghost"}},
			`Opponents[1]: no agent "ghost"; there are still, wander, hunter`},
		{"a seat that does not exist", Config{Game: solo, Games: 1, Opponents: []string{"still", "still"}, Seat: new(3)},
			"Seat is 3, want 0 to 2"},
		{"a seat without opponents", Config{Game: solo, Games: 1, Seat: new(0)}, "without opponents"},
		{"two ways at once",
			Config{Game: solo, Games: 1, Opponents: []string{"still", "still"}, Seats: []string{Learner, Learner, Learner}},
			"both given"},
		{"too few seats", Config{Game: solo, Games: 1, Seats: []string{Learner}}, "Seats has 1 entries, want 3"},
		{"nobody learns", Config{Game: solo, Games: 1, Seats: []string{"still", "still", "still"}}, "at least one"},
		{"an unknown agent in a seat", Config{Game: solo, Games: 1, Seats: []string{"still", "ghost", Learner}},
			`Seats[1]: no agent "ghost"`},
		{"two seats whose death ends the game",
			Config{Game: trained, Games: 1, Opponents: []string{"static", "static", "static"}},
			`OnDeath is "end" with one learner, but the rules' training_agent ends games at the death of seat 2; leave`},
		{"a model that resets", model, "Autoreset is SameStep in a model (Pool.Model), want Disabled"},
		{"a mode that does not exist", Config{Game: solo, Games: 1, Autoreset: 7}, "Autoreset is 7, want 0 to 2"},
		{"negative headroom", Config{Game: solo, Games: 1, Headroom: -1}, "Headroom is -1"},
		{"a negative limit", Config{Game: solo, Games: 1, MaxEpisodeSteps: -3}, "MaxEpisodeSteps is -3"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := New(c.cfg)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
			if _, _, again := Layout(c.cfg); fmt.Sprint(again) != fmt.Sprint(err) {
				t.Errorf("Layout says %v, New %v", again, err)
			}
		})
	}
}

// TestConfigIsOwn: a pool's configuration does not change with the caller's.
func TestConfigIsOwn(t *testing.T) {
	cfg := Config{Game: solo, Games: 1, Seat: new(1), LineUps: LineUps{Names: [][]string{{"still", "wander"}}}}
	p := make1(t, cfg)
	*cfg.Seat, cfg.LineUps.Names[0][0] = 2, Policy
	if got := p.Config(); *got.Seat != 1 || got.LineUps.Names[0][0] != "still" {
		t.Errorf("the learner's seat is %d, and the line-up %q, want 1 and still, wander", *got.Seat, got.LineUps.Names)
	}
}

func TestConfigInForce(t *testing.T) {
	for _, c := range []struct {
		reason string
		cfg    Config
		want   OnDeath
	}{
		{"one learner among single seats", Config{Game: solo, Opponents: []string{"still", "still"}}, End},
		{"the same, asked to wait", Config{Game: solo, Opponents: []string{"still", "still"}, OnDeath: Wait}, Wait},
		{"all learn", Config{Game: solo}, Wait},
		{"one learner with mates", Config{Game: teams, Opponents: opponents(teams)}, Wait},
		{"one learner, by Seats", Config{Game: solo, Seats: []string{"still", Learner, "still"}}, End},
	} {
		c.cfg.Games = 1
		p := make1(t, c.cfg)
		got := p.Config()
		if got.OnDeath != c.want || got.Observation != "maps" {
			t.Errorf("%s: config in force has OnDeath %v, Observation %q; want %v, maps", c.reason, got.OnDeath, got.Observation,
				c.want)
		}
	}
}

func TestNames(t *testing.T) {
	var a Autoreset
	const want = `autoreset_mode is "never", want one of NextStep, SameStep, Disabled`
	if err := a.UnmarshalText([]byte("never")); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q in it", err, want)
	}
}

func TestLayout(t *testing.T) {
	cfg := Config{Game: teams, Games: 3, Headroom: 100, Autoreset: SameStep}
	p := make1(t, cfg)
	fields, memory, err := Layout(cfg)
	must(t, err)
	size := int(memory.Slab)
	if size != p.layout.size || len(fields) != len(p.layout.tensors) {
		t.Errorf("Layout has %d fields in %d bytes, the pool %d in %d", len(fields), size, len(p.layout.tensors),
			p.layout.size)
	}
	b := p.NewBatch(nil)
	want := map[string]string{
		"obs.board": "uint8 [3 3 5 9] true", "obs.self": "int16 [18 4] false", "obs.odds": "float32 [18 2] false",
		"action_mask": "uint8 [18 8] false", "alive": "uint8 [18] false", "seat": "uint8 [18] false",
		"reward": "float64 [18] false", "terminated": "uint8 [18] false", "truncated": "uint8 [18] false",
		"game.done": "uint8 [3] true", "game.return": "float64 [18] false", "game.length": "int32 [3] true",
		"game.result": "uint8 [18] false", "game.winners": "uint8 [3 6] true", "game.seed": "uint64 [3] true",
		"game.episode": "uint64 [3] true",
	}
	end := 0
	for i, f := range p.layout.tensors {
		if got := fmt.Sprint(f.Dtype(), " ", []int(f.Shape()), " ", f.PerGame); got != want[f.Name] {
			t.Errorf("%s is %s, want %s", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
		if f.Offset%64 != 0 || f.Offset-end < cfg.Headroom || f.Offset != fields[i].Offset {
			t.Errorf("%s lies at %d (Layout: %d), want a multiple of 64 and %d free bytes from %d on", f.Name, f.Offset,
				fields[i].Offset, cfg.Headroom, end)
		}
		end = f.Offset + int(f.MemSize())
		if &b.Bytes(f.Name)[0] != &b.slab[f.Offset] {
			t.Errorf("%s: Bytes is not the slab at %d", f.Name, f.Offset)
		}
	}
	if len(want) > 0 || end != p.layout.size || len(b.slab) != end {
		t.Errorf("missing fields %v; they end at %d of %d", want, end, p.layout.size)
	}
	if addr := uintptr(unsafe.Pointer(&b.slab[0])); addr%64 != 0 {
		t.Errorf("the slab starts at %#x, want a multiple of 64", addr)
	}
}

// Tensors and bytes are one memory, with the types and shapes of the fields.
func TestTensors(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 2, Autoreset: SameStep})
	b := p.NewBatch(nil)
	for i, f := range append(slices.Clone(p.layout.tensors), p.layout.finals...) {
		d := b.Tensor(f.Name)
		if d.Dtype() != f.Dtype() || !d.Shape().Eq(f.Shape()) || d.MemSize() != f.MemSize() {
			t.Errorf("%s: %v %v of %d bytes, the layout has %v %v of %d", f.Name, d.Dtype(), d.Shape(), d.MemSize(), f.Dtype(),
				f.Shape(), f.MemSize())
		}
		if f.Uintptr() != 0 || f.IsNativelyAccessible() {
			t.Errorf("%s: in the layout it has memory", f.Name)
		}
		if i < len(b.tensors) &&
			(&b.Bytes(f.Name)[0] != &b.slab[f.Offset] || d.Uintptr() != uintptr(unsafe.Pointer(&b.slab[f.Offset])) ||
				b.Tensors()[i].Dense != d) {
			t.Errorf("%s: it does not lie in the slab at %d", f.Name, f.Offset)
		}
	}
	must(t, p.Reset(b, ResetOptions{Seed: ptr(40)}))
	if got := b.Tensor("game.seed").Uint64s(); !slices.Equal(got, []uint64{40, 41}) {
		t.Errorf("game.seed is %v, want 40 and 41", got)
	}
	if b.Tensor("obs.nothing") != nil || b.Bytes("obs.nothing") != nil {
		t.Error("a field that does not exist has bytes")
	}
}

// A caller's memory is used as it is, whole or not at all.
func TestBatchMemory(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 2})
	mem := slices.Repeat([]byte{0xee}, p.layout.size+10)
	if uintptr(unsafe.Pointer(&mem[0]))%8 != 0 {
		t.Skip("the allocator gave memory at an odd address")
	}
	b := p.NewBatch(mem)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	if &b.slab[0] != &mem[0] {
		t.Error("the batch lies elsewhere")
	}
	if tail := mem[p.layout.size:]; !slices.Equal(tail, slices.Repeat([]byte{0xee}, 10)) {
		t.Errorf("bytes after the batch were written: %x", tail)
	}
	other := p.NewBatch(nil)
	p.Observe(other)
	if string(other.slab) != string(b.slab) {
		t.Error("the same position in the pool's memory and in the caller's differs")
	}
	for _, bad := range [][]byte{mem[:p.layout.size-1], mem[1:]} {
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "want") {
					t.Errorf("NewBatch in bad memory: panics with %v, want a panic that says what it needs", v)
				}
			}()
			p.NewBatch(bad)
		}()
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		setup          int
		learners, rows int
	}{{0, 6, 30}, {1, 1, 5}, {4, 2, 10}} {
		cfg := Config{Game: teams, Games: 5}
		setups[c.setup].set(&cfg)
		p := make1(t, cfg)
		if p.Games() != 5 || p.Learners() != c.learners || p.Rows() != c.rows || p.Spec() != teams.Spec() {
			t.Errorf("%s: %d games, %d learners, %d rows, want 5, %d, %d", setups[c.setup].name, p.Games(), p.Learners(),
				p.Rows(), c.learners, c.rows)
		}
	}
}
