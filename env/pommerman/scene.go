package pommerman

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"pommego/env/grid"
)

// A scene is the five raw maps of a game as someone without fog sees them, each row
// after row without the border. It is painted once for all seats; a seat observes the
// part of it that is in its sight.
type scene [numMaps*maxCells + sceneSlack]byte

const (
	maxCells = grid.MaxSide * grid.MaxSide

	// sceneSlack is how many bytes paint may write past the board: it copies rows sixteen
	// bytes at a time.
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

// paint writes the raw maps as seats see them, into numMaps times n*n bytes that are 0.
func (g *Game) paint(s *State, maps []byte) {
	if g.rules.Traits().Conceals {
		var copied State
		g.rules.CopyWhole(s, &copied)
		s = &copied
	}
	g.paintAll(s, maps)
}

// paintAll is paint, and also paints what the rules hide from seats.
func (g *Game) paintAll(s *State, maps []byte) {
	n := g.rules.BoardSize
	cells := n * n
	board := (*[256]byte)(unsafe.Pointer(&s.Board)) // an Item is a byte
	for row := range n {
		*(*[16]byte)(maps[row*n:]) = *(*[16]byte)(board[16*row+17:])
	}
	clear(maps[cells:][:sceneSlack]) // the last row was written past the board
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(g.flatAt[b.Cell])
		maps[mapBlast*cells+at] = b.Blast
		maps[mapLife*cells+at] = b.Life
		maps[mapMoving*cells+at] = uint8(b.Moving())
	}
	flames := maps[mapFlame*cells:][:cells]
	for life := range g.rules.FlameLife { // so that the youngest flame is written last
		if burning := &s.flames[life]; !burning.Empty() {
			for c := range burning.All {
				flames[g.flatAt[c]] = uint8(life + 1)
			}
		}
	}
}

// sight is what a seat sees from a cell: for every cell of a board without border, 0xff
// if it is in view, else 0.
type sight [maxCells]byte

// sights returns the sight from each cell or, without fog, the one that all seats
// share.
func (r *Rules) sights() []sight {
	n := r.BoardSize
	views := n * n
	if r.ViewSize == 0 {
		views = 1
	}
	all := make([]sight, views)
	for from := range all {
		w := r.window(r.cell(from))
		for at := range n * n {
			if w.Has(r.cell(at)) {
				all[from][at] = 0xff
			}
		}
	}
	return all
}

// sight returns what an agent sees. A dead one still looks from its last cell.
func (g *Game) sight(a *Agent) *sight {
	if len(g.sights) == 1 {
		return &g.sights[0]
	}
	return &g.sights[g.flatAt[a.Cell]]
}

// spread writes a plane for each source of the maps: unit where its map holds its value, as far as cells are in
// sight; the board shows fog elsewhere. as says what a seat takes each item of the board for, except the items up to
// Fog.
func spread(dst, maps []byte, seen *sight, as *[16]uint8, cells int, sources []source, unit uint8) {
	if !spreadFast(dst, maps, seen, as, cells, sources, unit) {
		spreadPlainly(dst, maps, seen, as, cells, sources, unit)
	}
}

// spreadPlainly does the same. On machines without spreadFast it is the one in use. It
// clears a plane at once if nothing of it is there, as in most planes.
func spreadPlainly(dst, maps []byte, seen *sight, as *[16]uint8, cells int, sources []source, unit uint8) {
	var board [maxCells + sceneSlack]byte // as the seat sees it
	shows := [256]bool{Passage: true, Rigid: true, Wood: true, BombItem: true, Flames: true, Fog: true, whole: true}
	holds := [numMaps + 1]uint64{mapBoard: 1, mapDanger: 1} // by map: 0 if it is empty
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		in := wordAt(seen[:], at)
		items := wordAt(maps, at)&in | uint64(Fog)*ones&^in
		for few := (items + (0x7f-uint64(Fog))*ones) & (0x80 * ones); few != 0; few &= few - 1 {
			i := bits.TrailingZeros64(few) &^ 7
			is := as[items>>i&15]
			items = items&^(0xff<<i) | uint64(is)<<i
			shows[is] = true
		}
		putWord(board[:], at, items)
		for m := mapBlast; m < numMaps; m++ {
			holds[m] |= wordAt(maps, m*cells+at) & in
		}
	}
	for p, source := range sources {
		plane, from := dst[p*cells:][:cells], maps[int(source.from)*cells:][:cells]
		if holds[source.from] == 0 || source.from == mapBoard && !shows[source.value] {
			clear(plane)
			continue
		}
		if source.from == mapBoard {
			from = board[:]
		}
		for w := range wordsOf(cells) {
			at := wordStart(w, cells)
			word := wordAt(from, at)
			if source.from != mapBoard {
				word &= wordAt(seen[:], at)
			}
			if source.value != whole {
				word = equalCells(word, source.value) * uint64(unit)
			}
			putWord(plane, at, word)
		}
	}
}

// equalCells returns a word with 1 for each cell of a word that is value, else 0. No
// cell and no value may be 128 or more, so that no byte borrows from the next.
func equalCells(word uint64, value uint8) uint64 {
	return (0x80*ones - (word ^ uint64(value)*ones)) >> 7 & ones
}

// A word is eight cells. The last of a board overlaps the one before it.
const (
	wordCells = 8
	ones      = 0x0101010101010101 // ones times a byte is that byte eight times
)

func wordAt(cells []byte, at int) uint64 { return binary.LittleEndian.Uint64(cells[at:]) }

func putWord(cells []byte, at int, word uint64) { binary.LittleEndian.PutUint64(cells[at:], word) }

// wordsOf returns how many words a board has. Word w begins at cell wordStart.
func wordsOf(cells int) int { return (cells + wordCells - 1) / wordCells }

func wordStart(w, cells int) int { return min(w*wordCells, cells-wordCells) }
