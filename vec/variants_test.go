package vec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
	"pommego/env/gamestate"
)

// rules are variants of an id.
func rules(t *testing.T, id string, changes ...string) (all []env.Game) {
	t.Helper()
	for _, change := range changes {
		game, err := catalog.Variant(id, json.RawMessage(change))
		must(t, err)
		all = append(all, game)
	}
	return all
}

// quick and slow are rules of which one ends most games earlier.
func quickAndSlow(t *testing.T) []env.Game {
	t.Helper()
	return rules(t, "PommeFFACompetition-v0", `{"max_steps": 9, "bomb_life": 3}`, `{"max_steps": 14, "flame_life": 1}`)
}

// shownBy steps a pool with random moves and returns all that its batches held, by name.
func shownBy(t *testing.T, cfg Config, steps int) []map[string][]byte {
	t.Helper()
	p, err := New(cfg)
	must(t, err)
	defer p.Close()
	b, rng, seed := p.NewBatch(nil), env.RNG{State: 5}, uint64(40)
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	all := []map[string][]byte{held(b)}
	for range steps {
		must(t, p.Step(b, draws(p, &rng)))
		all = append(all, held(b))
	}
	return all
}

func held(b *Batch) map[string][]byte {
	all := map[string][]byte{}
	for _, tensor := range b.Tensors() {
		all[tensor.Name] = bytes.Clone(tensor.Raw)
	}
	return all
}

// draws are moves for all rows, the same for a game whatever others there are.
func draws(p *Pool, rng *env.RNG) []uint8 {
	actions := make([]uint8, p.Rows())
	for i := range actions {
		actions[i] = uint8(rng.IntN(6))
	}
	return actions
}

// TestVariantsByGame: a game among others shows what it shows among games with its rules
// alone, with any number of workers.
func TestVariantsByGame(t *testing.T) {
	games, by := quickAndSlow(t), []int32{0, 1, 1, 0, 1, 0, 0}
	cfg := Config{Games: len(by), Autoreset: SameStep, Counts: true, StepCounts: true, State: true,
		Opponents: slices.Repeat([]string{"simple"}, 3)}
	alone := make([][]map[string][]byte, len(games))
	for k, game := range games {
		cfg.Game = game
		alone[k] = shownBy(t, cfg, 60)
	}
	cfg.Game, cfg.Variants = games[0], Variants{Games: games, ByGame: by}
	for _, cfg.Workers = range []int{1, 2, 7} {
		for step, shown := range shownBy(t, cfg, 60) {
			for name, raw := range shown {
				for i, k := range by {
					own, size := raw[i*len(raw)/len(by):(i+1)*len(raw)/len(by)], len(raw)/len(by)
					want := []byte{byte(k), 0, 0, 0}
					if name != "rules" {
						want = alone[k][step][name][i*size : (i+1)*size]
					}
					if !bytes.Equal(own, want) {
						t.Fatalf("%d workers, step %d, game %d, rules %d: %s is %v, alone it is %v", cfg.Workers, step, i, k, name,
							own, want)
					}
				}
			}
		}
	}
}

