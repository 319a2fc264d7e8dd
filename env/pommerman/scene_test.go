package pommerman

import (
	"bytes"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestEncodersAgreeWithPlainTwins compares what the processor does many cells at
// a time with its plain twin, on boards of all sizes, with every value on every
// place and memory that is not clear.
func TestEncodersAgreeWithPlainTwins(t *testing.T) {
	rng := env.RNG{State: 3}
	for side := 5; side <= grid.MaxSide; side++ {
		cells := side * side
		for range 200 {
			maps := make([]byte, numMaps*cells)
			for i := range maps {
				maps[i] = byte(rng.IntN(256))
			}
			for at := range cells {
				maps[at] &= 15
				maps[mapMoving*cells+at] = byte(rng.IntN(5))
			}
			var seen sight
			for at := range cells {
				seen[at] = 0xff * byte(rng.IntN(2))
			}
			var as [16]uint8
			for i := range as {
				as[i] = uint8(i)
				if Item(i) > Fog {
					as[i] = uint8(ExtraBomb) + uint8(rng.IntN(int(anEnemy-ExtraBomb)+1))
				}
			}
			got, want := bytes.Repeat([]byte{7}, numPlanes*cells+1), bytes.Repeat([]byte{7}, numPlanes*cells+1)
			spread(got, maps, &seen, &as, cells, sources[:], 1)
			spreadPlainly(want, maps, &seen, &as, cells, sources[:], 1)
			if !bytes.Equal(got, want) {
				t.Fatalf("side %d: planes of %v with %v differ from the plain twin's", side, maps, as)
			}
			spread(got, maps, &seen, &asItself, cells, rawSources[:], 1)
			spreadPlainly(want, maps, &seen, &asItself, cells, rawSources[:], 1)
			if !bytes.Equal(got, want) {
				t.Fatalf("side %d: masked maps of %v differ from the plain twin's", side, maps)
			}
		}
	}
}

// TestDrawnPlanesAgreeWithPlainTwin compares the planes of states that hold
// anything anywhere, in memory that is not clear, with the plain twin's.
func TestDrawnPlanesAgreeWithPlainTwin(t *testing.T) {
	rng, drawn := env.RNG{State: 4}, 0
	for name, rules := range variants() {
		for rules.BoardSize = 5; rules.BoardSize <= grid.MaxSide; rules.BoardSize++ {
			g := undealt(rules)
			seats := []uint8{3, 0, 2, 1}
			size := numPlanes * len(g.cells)
			for range 40 {
				s := scribble(g, &rng)
				some := seats[:rng.IntN(rules.Seats()+1)]
				got, want := bytes.Repeat([]byte{7}, len(some)*size+64), bytes.Repeat([]byte{7}, len(some)*size+64)
				if !g.drawPlanes(s, some, got[:len(some)*size]) {
					continue
				}
				drawn++
				g.drawPlanesPlainly(s, some, want[:len(some)*size])
				if !bytes.Equal(got, want) {
					t.Fatalf("%s, side %d: planes of seats %v differ from the plain twin's in %+v", name, rules.BoardSize, some, s)
				}
			}
		}
	}
	if drawn == 0 {
		t.Skip("this processor has the plain twin alone")
	}
}

// TestNearPlanesAgreeWithPlainTwin compares those of maps that hold anything anywhere, as the rules allow them.
func TestNearPlanesAgreeWithPlainTwin(t *testing.T) {
	rng, drawn := env.RNG{State: 5}, 0
	for name, rules := range variants() {
		form := rules.NearForm()
		for range 200 {
			maps := make([]byte, (numMaps+1)*nearCells+sceneSlack)
			for i := range maps {
				maps[i] = byte(rng.IntN(256))
			}
			for at := range nearCells {
				maps[at] &= 15
				maps[mapMoving*nearCells+at] = byte(rng.IntN(5))
			}
			var as [16]uint8
			for i := range as {
				as[i] = uint8(i)
				if Item(i) > Fog {
					as[i] = uint8(ExtraBomb) + uint8(rng.IntN(int(anEnemy-ExtraBomb)+1))
				}
			}
			size := len(form.sources) * nearCells
			got, want := bytes.Repeat([]byte{7}, size+64), bytes.Repeat([]byte{7}, size+64)
			if !spreadFast(got[:size], maps, &everywhere, &as, nearCells, form.sources, nearUnit) {
				continue
			}
			drawn++
			spreadPlainly(want[:size], maps, &everywhere, &as, nearCells, form.sources, nearUnit)
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: planes of %v with %v differ from the plain twin's", name, maps, as)
			}
		}
	}
	if drawn == 0 {
		t.Skip("this processor has the plain twin alone")
	}
}

// scribble is a state that need not be one of a game.
func scribble(g *Game, rng *env.RNG) *State {
	s := &State{NumBombs: uint8(rng.IntN(MaxBombs + 1))}
	for c := range s.Board {
		s.Board[c] = Item(rng.IntN(16))
	}
	anywhere := func() grid.Cell { return g.cells[rng.IntN(len(g.cells))] }
	for i := range s.bombs() {
		s.Bombs[i] = NewBomb(anywhere(), uint8(rng.IntN(256)), uint8(rng.IntN(256)), rng.IntN(16), grid.Dir(rng.IntN(5)))
	}
	for life := range g.rules.FlameLife {
		for range rng.IntN(20) {
			s.flames[life].Add(anywhere())
		}
	}
	for a := range s.Agents {
		s.Agents[a].Cell = anywhere()
	}
	return s
}
