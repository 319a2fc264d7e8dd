package vec

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
)

// form is one of the two ways to save a game.
type form struct {
	name string
	save func(p *Pool, game int) ([]byte, error)
	load func(p *Pool, game int, state []byte) error
}

var forms = []form{
	{"binary", func(p *Pool, game int) ([]byte, error) { return p.Save(game, nil) }, (*Pool).Load},
	{"JSON", func(p *Pool, game int) ([]byte, error) { return p.SaveJSON(game) }, (*Pool).Load},
}

// TestSave: at any point all games, moved to other places of a pool with other
// workers, go on as they do at home: through ends, resets and changes of
// opponents.
func TestSave(t *testing.T) {
	eachConfig(t, func(t *testing.T, cfg Config) {
		for _, f := range forms {
			home := make1(t, cfg)
			b := home.NewBatch(nil)
			pl := &player{spec: home.Spec(), rng: env.RNG{State: 8}}
			must(t, home.Reset(b, ResetOptions{Seed: ptr(60)}))
			for round := range 4 {
				for range 9 {
					advance(t, home, b, pl)
				}
				if round == 2 && home.seating.agents > 0 { // a lineup that is not the pool's any more
					must(t, setOpponents(home, slices.Repeat([]string{"wander"}, home.seating.agents)))
				}
				away := cfg
				away.Workers = 3
				testMove(t, f, home, make1(t, away), *pl)
			}
		}
	})
}

// advance makes one step, or the reset that a step needs.
func advance(t *testing.T, p *Pool, b *Batch, pl *player) {
	t.Helper()
	if p.cfg.Autoreset == Disabled && slices.Contains(p.phases, ended) {
		mask := make([]bool, p.Games())
		for g, ph := range p.phases {
			mask[g] = ph == ended
		}
		must(t, p.Reset(b, ResetOptions{Mask: mask}))
		return
	}
	resets := func(g int) bool { return p.phases[g] == ended }
	must(t, p.Step(b, pl.actions(b, resets)))
}

// testMove copies each game to the next place of another pool and plays on in
// both, at home in a copy.
func testMove(t *testing.T, f form, home, away *Pool, pl player) {
	t.Helper()
	n := home.Games()
	stay := make1(t, home.cfg)
	for g := range n {
		state, err := f.save(home, g)
		must(t, err)
		must(t, f.load(stay, g, state))
		must(t, f.load(away, (g+1)%n, state))
		if again, err := f.save(away, (g+1)%n); err != nil || string(again) != string(state) {
			t.Fatalf("%s: game %d saved again after loading is %.300q, want %.300q (%v)", f.name, g, again, state, err)
		}
	}
	now := home.LineUps()
	must(t, stay.SetLineUps(now))
	if now.ByGame != nil {
		now.ByGame = slices.Concat(now.ByGame[n-1:], now.ByGame[:n-1])
	}
	must(t, away.SetLineUps(now))
	a, b := stay.NewBatch(nil), away.NewBatch(nil)
	stay.Observe(a)
	away.Observe(b)
	for step := range 60 {
		for _, field := range stay.layout.tensors {
			size := int(field.MemSize()) / n
			got, want := b.Bytes(field.Name), slices.Clone(a.Bytes(field.Name))
			want = slices.Concat(want[(n-1)*size:], want[:(n-1)*size]) // moved on by one game
			if err := sameField(&field, got, want); err != nil {
				t.Fatalf("%s: %d steps after it was loaded the pool differs: %v", f.name, step, err)
			}
		}
		resetBoth(t, stay, away, a, b, &pl)
	}
}

func resetBoth(t *testing.T, stay, away *Pool, a, b *Batch, pl *player) {
	t.Helper()
	if stay.cfg.Autoreset == Disabled && slices.Contains(stay.phases, ended) {
		advance(t, stay, a, pl)
		advance(t, away, b, pl)
		return
	}
	actions := pl.actions(a, func(g int) bool { return stay.phases[g] == ended })
	size := len(actions) / stay.Games()
	must(t, stay.Step(a, actions))
	must(t, away.Step(b, slices.Concat(actions[len(actions)-size:], actions[:len(actions)-size])))
}

