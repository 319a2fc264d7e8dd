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

// The maps of a scene, as rawMaps names them.
const (
	mapBoard = iota
	mapBlast
	mapLife
	mapMoving
	mapFlame
	numMaps
)

// paint writes the raw maps, numMaps times n*n bytes.
func (g *Game) paint(s *State, maps []byte) {
	n := g.rules.BoardSize
	cells := n * n
	board := (*[256]byte)(unsafe.Pointer(&s.Board)) // an Item is a byte
	for row := range n {
		from, to := board[16*row+17:][:16], maps[row*n:][:16]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
	}
	maps = maps[:numMaps*cells]
	clear(maps[cells:])
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(g.flatAt[b.Cell])
		maps[mapBlast*cells+at] = b.Blast
		maps[mapLife*cells+at] = b.Life
		maps[mapMoving*cells+at] = uint8(b.Moving())
	}
	flames := maps[mapFlame*cells:]
	for life := range g.rules.FlameLife { // the youngest is written last
		if burning := &s.flames[life]; !burning.Empty() {
			for c := range burning.All {
				flames[g.flatAt[c]] = uint8(life + 1)
			}
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
		s.Agents[0].Cell = grid.At(from/n, from%n)
		w := r.window(&s, 0)
		for at := range n * n {
			if w.has(grid.At(at/n, at%n)) {
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

// flatIndex turns every cell into its place on a flat board.
func (r *Rules) flatIndex() (at [256]uint8) {
	for c := range grid.Square(r.BoardSize).All {
		at[c] = uint8(c.Row()*r.BoardSize + c.Col())
	}
	return at
}

// maskMapsSlowly writes the part of the maps that is in sight: fog on the rest of
// the board, and 0 on the rest of the other maps. It is the twin of the faster
// maskMaps some machines have.
func maskMapsSlowly(dst, maps []byte, seen *sight, cells int) {
	for at, in := range seen[:cells] {
		dst[at] = maps[at]&in | byte(Fog)&^in
	}
	for m := 1; m < numMaps; m++ {
		from, to := maps[m*cells:][:cells], dst[m*cells:][:cells]
		for at, in := range seen[:cells] {
			to[at] = from[at] & in
		}
	}
}

// spreadPlanesSlowly writes the planes of what is in sight. of says for each item
// in which plane it is 1; numPlanes for items that have none. It is the twin of
// the faster spreadPlanes some machines have.
func spreadPlanesSlowly(dst, maps []byte, seen *sight, of *[16]uint8, cells int) {
	clear(dst[:numPlanes*cells])
	for at, in := range seen[:cells] {
		item := maps[at]&in | byte(Fog)&^in
		if plane := int(of[item&15]); plane < numPlanes {
			dst[plane*cells+at] = 1
		}
		if in == 0 {
			continue
		}
		dst[planeBombBlast*cells+at] = maps[mapBlast*cells+at]
		dst[planeBombLife*cells+at] = maps[mapLife*cells+at]
		if d := maps[mapMoving*cells+at]; d != 0 {
			dst[(planeBombUp-1+int(d))*cells+at] = 1
		}
		dst[planeFlame*cells+at] = maps[mapFlame*cells+at]
	}
}
