package pommerman

import (
	"encoding/binary"
	"math/bits"
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

// paintAll is paint, and also paints what the rules hide from seats.
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

// maskMapsPlainly writes the part of the maps that is in sight: fog on the rest of
// the board, and 0 on the rest of the other maps. It is the twin of the faster
// maskMaps some machines have.
func maskMapsPlainly(dst, maps []byte, seen *sight, cells int) {
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		in := wordAt(seen[:], at)
		putWord(dst, at, wordAt(maps, at)&in|uint64(Fog)*ones&^in)
	}
	for m := 1; m < numMaps; m++ {
		from, to := maps[m*cells:][:cells], dst[m*cells:][:cells]
		for w := range wordsOf(cells) {
			at := wordStart(w, cells)
			putWord(to, at, wordAt(from, at)&wordAt(seen[:], at))
		}
	}
}

// spreadPlanes writes the planes of what is in sight. as says what the seat
// takes each item of the board for, those up to Fog for themselves.
func spreadPlanes(dst, maps []byte, seen *sight, as *[16]uint8, cells int) {
	if !spread(dst, maps, seen, as, cells, sources[:], 1) {
		spreadPlanesPlainly(dst, maps, seen, as, cells)
	}
}

// spreadPlanesPlainly is the twin of spreadPlanes for machines without spread. Most of the planes is 0: it writes all
// of those of the items that are many, and of the others only what is not.
func spreadPlanesPlainly(dst, maps []byte, seen *sight, as *[16]uint8, cells int) {
	clear(dst[:numPlanes*cells])
	passage, rigid, wood, fog := planeOf(dst, Passage, cells), planeOf(dst, Rigid, cells), planeOf(dst, Wood, cells),
		planeOf(dst, Fog, cells)
	blast, life := maps[mapBlast*cells:][:cells], maps[mapLife*cells:][:cells]
	moving, flame := maps[mapMoving*cells:][:cells], maps[mapFlame*cells:][:cells]
	for w := range wordsOf(cells) {
		at := wordStart(w, cells)
		in := wordAt(seen[:], at)
		items := wordAt(maps, at)&in | uint64(Fog)*ones&^in
		putWord(passage, at, equalCells(items, uint8(Passage)))
		putWord(rigid, at, equalCells(items, uint8(Rigid)))
		putWord(wood, at, equalCells(items, uint8(Wood)))
		putWord(fog, at, equalCells(items, uint8(Fog)))
		for few := (items + (0x7f-uint64(Fog))*ones) & (0x80 * ones); few != 0; few &= few - 1 {
			i := bits.TrailingZeros64(few) &^ 7
			is := showing[as[items>>i&15]]
			dst[int(is.plane)*cells+at+i/8] = is.is
		}
		if (wordAt(blast, at)|wordAt(life, at)|wordAt(moving, at)|wordAt(flame, at))&in != 0 {
			spreadOthers(dst[at:], maps[at:], in, cells)
		}
	}
}

// planeOf is the plane that shows an item.
func planeOf(planes []byte, item Item, cells int) []byte {
	return planes[int(showing[item].plane)*cells:][:cells]
}

// spreadOthers writes a word of each plane that is made from a map other than the board.
func spreadOthers(planes, maps []byte, in uint64, cells int) {
	for p, source := range sources {
		if source.from == mapBoard {
			continue
		}
		word := wordAt(maps, int(source.from)*cells) & in
		if source.value != whole {
			word = equalCells(word, source.value)
		}
		putWord(planes, p*cells, word)
	}
}

// equalCells is 1 for each cell of a word that is value. No cell and no value may be 128 or
// more, so that none borrows.
func equalCells(word uint64, value uint8) uint64 {
	return (0x80*ones - (word ^ uint64(value)*ones)) >> 7 & ones
}

// showing is the plane that is 1 where a seat sees what it takes an item for. Some are in none.
var showing = func() (all [256]struct{ plane, is uint8 }) {
	for p, source := range sources {
		if source.from == mapBoard {
			all[source.value] = struct{ plane, is uint8 }{uint8(p), 1}
		}
	}
	return all
}()

// A word is eight cells. The last of a board overlaps the one before it.
const (
	wordCells = 8
	ones      = 0x0101010101010101 // times a byte: that byte eight times
)

func wordAt(cells []byte, at int) uint64 { return binary.LittleEndian.Uint64(cells[at:]) }

func putWord(cells []byte, at int, word uint64) { binary.LittleEndian.PutUint64(cells[at:], word) }

// wordsOf is how many words a board has, of which word w begins at cell wordStart.
func wordsOf(cells int) int { return (cells + wordCells - 1) / wordCells }

func wordStart(w, cells int) int { return min(w*wordCells, cells-wordCells) }