// TestVariantsDrawn: the episode's seed alone decides, each is as likely, and a step
// that begins episodes by other rules allocates nothing.
func TestVariantsDrawn(t *testing.T) {
	games := quickAndSlow(t)
	cfg := Config{Game: games[0], Games: 64, Workers: 1, Variants: Variants{Games: games}, Counts: true}
	want := shownBy(t, cfg, 40)
	cfg.Workers = 3
	got := shownBy(t, cfg, 40)
	seen := map[[16]byte]byte{} // seed and episode
	counts := [2]int{}
	for step := range want {
		if !bytes.Equal(got[step]["obs.planes"], want[step]["obs.planes"]) || !bytes.Equal(got[step]["rules"],
			want[step]["rules"]) {
			t.Fatalf("step %d differs with three workers", step)
		}
		for i := range cfg.Games {
			key := [16]byte(slices.Concat(want[step]["game.seed"][8*i:8*i+8], want[step]["game.episode"][8*i:8*i+8]))
			k := want[step]["rules"][16*i] // four rows a game
			if before, ok := seen[key]; !ok {
				counts[k]++
			} else if before != k {
				t.Fatalf("step %d: game %d changes its rules in an episode", step, i)
			}
			seen[key] = k
		}
	}
	if sum := counts[0] + counts[1]; sum < 3*cfg.Games || min(counts[0], counts[1]) < sum/3 {
		t.Errorf("episodes have rules 0 and 1 %v times", counts)
	}
	p, err := New(cfg)
	must(t, err)
	defer p.Close()
	b, seed, stop := p.NewBatch(nil), uint64(1), make([]uint8, p.Rows())
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	if n := testing.AllocsPerRun(60, func() { must(t, p.Step(b, stop)) }); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// TestVariantsSaved: a state goes on by the rules it was saved with, also in a game that has
// others, which has its own again in its next episode.
func TestVariantsSaved(t *testing.T) {
	games := quickAndSlow(t)
	cfg := Config{Game: games[0], Games: 2, Variants: Variants{Games: games, ByGame: []int32{0, 1}}, Counts: true}
	p, err := New(cfg)
	must(t, err)
	defer p.Close()
	b, seed, stop := p.NewBatch(nil), uint64(7), make([]uint8, p.Rows())
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	for range 4 {
		must(t, p.Step(b, stop))
	}
	state, err := p.Save(1, nil)
	must(t, err)
	text, err := p.SaveJSON(1)
	must(t, err)
	start, err := p.NewStart(state)
	must(t, err)
	for name, load := range map[string]func() error{
		"bytes": func() error { return p.Load(0, state) },
		"JSON":  func() error { return p.Load(0, text) },
		"start": func() error { return p.Reset(b, ResetOptions{Starts: []*Start{start, nil}, Mask: []bool{true, false}}) },
	} {
		must(t, load())
		p.Observe(b)
		if live := p.LiveGame(0); live.Game != games[1] {
			t.Errorf("%s: game 0 has the rules of %v", name, live.Game.Spec().Rules)
		}
		for step := 4; b.Bytes("game.done")[0] == 0; step++ {
			if step > 14 {
				t.Fatalf("%s: game 0 does not end after 14 steps", name)
			}
			if k := b.int32s("rules")[0]; k != 1 {
				t.Errorf("%s: step %d shows rules %d", name, step, k)
			}
			must(t, p.Step(b, stop))
		}
		if n := p.LiveGame(0).Match.Status().Steps; n != 14 {
			t.Errorf("%s: game 0 has ended after %d steps, want 14", name, n)
		}
		must(t, p.Step(b, stop))
		if live := p.LiveGame(0); live.Game != games[0] || b.int32s("rules")[0] != 0 {
			t.Errorf("%s: the next episode is not by the game's own rules", name)
		}
	}
	match, _, err := gamestate.SplitJSON(text)
	must(t, err)
	must(t, p.Load(1, match))
	if live := p.LiveGame(1); live.Game != games[1] || live.Match.Status().Steps != 4 {
		t.Errorf("a match alone is not played by the rules of its game")
	}
	if err := p.Load(0, match); err == nil || p.LiveGame(0).Game != games[0] {
		t.Errorf("a match alone by the rules of another game: %v", err)
	}
	cfg.Variants.ByGame = nil
	drawn := make1(t, cfg)
	for seed := range uint64(8) {
		drawn.SetSeed(0, env.Seed{Value: seed})
		if must(t, drawn.Load(0, match)); drawn.LiveGame(0).Game != games[1] {
			t.Errorf("with the seed %d a match alone is not played by its own rules", seed)
		}
	}
	if start, err := drawn.NewStart(match); err != nil || start.variant != 1 {
		t.Errorf("a start of a match alone: %v", err)
	}
	damaged := bytes.Clone(state)
	damaged[len(damaged)-20]++
	before, err := p.Save(0, nil)
	must(t, err)
	if err := p.Load(0, damaged); err == nil {
		t.Error("a damaged state is taken")
	}
	if after, err := p.Save(0, nil); err != nil || !bytes.Equal(after, before) {
		t.Errorf("after a state that was refused (%v), the game is another", err)
	}
}

// TestVariantsTwice: of rules listed twice a saved game and a start have the number that the episode drew.
func TestVariantsTwice(t *testing.T) {
	games := rules(t, "OneVsOne-v0", `{}`, `{"bomb_life": 7}`, `{"bomb_life": 7}`)
	p := make1(t, Config{Game: games[0], Games: 24, Variants: Variants{Games: games}})
	b, seed := p.NewBatch(nil), uint64(3)
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	want := slices.Clone(b.int32s("rules"))
	starts := make([]*Start, p.Games())
	for i := range starts {
		state, err := p.Save(i, nil)
		must(t, err)
		must(t, p.Load(i, state))
		starts[i], err = p.NewStart(state)
		must(t, err)
	}
	if p.Observe(b); !slices.Contains(want, 2) || !slices.Equal(b.int32s("rules"), want) {
		t.Errorf("the rules are %v, after loading the same states %v", want, b.int32s("rules"))
	}
	must(t, p.Reset(b, ResetOptions{Seed: &seed, Starts: starts}))
	if got := b.int32s("rules"); !slices.Equal(got, want) {
		t.Errorf("the rules are %v, of episodes that begin in such states %v", want, got)
	}
}

// TestVariantsRefused names the game and what differs.
func TestVariantsRefused(t *testing.T) {
	ffa := func(change string) []env.Game { return rules(t, "PommeFFACompetition-v0", `{}`, change) }
	planes := ffa(`{}`)[0].Spec().Encodings[0].Fields[0].Shape
	smaller := []int{planes[0], 9, 9}
	for _, test := range []struct {
		games []env.Game
		by    []int32
		want  []string
	}{
		{ffa(`{"board_size": 9, "num_rigid": 8, "num_wood": 8, "num_items": 4}`), []int32{0, 0, 1},
			[]string{"Variants of game 2", "planes", fmt.Sprint(smaller), "want", fmt.Sprint(planes)}},
		{ffa(`{"board_size": 9, "num_rigid": 8, "num_wood": 8, "num_items": 4}`), nil, []string{"Variants[1]", "planes"}},
		{ffa(`{"skulls": true}`), nil, []string{"Variants[1]", "counts"}},
		{rules(t, "SuiteBot-v0", `{"rounds": 10}`, `{"rounds": 21}`), nil, []string{"Variants[1]", "same shapes, bounds"}},
		{ffa(`{"bomb_life": 9}`), []int32{0, 1}, []string{"2 entries, want 3"}},
		{ffa(`{"bomb_life": 9}`), []int32{0, 1, 2}, []string{"ByGame[2] is 2, want 0 to 1"}},
		{rules(t, "SuiteBot-v0", `{}`, `{"players": 3}`), nil, []string{"Variants[1]"}},
	} {
		_, err := New(Config{Game: test.games[0], Games: 3, Variants: Variants{Games: test.games, ByGame: test.by}})
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q in it", test.by, err, want)
			}
		}
	}
	games := quickAndSlow(t)
	for reason, all := range map[string][]env.Game{"another first": {games[1], games[0]}, "nil first": {nil, games[0]},
		"nil": {games[0], nil}} {
		_, err := New(Config{Game: games[0], Games: 1, Variants: Variants{Games: all}})
		if option := new(OptionError); !errors.As(err, &option) || option.Field != "Variants.Games" {
			t.Errorf("%s: %v", reason, err)
		}
	}
	_, err := New(Config{Game: games[0], Games: 1, Variants: Variants{Games: games},
		Opponents: slices.Repeat([]string{"p"}, 3), Agent: func(string) (env.Agent, error) { return new(program), nil }})
	if err == nil || !strings.Contains(err.Error(), "outside the server") {
		t.Errorf("a program among several rules: %v", err)
	}
}

// TestVariantBytes: what games with rules of their own take is no more than is counted.
func TestVariantBytes(t *testing.T) {
	for id, change := range map[string]string{
		"PommeRadio-v2": `{"board_size": 14}`, "BaseWar-v0": `{"lives": 2}`, "SuiteBot-v0": `{"width": 32, "height": 32, "view_radius": 4}`,
	} {
		const n = 20
		before := envtest.HeapInUse()
		all := rules(t, id, slices.Repeat([]string{change}, n)...)
		if took := (envtest.HeapInUse() - before) / n; took > VariantBytes || took == 0 {
			t.Errorf("%s: a game takes %d bytes, and %d are counted", id, took, VariantBytes)
		} else {
			t.Logf("%s: %d bytes", id, took)
		}
		fmt.Fprint(&strings.Builder{}, all) // they are alive until here
	}
}
