package suitebot

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pommego/env"
)

// observed is one seat's observation in an encoding.
func observed(g *Game, s *State, encoding, seat int) (maps, scalars []byte) {
	m := g.New(1)[0].(*Match)
	m.State = *s
	fields := g.Spec().Encodings[encoding].Fields
	dst := [][]byte{make([]byte, fields[0].Size()), make([]byte, fields[1].Size())}
	m.Observe(encoding, []uint8{uint8(seat)}, dst)
	return dst[0], dst[1]
}

// slowPlanes writes the planes from the view of a seat, plane by plane as their
// meanings say.
func slowPlanes(v *View, planes []env.Name) []byte {
	p, s := v.Game, &v.State
	n := p.Rules().Players
	number := func(owner int) uint8 { return uint8((owner - v.Seat + n) % n) }
	var all []byte
	for _, entry := range planes {
		plane := entry.Name
		for c := range Cell(p.Cells()) {
			value := uint8(0)
			for seat := range n {
				switch {
				case plane == "self" && s.Agents[seat] == c && seat == v.Seat, plane == "home" && s.Homes[seat] == c &&
					seat == v.Seat:
					value = 1
				case plane == "enemies" && s.Agents[seat] == c, plane == "enemy_homes" && s.Homes[seat] == c:
					value = number(seat)
				}
			}
			for b := range s.Bombs {
				switch {
				case b.Cell != c:
				case plane == "own_bombs" && b.Owner == v.Seat, plane == "enemy_bombs" && b.Owner != v.Seat:
					value = uint8(b.Rounds)
				case plane == "bomb_enemy":
					value = number(b.Owner)
				}
			}
			if plane == "points" && v.Sight.Has(c) && !s.Spent.Has(c) || plane == "fog" && !v.Sight.Has(c) {
				value = 1
			}
			all = append(all, value)
		}
	}
	return all
}

