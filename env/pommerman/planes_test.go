package pommerman

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// TestEncodingsAgreeWithViews plays games of every variant and rebuilds both
// encodings, cell by cell, from what each seat may know.
func TestEncodingsAgreeWithViews(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			m := g.New(1)[0].(*Match)
			actions := make([]uint8, rules.Seats()*(1+rules.RadioWords))
			for episode := range uint64(6) {
				seed := env.Seed{Value: 3, Episode: episode}
				m.Reset(seed)
				rng := seed.RNG(env.StreamPolicy)
				if episode%2 == 1 {
					boost(&rules, &m.State, &rng)
				}
				for range 80 {
					if m.Status().Over {
						break
					}
					for seat := range rules.Seats() {
						checkRaw(t, g, m, seat)
						checkPlanes(t, g, m, seat)
					}
					randomActions(&rules, &rng, actions)
					m.Step(actions)
				}
			}
		})
	}
}

// TestUnfoggedIsRawWithoutFog compares it with the raw encoding of the same position
// by the same rules but for the fog. Games without fog have no such encoding.
func TestUnfoggedIsRawWithoutFog(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			if got, want := g.Spec().Encoding("unfogged") == encodingUnfogged, rules.ViewSize != 0; got != want {
				t.Fatalf("it has the encoding: %v, want %v", got, want)
			}
			if rules.ViewSize == 0 {
				return
			}
			rules.ViewSize = 0
			clear := mustGame(t, rules)
			m, seer := g.New(1)[0].(*Match), clear.New(1)[0].(*Match)
			actions := make([]uint8, rules.Seats()*(1+rules.RadioWords))
			rng := env.RNG{State: 5}
			m.Reset(env.Seed{Value: 4})
			boost(&rules, &m.State, &rng)
			for range 80 {
				if m.Status().Over {
					break
				}
				seer.State = m.State
				for seat := range rules.Seats() {
					for f, got := range encoded(g, m, encodingUnfogged, seat) {
						if want := encoded(clear, seer, encodingRaw, seat)[f]; !bytes.Equal(got, want) {
							t.Fatalf("seat %d: field %d is\n%v\nwant\n%v", seat, f, got, want)
						}
					}
				}
				randomActions(&rules, &rng, actions)
				m.Step(actions)
			}
		})
	}
}

// encoded is one seat's observation in one encoding.
func encoded(g *Game, m *Match, encoding, seat int) [][]byte {
	var dst [][]byte
	for i := range g.Spec().Encodings[encoding].Fields {
		dst = append(dst, bytes.Repeat([]byte{0xaa}, g.Spec().Encodings[encoding].Fields[i].Size()))
	}
	m.Observe(encoding, []uint8{uint8(seat)}, dst)
	return dst
}

func checkRaw(t *testing.T, g *Game, m *Match, seat int) {
	t.Helper()
	var v View
	m.View(seat, &v)
	obs := encoded(g, m, encodingRaw, seat)
	n := g.rules.BoardSize
	want := make([]byte, numMaps*n*n)
	for row := range n {
		for col := range n {
			c := grid.At(row, col)
			want[row*n+col] = byte(v.Board[c])
			want[4*n*n+row*n+col] = v.Flame(c)
		}
	}
	list := make([]byte, 3*MaxBombs)
	for i, b := range v.Bombs[:v.NumBombs] {
		at := b.Cell.Row()*n + b.Cell.Col()
		want[n*n+at], want[2*n*n+at], want[3*n*n+at] = b.Blast, b.Life, uint8(b.Moving())
		copy(list[3*i:], []byte{uint8(b.Cell.Row()), uint8(b.Cell.Col()), b.Blast})
	}
	if !bytes.Equal(obs[0], want) {
		t.Fatalf("seat %d: maps are\n%v\nwant\n%v", seat, obs[0], want)
	}
	if g.rules.BombList && !bytes.Equal(obs[2], list) {
		t.Fatalf("seat %d: list of bombs is %v, want %v", seat, obs[2], list)
	}
	checkRawScalars(t, g, seat, &v, obs[1])
}

