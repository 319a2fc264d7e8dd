package pommerman

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// entries is what a position shows by name: planes of maps, and numbers.
type entries struct {
	planes  map[string][]byte
	numbers map[string]float32
}

func byName(fields []env.Field, maps, scalars []byte) entries {
	all := entries{map[string][]byte{}, map[string]float32{}}
	size := len(maps) / len(fields[0].Names)
	for i, n := range fields[0].Names {
		all.planes[n.Name] = maps[i*size:][:size]
	}
	for i, n := range fields[1].Names {
		all.numbers[n.Name] = math.Float32frombits(binary.LittleEndian.Uint32(scalars[4*i:]))
	}
	return all
}

// globalState is what the global state shows, written over other bytes.
func globalState(g *Game, m *Match) entries {
	fields := g.Spec().State
	dst := [][]byte{bytes.Repeat([]byte{0xaa}, fields[0].Size()), bytes.Repeat([]byte{0xaa}, fields[1].Size())}
	m.Observe(env.GlobalState, nil, dst)
	return byName(fields, dst[0], dst[1])
}

// TestGlobalStateIsWhatEverybodySees compares the global state with what each seat
// would see in the same position without fog, in games of every variant.
func TestGlobalStateIsWhatEverybodySees(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			rules.ViewSize = 0
			clear := &Match{game: mustGame(t, rules)}
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
					state := globalState(g, m)
					clear.State = m.State
					for seat := range rules.Seats() {
						obs := encoded(clear.game, clear, encodingPlanes, seat)
						seen := byName(clear.game.Spec().Encodings[encodingPlanes].Fields, obs[0], obs[1])
						checkSeen(t, &rules, seat, seen, state)
					}
					checkUnconcealed(t, &rules, m, state)
					randomActions(&rules, &rng, actions)
					m.Step(actions)
				}
			}
		})
	}
}

func checkSeen(t *testing.T, r *Rules, seat int, seen, state entries) {
	t.Helper()
	concealed := func(name string) bool {
		return r.Traits().Conceals &&
			(name == "flame" || strings.HasPrefix(name, "bomb_") && name != "bomb_blast" && name != "bomb_life")
	}
	for name, want := range seen.planes {
		switch {
		case name == "self":
			name = fmt.Sprintf("agent%d", seat)
		case name == "teammate" || name == "enemies" || name == "fog" || concealed(name):
			continue
		}
		if got := state.planes[name]; !bytes.Equal(got, want) {
			t.Fatalf("plane %s is\n%v\nwant what seat %d sees without fog\n%v", name, got, seat, want)
		}
	}
	for name, want := range seen.numbers {
		owner := seat
		switch {
		case strings.HasPrefix(name, "enemy") || name == "teammate_alive":
			continue
		case strings.HasPrefix(name, "message"):
			owner = r.Teammate(seat)
		}
		in := fmt.Sprintf("agent%d_%s", owner, name)
		if name == "step" {
			in = name
		}
		if got, there := state.numbers[in]; !there || got != want {
			t.Fatalf("%s is %v, want the %s of seat %d, %v", in, got, name, seat, want)
		}
	}
}

// checkUnconcealed compares what some rules conceal from seats with the match.
func checkUnconcealed(t *testing.T, r *Rules, m *Match, state entries) {
	t.Helper()
	n := r.BoardSize
	moving := [...]string{grid.Up: "bomb_up", grid.Down: "bomb_down", grid.Left: "bomb_left", grid.Right: "bomb_right"}
	rolling := map[int]string{}
	for _, b := range m.bombs() {
		rolling[b.Cell.Row()*n+b.Cell.Col()] = moving[b.Moving()]
	}
	for at := range n * n {
		if got, want := state.planes["flame"][at], m.Flame(grid.At(at/n, at%n)); got != want {
			t.Fatalf("the flame at %d is %d, want %d", at, got, want)
		}
		for _, name := range moving[1:] {
			if got, want := state.planes[name][at], toByte(rolling[at] == name); got != want {
				t.Fatalf("%s at %d is %d, want %d", name, at, got, want)
			}
		}
	}
}
