package search_test

import (
	"fmt"

	"pommego/env"
	"pommego/env/search"
)

// heap is a game for two: each takes one to three matches, and who takes the last wins.
type heap struct{ left, score int }

// nim is the game against somebody who leaves a multiple of four, or else takes one.
type nim struct{}

func (nim) Moves(s *heap, dst []search.Move) []search.Move {
	for n := range min(s.left, 3) {
		dst = append(dst, search.Move(n+1))
	}
	return dst
}

func (nim) Step(s *heap, move search.Move, _ *env.RNG) {
	if s.left -= int(move); s.left == 0 {
		s.score = 1
		return
	}
	if s.left -= max(s.left%4, 1); s.left == 0 {
		s.score = -1
	}
}

func (nim) Terminal(s *heap) bool { return s.left == 0 }

func (nim) Score(s *heap) float64 { return float64(s.score) }

// A tree search of two thousand ticks finds that four matches are to be left.
func Example() {
	var searcher search.Searcher[heap]
	settings := search.Settings{Method: search.TreeSearch, C: 1, Depth: 10}
	for left := 5; left <= 7; left++ {
		found := searcher.Search(nim{}, &heap{left: left}, &settings, search.Budget{Ticks: 2000}, &env.RNG{State: 1})
		fmt.Println("of", left, "take", found.Move)
	}
	// Output:
	// of 5 take 1
	// of 6 take 2
	// of 7 take 3
}
