package pommerman

import (
	"golang.org/x/sys/cpu"

	"pommego/env/grid"
)

var (
	hasAVX2 = cpu.X86.HasAVX2

	// hasAVX512 leaves out the first processors with AVX-512, which lower their
	// clock for it.
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2
)

// The vector code works on strips of 32 to 128 cells: four blocks of 32, which overlap
// as need be. A board with more cells is two strips.
const (
	narrowest = 32
	widest    = 128
)

// spreadFast does what spreadPlainly does, 32 cells at a time, and reports whether it did: one table look-up
// turns every item into what the seat takes it for; then a comparison with its value makes each plane of items.
func spreadFast(dst, maps []byte, seen *sight, as *[16]uint8, cells int, sources []source, unit uint8) bool {
	if !hasAVX2 || cells < narrowest {
		return false
	}
	dst, maps = dst[:len(sources)*cells], maps[:numMaps*cells]
	width := min(cells, widest)
	spreadAVX2(&dst[0], &maps[0], &seen[0], as, &sources[0], cells, width, len(sources), unit)
	if rest := cells - width; rest > 0 {
		spreadAVX2(&dst[rest], &maps[rest], &seen[rest], as, &sources[0], cells, width, len(sources), unit)
	}
	return true
}

// spreadAVX2 spreads a strip of width cells; maps and planes lie stride
// bytes apart.
//
//go:noescape
func spreadAVX2(dst, maps, seen *byte, as *[16]uint8, sources *source, stride, width, planes int, unit uint8)

// look is one seat's look at a board: which cells it sees, and what it takes each item
// for.
type look struct {
	seen *sight
	as   *[16]uint8
}

// block is how many cells the AVX-512 code works on at a time. planeValues has the value of
// each plane's source, repeated so many times. It is on the heap, where objects of that size
// begin on a cache line: loads across two lines would cost drawPlanes an eighth of its speed.
const block = 64

var planeValues = func() *[numPlanes][block]uint8 {
	all := new([numPlanes][block]uint8)
	for p, source := range sources {
		for i := range all[p] {
			all[p][i] = source.value
		}
	}
	return all
}()

// drawPlanes does what drawPlanesPlainly does, and reports whether it did: where the
// processor has AVX-512, a scene of one or two blocks needs no memory.
func (g *Game) drawPlanes(s *State, seats []uint8, dst []byte) bool {
	cells := len(g.cells)
	if !hasAVX512 || cells < block || cells > 2*block || len(seats) > MaxAgents || g.rules.Traits().Conceals {
		return false
	}
	var looks [MaxAgents]look
	for i, seat := range seats {
		looks[i] = look{g.sight(&s.Agents[seat]), &g.of[seat].as}
	}
	if len(seats) > 0 {
		_ = dst[len(seats)*numPlanes*cells-1]
		drawPlanesAVX512(&dst[0], &s.Board[0], &s.Bombs[0], int(s.NumBombs), &s.flames[0], g.rules.FlameLife,
			&g.cells[0], cells, &looks[0], len(seats), planeValues)
	}
	return true
}

// drawPlanesAVX512 draws the planes of at least one look at a board of one or two
// blocks of cells.
//
//go:noescape
func drawPlanesAVX512(dst *byte, board *Item, bombs *Bomb, numBombs int, flames *grid.Bits, lives int, cells *grid.Cell,
	numCells int, looks *look, numLooks int,
	values *[numPlanes][block]uint8)