// A saved game can go to a pool with another view of it.
func TestSaveAcross(t *testing.T) {
	from := make1(t, Config{Game: teams, Games: 2, Opponents: opponents(teams), Seat: new(1)})
	b := from.NewBatch(nil)
	must(t, from.Reset(b, ResetOptions{Seed: ptr(4)}))
	must(t, from.Step(b, still(from)))
	state, err := from.Save(1, []byte("> "))
	must(t, err)
	if string(state[:2]) != "> " {
		t.Error("Save does not append")
	}
	if drawn := (env.Seed{Value: 5}).RNG(env.StreamSeats); drawn.IntN(6) == 1 {
		t.Fatal("seed 5 draws the seat that is fixed here; choose another")
	}
	to := make1(t, Config{Game: teams, Games: 1, Opponents: slices.Repeat([]string{"still"}, 5), Observation: "list",
		Reward: Reference, Autoreset: SameStep, Headroom: 32, MaxEpisodeSteps: 30})
	must(t, to.Load(0, state[2:]))
	if got, want := to.Match(0).Append(nil), from.Match(1).Append(nil); string(got) != string(want) {
		t.Error("the match is another")
	}
	c := to.NewBatch(nil)
	to.Observe(c)
	if c.seed[0] != 5 || c.length[0] != 1 || c.now.seat[0] != b.now.seat[1] {
		t.Errorf("seed %d, length %d, seat %d, want 5, 1, %d", c.seed[0], c.length[0], c.now.seat[0], b.now.seat[1])
	}
	if names := to.games[0].lineup.names; !slices.Equal(names, opponents(teams)) {
		t.Errorf("the episode's opponents are %q, want those it was saved with", names)
	}
	must(t, to.Reset(c, ResetOptions{}))
	if names := to.games[0].lineup.names; names[0] != "still" {
		t.Errorf("the next episode's opponents are %q, want the pool's own", names)
	}
}

