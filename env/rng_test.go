package env

import "testing"

// TestSeedVersion1 pins how a seed becomes RNGs: a change would give every user
// other games for the same seed, and needs a new SeedVersion.
func TestSeedVersion1(t *testing.T) {
	for _, c := range []struct {
		seed   Seed
		stream uint64
		want   [2]uint64
	}{
		{Seed{0, 0}, StreamBoard, [2]uint64{0x2130748aaac80268, 0xcc78fb979ce5090}},
		{Seed{1, 0}, StreamBoard, [2]uint64{0xe28195ddd9ee4956, 0x6735fa339a2f4459}},
		{Seed{1, 1}, StreamGame, [2]uint64{0x645a5a3a2c385f36, 0x7b6f419ee18ce678}},
		{Seed{1<<64 - 1, 9}, StreamAgents + 3, [2]uint64{0xc16b276fcce1b9c6, 0xba7234d646f1d318}},
	} {
		d := c.seed.RNG(c.stream)
		if got := [2]uint64{d.Uint64(), d.Uint64()}; got != c.want {
			t.Errorf("first draws of %+v, stream %d: %#x, want %#x", c.seed, c.stream, got, c.want)
		}
	}
}

// TestDiceAreSplitMix64 compares with the published test values for seed
// 1234567.
func TestRNGAreSplitMix64(t *testing.T) {
	d := RNG{State: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		if got := d.Uint64(); got != want {
			t.Errorf("draw %d is %d, want %d", i, got, want)
		}
	}
}

// TestStreamsDiffer makes sure that neighbouring seeds, episodes and streams
// share no RNG.
func TestStreamsDiffer(t *testing.T) {
	seen := map[RNG]bool{}
	for value := range uint64(32) {
		for episode := range uint64(32) {
			for stream := range uint64(20) {
				d := Seed{value, episode}.RNG(stream)
				if seen[d] {
					t.Fatalf("seed %d, episode %d, stream %d has the RNG of another", value, episode, stream)
				}
				seen[d] = true
			}
		}
	}
}

// TestIntNIsEven draws many numbers and counts them.
func TestIntNIsEven(t *testing.T) {
	d := RNG{State: 5}
	for _, n := range []int{1, 2, 3, 6, 7, 100} {
		count := make([]int, n)
		for range 1000 * n {
			count[d.IntN(n)]++
		}
		for v, c := range count {
			if c < 800 || c > 1200 {
				t.Errorf("IntN(%d) gave %d %d times in %d, want about 1000", n, v, c, 1000*n)
			}
		}
	}
}

// TestSeatSet exercises the set's few operations.
func TestSeatSet(t *testing.T) {
	s := AllSeats(4).Without(2)
	if s.Has(2) || !s.Has(3) || s.Len() != 3 || s.With(2) != AllSeats(4) || SeatSet(0).Len() != 0 {
		t.Errorf("AllSeats(4).Without(2) is %b", s)
	}
}
