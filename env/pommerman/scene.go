package pommerman

import (
	"encoding/binary"
	"unsafe"

	"pommego/env/grid"
)

// A scene is the five raw maps of a game as someone without fog sees them, each
// row after row without the border. It is painted once for all seats; what a
// seat observes is the part of it in its sight.
type scene [numMaps*maxCells + sceneSlack]byte

const (
	maxCells = grid.MaxSide * grid.MaxSide

	// sceneSlack is how far paint may write past the board: rows are copied
	// sixteen bytes at a time.
	sceneSlack = 16
)

// The maps of a scene, as rawMaps names them; the board is the first.
const (
	mapBoard = iota
	mapBlast
	mapLife
	mapMoving
	mapFlame
	numMaps
)

// paint writes the raw maps as seats see them, numMaps times n*n bytes that are 0.
func (g *Game) paint(s *State, maps []byte) {
	g.paintAll(s, maps)
	if g.rules.Traits().Conceals {
		g.conceal(maps)
	}
}

// paintAll is paint, with what the rules conceal from seats.
func (g *Game) paintAll(s *State, maps []byte) {
	n := g.rules.BoardSize
	cells := n * n
	board := (*[256]byte)(unsafe.Pointer(&s.Board)) // an Item is a byte
	for row := range n {
		from, to := board[16*row+17:][:16], maps[row*n:][:16]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
	}
	clear(maps[cells:][:sceneSlack]) // the last row went past the board
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(g.flatAt[b.Cell])
		maps[mapBlast*cells+at] = b.Blast
		maps[mapLife*cells+at] = b.Life
		maps[mapMoving*cells+at] = uint8(b.Moving())
	}
	flames := maps[mapFlame*cells:][:cells]
	for life := range g.rules.FlameLife { // the youngest is written last
		if burning := &s.flames[life]; !burning.Empty() {
			for c := range burning.All {
				flames[g.flatAt[c]] = uint8(life + 1)
			}
		}
	}
}

// conceal hides in the maps what View.conceal does.
func (g *Game) conceal(maps []byte) {
	cells := g.rules.BoardSize * g.rules.BoardSize
	clear(maps[mapMoving*cells:][:cells])
	for at, life := range maps[mapFlame*cells:][:cells] {
		if life != 0 {
			maps[mapFlame*cells+at] = uint8(g.rules.FlameLife)
		}
	}
}

// sight is what a seat sees from a cell: 0xff for every cell of a flat board
// that is in view, 0 for the others.
type sight [maxCells]byte

// sights is the sight from each cell of a flat board, or, without fog, the one
// that all seats share.
func (r *Rules) sights() []sight {
	n := r.BoardSize
	views := n * n
	if r.ViewSize == 0 {
		views = 1
	}
	all := make([]sight, views)
	for from := range all {
		var s State
		s.Agents[0].Cell = r.cell(from)
		w := r.window(&s, 0)
		for at := range n * n {
			if w.Has(r.cell(at)) {
				all[from][at] = 0xff
			}
		}
	}
	return all
}

// sight is what an agent sees. A dead one still looks from its last cell.
func (g *Game) sight(a *Agent) *sight {
	if len(g.sights) == 1 {
		return &g.sights[0]
	}
	return &g.sights[g.flatAt[a.Cell]]
}

// The functions below work on words of eight cells, the last of which overlaps the one
// before it.
const (
	wordCells = 8
	ones      = 0x0101010101010101 // times a byte: that byte eight times

	firstAgent = 10 // the least cell value of an agent
)

func wordAt(cells []byte, at int) uint64 { return binary.LittleEndian.Uint64(cells[at:]) }

func putWord(cells []byte, at int, word uint64) { binary.LittleEndian.PutUint64(cells[at:], word) }

// wordsOf is how many words a board has, of which word w begins at cell wordStart.
func wordsOf(cells int) int { return (cells + wordCells - 1) / wordCells }

func wordStart(w, cells int) int { return min(w*wordCells, cells-wordCells) }

// fogged is a word of the board with fog on what is not in sight.
func fogged(board, in uint64) uint64 { return board&in | uint64(Fog)*ones&^in }

// maskMapsPlainly writes the part of the maps that is in sight: fog on the rest of
// the board, and 0 on the rest of the other maps. It is the twin of the faster
// maskMaps some machines have.
func maskMapsPlainly(dst, maps []byte, seen *sight, cells int) {
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		putWord(dst, at, fogged(wordAt(maps, at), wordAt(seen[:], at)))
	}
	for m := 1; m < numMaps; m++ {
		maskMap(dst[m*cells:], maps[m*cells:], seen, cells)
	}
}

// maskMap writes the part of a map that is in sight, and 0 elsewhere.
func maskMap(to, from []byte, seen *sight, cells int) {
	to, from = to[:cells], from[:cells]
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		putWord(to, at, wordAt(from, at)&wordAt(seen[:], at))
	}
}

// spreadPlanesPlainly writes the planes of what is in sight. as says what the seat
// takes each item of the board for. It is the twin of the faster spreadPlanes some
// machines have.
func spreadPlanesPlainly(dst, maps []byte, seen *sight, as *[16]uint8, cells int) {
	var board [maxCells + wordCells]uint8
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		word := fogged(wordAt(maps, at), wordAt(seen[:], at))
		putWord(board[:], at, word)
		if (word+(0x80-firstAgent)*ones)&(0x80*ones) == 0 {
			continue // no agents
		}
		for i, item := range board[at:][:wordCells] {
			board[at+i] = as[item&15]
		}
	}
	for p, source := range sources {
		to, from := dst[p*cells:][:cells], maps[int(source.from)*cells:][:cells]
		switch {
		case source.from == mapBoard:
			equalCells(to, board[:], source.value, &everywhere)
		case source.value == whole:
			maskMap(to, from, seen, cells)
		default:
			equalCells(to, from, source.value, seen)
		}
	}
}

// equalCells writes 1 where a map holds a value and is in sight, and 0 elsewhere. Both
// are under 128, so no byte borrows from the next.
func equalCells(to, from []byte, value uint8, seen *sight) {
	values := uint64(value) * ones
	for w := range wordsOf(len(to)) {
		at := wordStart(w, len(to))
		putWord(to, at, (0x80*ones-(wordAt(from, at)^values))>>7&ones&wordAt(seen[:], at))
	}
}