// Nothing that is refused changes anything, whether the game was running or never
// reset.
func TestLoadErrors(t *testing.T) {
	cfg := Config{Game: solo, Games: 2, Opponents: []string{"wander", "hunter"}}
	p := make1(t, cfg)
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	must(t, p.Step(b, still(p)))
	good, err := p.Save(0, nil)
	must(t, err)
	save := func(change func(c *Config)) []byte {
		c := cfg
		change(&c)
		q := make1(t, c)
		must(t, q.Reset(q.NewBatch(nil), ResetOptions{Seed: ptr(1)}))
		state, err := q.Save(0, nil)
		must(t, err)
		return state
	}
	resum := func(change func(s []byte)) []byte { // altered on purpose, not by accident
		s := slices.Clone(good[:len(good)-4])
		change(s)
		return binary.LittleEndian.AppendUint32(s, crc32.ChecksumIEEE(s))
	}
	flags := 1 + 8 + 4 + len(solo.Spec().ID)
	cell := len(good) - 4 - len(p.Match(0).Append(nil)) + 8 // where seat 0 of the match stands
	rules := envtest.ToySolo()
	rules.Energy = 200
	for _, c := range []struct {
		reason string
		state  []byte
		want   string
	}{
		{"nothing", nil, "damaged"},
		{"cut", good[:len(good)-1], "damaged"},
		{"too long", append(slices.Clone(good), 0), "damaged"},
		{"another version", resum(func(s []byte) { s[0] = 9 }), "version 9, want 1"},
		{"other rules", save(func(c *Config) { c.Game = envtest.NewToy(rules) }), `a game of "ToySolo-v0", want one of`},
		{"another game", save(func(c *Config) { c.Game, c.Opponents = teams, opponents(teams) }),
			`a game of "ToyTeams-v0", want one of "ToySolo-v0" with the same rules`},
		{"all learn", save(func(c *Config) { c.Opponents = nil }), "learners sit at [0 1 2], want any one seat"},
		{"death means something else", save(func(c *Config) { c.OnDeath = Wait }), "learner's death: false, want true"},
		{"a flag of 7", resum(func(s []byte) { s[flags] = 7 }), "damaged"},
		{"a return that is no number", resum(func(s []byte) {
			binary.LittleEndian.PutUint64(s[flags+2+16+5:], math.Float64bits(math.NaN()))
		}), "a return is NaN"},
		{"an agent that does not exist", resum(func(s []byte) { s[flags+2+16+5+8+1+4] = 'x' }), `no agent "xander"`},
		{"a bad memory", resum(func(s []byte) { s[flags+2+16+5+8+1+4+len("wander")+4+8] = 99 }),
			`agent 0, "wander": not the memory`},
		{"a bad match", resum(func(s []byte) { s[cell] = 200 }), "seat 0: cell 200"},
	} {
		before := saveAll(t, p)
		err := p.Load(0, c.state)
		var se *StateError
		if !errors.As(err, &se) || se.Game != 0 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want a StateError with %q in it", c.reason, err, c.want)
		}
		if saveAll(t, p) != before {
			t.Errorf("%s: refused, but the pool has changed", c.reason)
		}
	}
	for _, game := range []int{-1, 2} {
		if _, err := p.Save(game, nil); err == nil {
			t.Errorf("game %d can be saved", game)
		}
		if p.Load(game, good) == nil || p.Load(game, []byte("{}")) == nil {
			t.Errorf("game %d can be loaded", game)
		}
	}
	if _, err := make1(t, cfg).SaveJSON(0); !errors.Is(err, ErrNotReset) {
		t.Errorf("saving a game never reset: %v, want ErrNotReset", err)
	}
}

func saveAll(t *testing.T, p *Pool) string {
	t.Helper()
	var all []byte
	for g := range p.Games() {
		var err error
		all, err = p.Save(g, all)
		must(t, err)
	}
	return string(all)
}

// Flipped bits are found by the checksum; flipped on purpose they may pass, and
// then the pool must be able to go on.
func TestLoadDamage(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1, Opponents: []string{"wander", "hunter"}})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for range 5 {
		must(t, p.Step(b, still(p)))
	}
	good, err := p.Save(0, nil)
	must(t, err)
	rng, accepted := env.RNG{State: 1}, 0
	for range 3000 {
		bad := slices.Clone(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		if p.Load(0, bad) == nil {
			t.Fatalf("a state with a flipped bit is accepted: %x", bad)
		}
		body := bad[:len(bad)-4]
		if rng.IntN(4) == 0 {
			body = body[:rng.IntN(len(body))]
		}
		before := saveAll(t, p)
		if err := p.Load(0, binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))); err != nil {
			if saveAll(t, p) != before {
				t.Fatalf("refused (%v), but the pool has changed", err)
			}
			continue
		}
		accepted++
		for range 3 {
			must(t, p.Step(b, still(p)))
		}
		must(t, p.Load(0, good))
	}
	if accepted == 0 {
		t.Error("no altered state was accepted, so playing on was not tested")
	}
}

// A state whose match is over although its episode is not is refused, and the
// match put back.
func TestLoadContradiction(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for len(b.Finished()) == 0 {
		must(t, p.Step(b, still(p)))
	}
	state, err := p.SaveJSON(0)
	must(t, err)
	must(t, p.Step(b, still(p)))
	before := saveAll(t, p)
	lie := strings.Replace(string(state), `"ended":true`, `"ended":false`, 1)
	if err := p.Load(0, []byte(lie)); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Errorf("error is %v, want one that says that the match is over", err)
	}
	if saveAll(t, p) != before {
		t.Error("refused, but the pool has changed")
	}
	must(t, p.Load(0, state))
	must(t, p.Step(b, still(p)))
	if b.episode[0] != 1 || b.length[0] != 0 {
		t.Errorf("after loading a finished episode a step shows episode %d, step %d, want 1, 0", b.episode[0], b.length[0])
	}
}

