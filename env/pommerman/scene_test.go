package pommerman

import (
	"bytes"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestEncodersAgreeWithSlowTwins compares what the processor does many cells at
// a time with its plain twin, on boards of all sizes, with every value on every
// place and memory that is not clear.
func TestEncodersAgreeWithSlowTwins(t *testing.T) {
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
				as[i] = sources[rng.IntN(numPlanes)].value
			}
			got, want := bytes.Repeat([]byte{7}, numPlanes*cells+1), bytes.Repeat([]byte{7}, numPlanes*cells+1)
			spreadPlanes(got, maps, &seen, &as, cells)
			spreadPlanesSlowly(want, maps, &seen, &as, cells)
			if !bytes.Equal(got, want) {
				t.Fatalf("side %d: planes of %v with %v differ from the slow twin's", side, maps, as)
			}
			maskMaps(got, maps, &seen, cells)
			maskMapsSlowly(want, maps, &seen, cells)
			if !bytes.Equal(got, want) {
				t.Fatalf("side %d: masked maps of %v differ from the slow twin's", side, maps)
			}
		}
	}
}