func checkRawScalars(t *testing.T, g *Game, seat int, v *View, got []byte) {
	t.Helper()
	values := map[string]int{
		"row": v.Self.Cell.Row(), "col": v.Self.Cell.Col(), "ammo": int(v.Self.Ammo), "blast_strength": int(v.Self.Blast),
		"can_kick": int(toByte(v.Self.Kicks)), "teammate": int(v.Teammate),
		"enemy0": int(v.Enemies[0]), "enemy1": int(v.Enemies[1]), "enemy2": int(v.Enemies[2]),
		"alive0": int(toByte(v.Alive.Has(0))), "alive1": int(toByte(v.Alive.Has(1))), "alive2": int(toByte(v.Alive.Has(2))),
		"alive3":    int(toByte(v.Alive.Has(3))),
		"game_type": int(g.rules.GameType), "step_count": v.StepCount, "message0": int(v.Message[0]),
		"message1": int(v.Message[1]),
	}
	for i, name := range g.Spec().Encodings[encodingRaw].Fields[1].Names {
		want, known := values[name.Name]
		if x := int(int16(binary.LittleEndian.Uint16(got[2*i:]))); !known || x != want {
			t.Fatalf("seat %d: %s is %d, want %d", seat, name.Name, x, want)
		}
	}
}

func checkPlanes(t *testing.T, g *Game, m *Match, seat int) {
	t.Helper()
	var v View
	m.View(seat, &v)
	obs := encoded(g, m, encodingPlanes, seat)
	r := &g.rules
	n := r.BoardSize
	items := map[Item]string{
		Passage: "passage", Rigid: "rigid", Wood: "wood", Fog: "fog",
		ExtraBomb: "extra_bomb", IncrRange: "incr_range", Kick: "kick", Skull: "skull",
		r.Agent0() + Item(seat): "self",
	}
	for _, e := range v.Enemies {
		if e != r.Dummy() {
			items[e] = "enemies"
		}
	}
	if v.Teammate != r.Dummy() {
		items[v.Teammate] = "teammate"
	}
	want := make([]byte, numPlanes*n*n)
	named := func(name string) []byte {
		i := slices.IndexFunc(planes[:], func(p plane) bool { return p.name == name })
		return want[i*n*n:][:n*n]
	}
	for row := range n {
		for col := range n {
			c := grid.At(row, col)
			if name, shown := items[v.Board[c]]; shown {
				named(name)[row*n+col] = 1
			}
			named("flame")[row*n+col] = v.Flame(c)
		}
	}
	for _, b := range v.Bombs[:v.NumBombs] {
		at := b.Cell.Row()*n + b.Cell.Col()
		named("bomb_blast")[at], named("bomb_life")[at] = b.Blast, b.Life
		if b.Moving() != grid.Stay {
			named("bomb_" + [...]string{"", "up", "down", "left", "right"}[b.Moving()])[at] = 1
		}
	}
	if !bytes.Equal(obs[0], want) {
		t.Fatalf("seat %d: planes differ from what the seat may know", seat)
	}
	checkPlaneScalars(t, g, seat, &v, obs[1])
}

func checkPlaneScalars(t *testing.T, g *Game, seat int, v *View, got []byte) {
	t.Helper()
	r := &g.rules
	part := func(n, most int) float32 { return min(float32(n)/float32(most), 1) }
	lives := func(value Item) float32 {
		if value == r.Dummy() {
			return 0
		}
		return observe.One(v.Alive.Has(int(value - r.Agent0())))
	}
	values := map[string]float32{
		"alive": observe.One(v.Self.Alive), "ammo": part(int(v.Self.Ammo), r.MaxAmmo),
		"blast_strength": part(int(v.Self.Blast), max(r.MaxBlast, r.StartBlast)),
		"can_kick":       observe.One(v.Self.Kicks), "row": part(v.Self.Cell.Row(), r.BoardSize-1),
		"col":  part(v.Self.Cell.Col(), r.BoardSize-1),
		"step": part(v.StepCount, r.MaxSteps), "teammate_alive": lives(v.Teammate),
		"enemy0_alive": lives(v.Enemies[0]), "enemy1_alive": lives(v.Enemies[1]), "enemy2_alive": lives(v.Enemies[2]),
	}
	if r.RadioWords > 0 {
		values["message0"], values["message1"] = part(int(v.Message[0]), r.RadioVocab), part(int(v.Message[1]), r.RadioVocab)
	}
	for i, name := range g.Spec().Encodings[encodingPlanes].Fields[1].Names {
		want, known := values[name.Name]
		if x := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); !known || x != want {
			t.Fatalf("seat %d: %s is %g, want %g", seat, name.Name, x, want)
		}
	}
}