// Reseed changes what RNGs bring, of the game and of its agents, and nothing
// that can be seen now; the next episode is what it would have been.
func TestReseed(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 2, Opponents: slices.Repeat([]string{"wander"}, 5)})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seeds: []uint64{3, 3}}))
	must(t, p.Step(b, still(p)))
	p.Reseed(1, env.Seed{Value: 99})
	p.Observe(b)
	board := b.Bytes("obs.board")
	half := len(board) / 2
	if string(board[:half]) != string(board[half:]) {
		t.Error("Reseed shows at once")
	}
	heading := p.games[0].lineup.agents[0].Append(nil)
	other := p.games[1].lineup.agents[0].Append(nil)
	if string(heading[8:]) != string(other[8:]) || string(heading[:8]) == string(other[:8]) {
		t.Errorf("agents' memories are %x and %x, want another RNG (8 bytes) and the same rest", heading, other)
	}
	for range 5 {
		must(t, p.Step(b, still(p)))
	}
	if string(board[:half]) == string(board[half:]) {
		t.Error("Reseed changes nothing")
	}
	must(t, p.Reset(b, ResetOptions{}))
	if string(board[:half]) != string(board[half:]) || b.episode[1] != 1 {
		t.Error("Reseed changed the next episode")
	}
}

// TestLoadAll: a refused state leaves all games as they were, with the same agents and numbers of line-ups.
func TestLoadAll(t *testing.T) {
	of := new(programs)
	create := func(name string) (env.Agent, error) {
		a, err := solo.NewAgent("wander")
		if name == "exec:x" {
			a = &program{Agent: a, of: of}
		}
		return a, err
	}
	names := [][]string{{"exec:x", "wander"}, {"wander", "exec:x"}}
	p := make1(t, Config{Game: solo, Games: 2, Agent: create, LineUps: LineUps{Names: names}})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	must(t, p.SetLineUps(LineUps{Names: [][]string{{"wander", "exec:x"}}}))
	p.Observe(b)
	before, numbers := saveAll(t, p), slices.Clone(b.Tensor("game.line_up").Int32s())
	state, err := p.Save(0, nil)
	must(t, err)
	var wrong *StateError
	if err := p.LoadAll([]int{0, 1}, [][]byte{state, []byte("none")}); !errors.As(err, &wrong) || wrong.Game != 1 {
		t.Errorf("error is %v, want a StateError of game 1", err)
	}
	p.Observe(b)
	if got := b.Tensor("game.line_up").Int32s(); !slices.Equal(got, numbers) || saveAll(t, p) != before {
		t.Errorf("a refused state changed the games: their line-ups are %v, were %v", got, numbers)
	}
	long := append(append([]byte("{"), make([]byte, mostJSON)...), '}')
	if err := p.Load(0, long); err == nil || !strings.Contains(err.Error(), "JSON of 262146 bytes, want at most 262144") {
		t.Errorf("long JSON: %v", err)
	}
	must(t, p.LoadAll([]int{1}, [][]byte{state}))
	for ph, want := range map[phase]error{unset: ErrNotReset, broken: ErrBroken} {
		q := make1(t, p.cfg)
		q.phases[0], q.games[0].fault = ph, &GameError{}
		bad, few := q.LoadAll([]int{0, 1}, [][]byte{state, nil}), q.LoadAll([]int{0, 1}, [][]byte{state})
		if err := q.Step(q.NewBatch(nil), still(q)); bad == nil || few == nil || !errors.Is(err, want) || q.games[0].seeded {
			t.Errorf("after %v and %v Step says %v, want %v", bad, few, err, want)
		}
	}
}
