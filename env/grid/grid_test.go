package grid

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive floods over plain lists of rows and columns.
func naiveFlood(from, open Bits) Bits {
	for changed := true; changed; {
		changed = false
		for c := range open.All {
			if from.Has(c) {
				continue
			}
			for _, d := range Dirs {
				dr, dc := d.Delta()
				if n := At(c.Row()+dr, c.Col()+dc); from.Has(n) {
					from.Add(c)
					changed = true
				}
			}
		}
	}
	return from
}

// TestFloodAgreesWithSlowTwin floods random boards of all sides.
func TestFloodAgreesWithSlowTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		side := 1 + i%MaxSide
		var open, from Bits
		for c := range Square(side).All {
			if rng.IntN(3) > 0 {
				open.Add(c)
			}
		}
		from.Add(At(rng.IntN(side), rng.IntN(side)))
		if got, want := from.Flood(open), naiveFlood(from, open); got != want {
			t.Fatalf("flood %d from %v in %v is %v, want %v", i, from, open, got, want)
		}
	}
}

// TestGrowIsTheFourNeighbours grows single cells.
func TestGrowIsTheFourNeighbours(t *testing.T) {
	for c := range Square(MaxSide).All {
		var b Bits
		b.Add(c)
		want := b
		for _, d := range Dirs {
			want.Add(c.Next(d))
		}
		if got := b.Grow(); got != want {
			t.Fatalf("cell %d grows to %v, want %v", c, got, want)
		}
	}
}

// TestBitsAgreeWithSet runs the operations beside a map.
func TestBitsAgreeWithSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b Bits
	set := map[Cell]bool{}
	for range 5000 {
		c := Cell(rng.IntN(256))
		if rng.IntN(2) == 0 {
			b.Add(c)
			set[c] = true
		} else {
			b.Remove(c)
			delete(set, c)
		}
		if b.Has(c) != set[c] || b.Len() != len(set) || b.Empty() != (len(set) == 0) {
			t.Fatalf("after cell %d the set has %d cells, want %d", c, b.Len(), len(set))
		}
	}
	var listed []Cell
	for c := range b.All {
		if !set[c] {
			t.Errorf("All visits %d, which is not in the set", c)
		}
		listed = append(listed, c)
	}
	if len(listed) != len(set) || !slices.IsSorted(listed) || listed[0] != b.First() {
		t.Errorf("All visits %v, want %d cells in row-major order", listed, len(set))
	}
}

// TestCellsKnowRowAndColumn goes there and back, the border included.
func TestCellsKnowRowAndColumn(t *testing.T) {
	for row := -1; row <= MaxSide; row++ {
		for col := -1; col <= MaxSide; col++ {
			if c := At(row, col); c.Row() != row || c.Col() != col {
				t.Fatalf("At(%d, %d) is row %d, column %d", row, col, c.Row(), c.Col())
			}
		}
	}
	for c := range Square(MaxSide).All {
		for _, d := range Dirs {
			dr, dc := d.Delta()
			if n := c.Next(d); n != At(c.Row()+dr, c.Col()+dc) || n.Next(d.Opposite()) != c {
				t.Fatalf("cell %d has %d as its neighbour %v", c, n, d)
			}
		}
	}
}

// TestSharedBorder shows that a board of MaxSharedSide works: what a step or Grow
// reaches off the board is never on it, and Flood finds what a slow search finds.
func TestSharedBorder(t *testing.T) {
	board := Square(MaxSharedSide)
	if board.Len() != MaxSharedSide*MaxSharedSide {
		t.Fatalf("the board has %d cells, want %d", board.Len(), MaxSharedSide*MaxSharedSide)
	}
	for c := range board.All {
		var grown Bits
		grown.Add(c)
		grown = grown.Grow().And(board)
		want := 1
		for _, d := range Dirs {
			dr, dc := d.Delta()
			row, col := c.Row()+dr, c.Col()+dc
			on := min(row, col) >= 0 && max(row, col) < MaxSharedSide
			n := c.Next(d)
			if board.Has(n) != on || on && (n != At(row, col) || !grown.Has(n)) {
				t.Fatalf("row %d, column %d has %d as its neighbour %v", c.Row(), c.Col(), n, d)
			}
			if on {
				want++
			}
		}
		if grown.Len() != want {
			t.Fatalf("row %d, column %d grows to %d cells, want %d", c.Row(), c.Col(), grown.Len(), want)
		}
	}
	var corner Bits
	corner.Add(At(0, 0))
	if got := corner.Flood(board); got != board {
		t.Errorf("a flood from a corner reaches %d cells, want the whole board", got.Len())
	}
}

// TestWalkAgreesWithSets walks on random boards of all sides.
func TestWalkAgreesWithSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() Bits { return Bits{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()} }
	for side := 7; side <= MaxSharedSide; side++ {
		for range 200 {
			board := Square(side)
			b, open, burns := random().And(random()).And(board), random().And(board), random().And(random())
			got, want := b, b.Grow().And(open).Or(b).AndNot(burns)
			if got.Walk(&open, &burns); got != want {
				t.Fatalf("side %d: from %v in %v, burning %v: got %v, want %v", side, b, open, burns, got, want)
			}
		}
	}
}

func TestRetraceAgreesWithSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func() Bits { return Bits{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()} }
	for side := 7; side <= MaxSide; side++ {
		for range 200 {
			board := Square(side)
			b, open, burns := random().And(board), random().And(board), make([]Bits, rng.IntN(5))
			for i := range burns {
				burns[i] = random().And(random())
			}
			got, want := b, b
			for t := len(burns) - 1; t >= 0; t-- {
				want = want.Or(want.And(open).Grow()).AndNot(burns[t])
			}
			if got.Retrace(&open, burns); got.And(board) != want.And(board) {
				t.Fatalf("side %d: from %v in %v, burning %v: got %v, want %v", side, b, open, burns, got, want)
			}
		}
	}
}
