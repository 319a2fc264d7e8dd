package search

import (
	"pommego/env"
)

// hill is a walk on a line of cells with heights, the toy game of the tests. A
// cell of height 0 is a pit that ends the game, and from a cell of ice one slides
// one further to the right whatever one does. With wind, one move in four is
// drawn instead.
type hill struct {
	heights []float64
	ice     int // -1: none
	wind    bool
	ticks   int // steps made, to check what searches say
}

type walker struct{ at int }

// The moves.
const (
	left Move = iota
	stay
	right
)

func (h *hill) Moves(w *walker, dst []Move) []Move {
	if w.at > 0 {
		dst = append(dst, left)
	}
	dst = append(dst, stay)
	if w.at < len(h.heights)-1 {
		dst = append(dst, right)
	}
	return dst
}

func (h *hill) Step(w *walker, move Move, rng *env.RNG) {
	h.ticks++
	if h.wind && rng.IntN(4) == 0 {
		move = Move(rng.IntN(3))
	}
	if w.at == h.ice {
		move = right
	}
	w.at = min(max(w.at+int(move)-1, 0), len(h.heights)-1)
}

func (h *hill) Terminal(w *walker) bool { return h.heights[w.at] == 0 }

func (h *hill) Score(w *walker) float64 { return h.heights[w.at] }

// top is where the slope's bait begins.
const top = 20

// slope rises slowly to the left of top and quickly, but not far, to the right.
// Who looks only one or two ticks ahead goes right from there.
func slope() *hill {
	h := &hill{heights: make([]float64, 40), ice: -1}
	for i := range h.heights {
		h.heights[i] = 50 + float64(top-i)
	}
	h.heights[top+1], h.heights[top+2], h.heights[top+3] = 52, 53, 1
	return h
}

// trap has a cell of ice on the right, above a pit, which is the best next step; the
// height is on the left.
func trap() *hill {
	return &hill{heights: []float64{70, 60, 50, 40, 30, 45, 0}, ice: 5}
}

// slots is a row of one-armed bandits: the first move chooses one, and from then
// on each tick draws what it pays, evenly from 0 to twice its mean.
type slots struct{ means []float64 }

type pull struct {
	arm  int8 // the one chosen plus one
	paid float64
}

func (m *slots) Moves(p *pull, dst []Move) []Move {
	if p.arm > 0 {
		return append(dst, 0)
	}
	for i := range m.means {
		dst = append(dst, Move(i))
	}
	return dst
}

func (m *slots) Step(p *pull, move Move, rng *env.RNG) {
	if p.arm == 0 {
		p.arm = int8(move) + 1
	}
	p.paid = 2 * m.means[p.arm-1] * float64(rng.IntN(1001)) / 1000
}

func (m *slots) Terminal(*pull) bool { return false }

func (m *slots) Score(p *pull) float64 { return p.paid }