// TestPlanesAgreeWithSlowTwin compares the planes of random games with ones
// written from the view.
func TestPlanesAgreeWithSlowTwin(t *testing.T) {
	for name, rules := range variants() {
		p := mustGame(t, rules)
		g := p
		names := g.Spec().Encodings[encodingPlanes].Fields[0].Names
		for i, s := range walk(p, 60) {
			for seat := range rules.Players {
				var v View
				p.See(&s, seat, &v)
				planes, scalars := observed(g, &s, encodingPlanes, seat)
				if want := slowPlanes(&v, names); !bytes.Equal(planes, want) {
					at := firstDifference(planes, want)
					t.Fatalf("%s, game %d, seat %d: plane %q at field %d is %d, want %d", name, i, seat, names[at/p.cells].Name,
						at%p.cells, planes[at], want[at])
				}
				checkScalars(t, g, &v, scalars)
			}
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// checkScalars compares the vector of the planes encoding with what its names
// mean.
func checkScalars(t *testing.T, g *Game, v *View, scalars []byte) {
	t.Helper()
	r := v.Game.Rules()
	x, y := v.Game.XY(v.State.Agents[v.Seat])
	want := []float64{float64(x) / float64(r.Width-1), float64(y) / float64(r.Height-1),
		float64(v.State.StepCount) / float64(r.Rounds)}
	for k := range r.Players {
		want = append(want, float64(v.State.Scores[(v.Seat+k)%r.Players])/float64(r.Width*r.Height))
	}
	for i, name := range g.Spec().Encodings[encodingPlanes].Fields[1].Names {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(scalars[4*i:])); math.Abs(float64(got)-want[i]) > 1e-5 {
			t.Fatalf("scalar %q is %v, want %v", name.Name, got, want[i])
		}
	}
}

// unpackRaw rebuilds the view from the raw encoding.
func unpackRaw(g *Game, v *View, maps, scalars []byte) State {
	p := g
	names := g.Spec().Encodings[encodingRaw].Fields[0].Names
	s := State{StepCount: uint16(int32At(scalars, 3))}
	for i := range p.rules.Players {
		s.Agents[i] = NoCell
		s.Scores[i] = int32(int32At(scalars, 4+i))
	}
	for c := range Cell(p.cells) {
		at := func(name string) uint8 {
			return maps[slices.IndexFunc(names, func(n env.Name) bool { return n.Name == name })*p.cells+int(c)]
		}
		if at("field") == fieldSpent {
			s.Spent.Add(c)
		}
		if a := at("agent"); a > 0 {
			s.Agents[a-1] = c
		}
		if h := at("home"); h > 0 {
			s.Homes[h-1] = c
		}
		if k := at("bomb_rounds"); k > 0 {
			s.Place(Bomb{c, int(k), int(at("bomb_owner")) - 1})
		}
	}
	return s
}

func int32At(scalars []byte, i int) int { return int(int32(binary.LittleEndian.Uint32(scalars[4*i:]))) }

// TestRawLosesNothing rebuilds what a seat sees from its raw observation.
func TestRawLosesNothing(t *testing.T) {
	for name, rules := range variants() {
		p := mustGame(t, rules)
		g := p
		for i, s := range walk(p, 60) {
			for seat := range rules.Players {
				var v View
				p.See(&s, seat, &v)
				maps, scalars := observed(g, &s, encodingRaw, seat)
				got, want := unpackRaw(g, &v, maps, scalars), v.State
				// What a round changed and what it counted is not shown.
				want.Blast, want.Gains, want.Collected = Cells{}, [MaxPlayers]int32{}, [MaxPlayers]uint16{}
				want.Kills, want.Deaths = [MaxPlayers]uint16{}, [MaxPlayers]uint16{}
				x, y := p.XY(s.Agents[seat])
				if got != want || int32At(scalars, 0) != seat || int32At(scalars, 1) != x || int32At(scalars, 2) != y {
					t.Fatalf("%s, game %d, seat %d: the raw observation tells\n%s\nwant\n%s", name, i, seat, drawing(p, &got),
						drawing(p, &want))
				}
				for c := range Cell(p.cells) {
					if (maps[c] == fieldUnseen) != !v.Sight.Has(c) {
						t.Fatalf("%s, game %d, seat %d: field %d is %d, seen: %v", name, i, seat, c, maps[c], v.Sight.Has(c))
					}
				}
			}
		}
	}
}

// TestUnfoggedIsRawWithoutFog compares it with the raw encoding of the same position
// by the same rules but for the view. Rules without one have no such encoding.
func TestUnfoggedIsRawWithoutFog(t *testing.T) {
	fogged := 0
	for name, rules := range variants() {
		p := mustGame(t, rules)
		g := p
		if got, want := g.Spec().Encoding("unfogged") == encodingUnfogged, rules.ViewRadius != 0; got != want {
			t.Fatalf("%s has the encoding: %v, want %v", name, got, want)
		}
		if rules.ViewRadius == 0 {
			continue
		}
		fogged++
		rules.ViewRadius = 0
		clear := mustGame(t, rules)
		for i, s := range walk(p, 60) {
			for seat := range rules.Players {
				maps, scalars := observed(g, &s, encodingUnfogged, seat)
				wantMaps, wantScalars := observed(clear, &s, encodingRaw, seat)
				if !bytes.Equal(maps, wantMaps) || !bytes.Equal(scalars, wantScalars) {
					t.Fatalf("%s, game %d, seat %d: maps %v and scalars %v, want %v and %v", name, i, seat, maps, scalars, wantMaps,
						wantScalars)
				}
			}
		}
	}
	if fogged == 0 {
		t.Error("no variant has fog")
	}
}

// TestSpread writes sets of all lengths.
func TestSpread(t *testing.T) {
	rng := env.RNG{State: 3}
	for n := range 200 {
		set := Cells{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		dst := make([]byte, n)
		spread(dst, &set, 7, 2)
		for c, got := range dst {
			if want := map[bool]uint8{true: 2, false: 7}[set.Has(Cell(c))]; got != want {
				t.Fatalf("of %d fields number %d is %d, want %d", n, c, got, want)
			}
		}
	}
}
