package main

import "testing"

// TestJavaRandom compares with what java.util.Random is known to draw.
func TestJavaRandom(t *testing.T) {
	r := newJavaRandom(42)
	for i, want := range []int{0, 3, 8, 4, 0} {
		if got := r.IntN(10); got != want {
			t.Errorf("draw %d of 10 with seed 42 is %d, want %d", i, got, want)
		}
	}
	if got, want := newJavaRandom(0).Float64(), 0.730967787376657; got != want {
		t.Errorf("Float64 with seed 0 is %v, want %v", got, want)
	}
	if got, want := newJavaRandom(0).IntN(16), 11; got != want {
		t.Errorf("draw of 16 with seed 0 is %d, want %d", got, want)
	}
	if got := newJavaRandom(0).Float32(); got != float32(0.73096776) {
		t.Errorf("Float32 with seed 0 is %v, want 0.73096776", got)
	}
}
