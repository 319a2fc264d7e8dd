package basewar

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// The planes encoding is made for networks: one uint8 plane for each thing a
// cell can hold, told apart by whose it is as the seat sees it, and a vector of
// scalars between 0 and 1.

// viewpoint is how a seat, or somebody without one, sees the map.
type viewpoint struct {
	first   Side               // the side that comes first
	things  [4]env.Name        // the planes of its bombs and the other's, of its base and the other's
	stand   []env.Name         // the planes of bombers
	bombers [NumBombers]figure // in the order of the vector
}

// figure is a bomber with the name that a seat has for it, and the plane that shows it.
type figure struct {
	env.Name
	plane int
	id    int
}

var ownThings = [4]env.Name{
	{Name: "bomb_own", Meaning: "1 where a bomb of the seat's own side lies"},
	{Name: "bomb_enemy", Meaning: "1 where a bomb of the other side lies"},
	{Name: "base_own", Meaning: "energy of the seat's own base, where it stands"},
	{Name: "base_enemy", Meaning: "energy of the other base, where it stands"},
}

// The names of bombers: for a seat that moves one bomber, and for a seat that moves a side.
var (
	onePlanes = []env.Name{
		{Name: "self", Meaning: "1 where the seat's own bomber stands"},
		{Name: "mates", Meaning: "how many others of its side stand on the cell"},
		{Name: "enemies", Meaning: "how many enemies stand on the cell"},
	}
	oneBombers = [NumBombers]figure{
		{env.Name{Name: "self", Meaning: "the seat's own bomber"}, 0, 0},
		{env.Name{Name: "mate0", Meaning: "the first mate by seat"}, 1, 0},
		{env.Name{Name: "mate1", Meaning: "the second mate by seat"}, 1, 0},
		{env.Name{Name: "enemy0", Meaning: "the first enemy by seat"}, 2, 0},
		{env.Name{Name: "enemy1", Meaning: "the second enemy by seat"}, 2, 0},
		{env.Name{Name: "enemy2", Meaning: "the third enemy by seat"}, 2, 0},
	}
	sidePlanes = []env.Name{
		{Name: "own_a", Meaning: "1 where the side's bomber A stands"},
		{Name: "own_b", Meaning: "1 where the side's bomber B stands"},
		{Name: "own_c", Meaning: "1 where the side's bomber C stands"},
		{Name: "enemies", Meaning: "how many enemies stand on the cell"},
	}
	sideCalled = [NumBombers]figure{
		{env.Name{Name: "own_a", Meaning: "the side's bomber A"}, 0, 0},
		{env.Name{Name: "own_b", Meaning: "the side's bomber B"}, 1, 0},
		{env.Name{Name: "own_c", Meaning: "the side's bomber C"}, 2, 0},
		{env.Name{Name: "enemy_a", Meaning: "the other side's bomber A"}, 3, 0},
		{env.Name{Name: "enemy_b", Meaning: "the other side's bomber B"}, 3, 0},
		{env.Name{Name: "enemy_c", Meaning: "the other side's bomber C"}, 3, 0},
	}
)

// viewpoint is that of a seat: its own bombers come first, then those of its side that
// others move, then the enemies.
func (r *Rules) viewpoint(seat int) viewpoint {
	v := viewpoint{SideOf(seat), ownThings, onePlanes, oneBombers}
	order := slices.Concat(sideBombers[v.first], sideBombers[v.first.Other()])
	if r.Sides {
		v.stand, v.bombers = sidePlanes, sideCalled
	} else {
		own := slices.Index(order, uint8(seat))
		order = slices.Insert(slices.Delete(order, own, own+1), 0, uint8(seat))
	}
	for i, id := range order {
		v.bombers[i].id = int(id)
	}
	return v
}

func (g *Game) planesEncoding() env.Encoding {
	n := g.rules.BoardSize
	return env.Encoding{Name: "planes", Fields: []env.Field{
		observe.MapsField("planes", n, n, 100,
			func(m observe.Maps[observe.List]) {
				paintOwn(paintShared(m, g, &State{}), g, &State{}, &g.encoder.views[0])
			}),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { planeScalars(v, g, &State{}, 0) }),
	}}
}

func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	e := &g.encoder
	size, width := e.sizes[encodingPlanes][0], e.sizes[encodingPlanes][1]
	own := paintShared(observe.MapsInto(planes[:size], e.cells), g, s)
	shared := planes[:size-len(own.Rest())]
	for i, seat := range seats {
		dst := planes[i*size:][:size]
		copy(dst, shared)
		paintOwn(observe.MapsInto(dst[len(shared):], e.cells), g, s, &e.views[seat])
		planeScalars(observe.Into(scalars[i*width:][:width]), g, s, int(seat))
	}
}

// maxCells is the cells of the largest board.
const maxCells = grid.MaxSharedSide * grid.MaxSharedSide

// paintShared is the planes that are the same for all seats.
func paintShared[M observe.Mode](m observe.Maps[M], g *Game, s *State) observe.Maps[M] {
	e := &g.encoder
	ground := e.ground.AndNot(s.Stones).AndNot(s.Boxes)
	empty, m := m.Next("empty", "1 where neither stone nor box nor base stands; bombs and bombers may be there")
	e.spread(empty, &ground)
	stone, m := m.Next("stone", "1 where a stone stands")
	e.spread(stone, &s.Stones)
	box, m := m.Next("box", "1 where a box stands")
	e.spread(box, &s.Boxes)
	blast, m := m.Next("blast", "1 where an explosion of the last round reached")
	e.spread(blast, &s.Blast)
	clear(m.Rest())
	life, m := m.Next("bomb_life", "rounds until the bomb on the cell explodes")
	public, m := m.Next("bomb_public", "1 where a public bomb lies")
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := e.flatAt[b.Cell]
		life[at], public[at] = b.Life, toByte(b.Owner() == Public)
	}
	return m
}

func paintOwn[M observe.Mode](m observe.Maps[M], g *Game, s *State, v *viewpoint) {
	e := &g.encoder
	clear(m.Rest())
	things, m := m.Named(v.things[:])
	for i := range s.bombs() {
		if b := &s.Bombs[i]; b.Owner() != Public {
			things[int(b.Owner()^v.first)*e.cells+int(e.flatAt[b.Cell])] = 1
		}
	}
	for side, energy := range s.Energy {
		things[int(2+Side(side)^v.first)*e.cells+e.flat[side]] = energy
	}
	bombers, _ := m.Named(v.stand)
	for i := range v.bombers {
		c := &v.bombers[i]
		if b := &s.Bombers[c.id]; b.Alive() {
			bombers[c.plane*e.cells+int(e.flatAt[b.Cell])]++
		}
	}
}

func planeScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int) {
	e, own, enemy := &g.encoder, SideOf(seat), SideOf(seat).Other()
	v = v.Float("step", "rounds played, over the last round", observe.Share(int(s.StepCount), g.rules.MaxSteps))
	v = v.Float("score_own", "points of the seat's own side, over the most there can be",
		observe.Share(int(s.Score[own]), e.most))
	v = v.Float("score_enemy", "points of the other side, over the most there can be",
		observe.Share(int(s.Score[enemy]), e.most))
	v = v.Float("energy_own", "energy of the seat's own base, over what it starts with", e.energy[s.Energy[own]])
	v = v.Float("energy_enemy", "energy of the other base, over what it starts with", e.energy[s.Energy[enemy]])
	bomberScalars(v, g, s, &e.views[seat])
}

func bomberScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, from *viewpoint) {
	e := &g.encoder
	for i := range from.bombers {
		b := &s.Bombers[from.bombers[i].id]
		v = v.Of(&from.bombers[i].Name)
		v = v.Float("%s_lives", "lives of %s, over those it starts with", e.lives[b.Lives])
		v = v.Float("%s_bombs", "bombs that %s can lay now, over those it starts with", e.bombs[b.Bombs])
		v = v.Float("%s_row", "row of %s (the last one when dead), over the last row", e.row[b.Cell])
		v = v.Float("%s_col", "column of %s (the last one when dead), over the last column", e.col[b.Cell])
	}
}

// encoder holds what the encodings look up instead of computing it each time.
type encoder struct {
	size   int                   // of the board
	cells  int                   // on it
	flatAt [256]uint8            // each cell's place on a flat board
	ground grid.Bits             // the board without bases
	views  [NumBombers]viewpoint // of the seats
	nobody viewpoint
	flat   [2]int    // the places of the bases
	most   int       // points a side can get
	sizes  [2][2]int // bytes of the maps and the vector of each encoding

	energy, lives, bombs, row, col [256]float32 // as shares of the most there are
}

func newEncoder(r *Rules) encoder {
	e := encoder{
		size: r.BoardSize, cells: r.BoardSize * r.BoardSize, ground: grid.Square(r.BoardSize), nobody: nobody(),
		most:   r.MaxScore(),
		energy: observe.Shares(r.BaseEnergy), lives: observe.Shares(r.Lives), bombs: observe.Shares(r.Bombs),
	}
	for c := range e.ground.All {
		e.flatAt[c] = uint8(c.Row()*r.BoardSize + c.Col())
		e.row[c], e.col[c] = observe.Share(c.Row(), r.BoardSize-1), observe.Share(c.Col(), r.BoardSize-1)
	}
	for side := range e.flat {
		e.ground.Remove(r.Base(Side(side)))
		e.flat[side] = int(e.flatAt[r.Base(Side(side))])
	}
	for seat := range r.Seats() {
		e.views[seat] = r.viewpoint(seat)
	}
	return e
}

// sceneSlack is how far spread may write past the board: rows are written
// sixteen bytes at a time, from the first to the last.
const sceneSlack = 16

// rowBits is the cells of a set in one row of the board, column 0 in bit 0.
func rowBits(b *grid.Bits, row int) uint64 {
	return b[(row+1)>>2] >> ((row + 1) & 3 * 16) & 0xffff >> 1
}

// spread writes 1 for each cell of a set and 0 for the others. dst must have
// sceneSlack bytes more than the board has cells.
func (e *encoder) spread(dst []byte, b *grid.Bits) {
	for row := range e.size {
		x := rowBits(b, row)
		to := dst[row*e.size:][:16]
		binary.LittleEndian.PutUint64(to, observe.Spread[x&255])
		binary.LittleEndian.PutUint64(to[8:], observe.Spread[x>>8])
	}
}

func (e *encoder) spreadTwo(dst []byte, one, two *grid.Bits) {
	for row := range e.size {
		x, y := rowBits(one, row), rowBits(two, row)
		to := dst[row*e.size:][:16]
		binary.LittleEndian.PutUint64(to, observe.Spread[x&255]|observe.Spread[y&255]<<1)
		binary.LittleEndian.PutUint64(to[8:], observe.Spread[x>>8]|observe.Spread[y>>8]<<1)
	}
}

// The global state is the planes encoding of nobody's side: sides and bombers by
// their names.

// nobody is the viewpoint of somebody without a seat.
func nobody() viewpoint {
	v := viewpoint{things: [4]env.Name{
		{Name: "bomb_blue", Meaning: "1 where a bomb of blue's lies"},
		{Name: "bomb_green", Meaning: "1 where a bomb of green's lies"},
		{Name: "base_blue", Meaning: "energy of blue's base, where it stands"},
		{Name: "base_green", Meaning: "energy of green's base, where it stands"},
	}}
	for id := range v.bombers {
		name, has := fmt.Sprintf("bomber%d", id), [2]string{"0, 2 and 4", "1, 3 and 5"}[SideOf(id)]
		v.stand = append(v.stand, env.Name{Name: name,
			Meaning: fmt.Sprintf("1 where bomber %d stands (%s has %s)", id, SideOf(id), has)})
		v.bombers[id] = figure{env.Name{Name: name, Meaning: fmt.Sprintf("bomber %d", id)}, id, id}
	}
	return v
}

func (g *Game) stateFields() []env.Field {
	n := g.rules.BoardSize
	return []env.Field{
		observe.MapsField("planes", n, n, 100,
			func(m observe.Maps[observe.List]) {
				paintOwn(paintShared(m, g, &State{}), g, &State{}, &g.encoder.nobody)
			}),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

func (g *Game) observeState(s *State, planes, scalars []byte) {
	paintOwn(paintShared(observe.MapsInto(planes, g.encoder.cells), g, s), g, s, &g.encoder.nobody)
	stateScalars(observe.Into(scalars), g, s)
}

func stateScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State) {
	e := &g.encoder
	v = v.Float("step", "rounds played, over the last round", observe.Share(int(s.StepCount), g.rules.MaxSteps))
	for side := range s.Energy {
		v = v.Of(&sides[side])
		v = v.Float("%s_score", "points of %s, over the most there can be", observe.Share(int(s.Score[side]), e.most))
		v = v.Float("%s_energy", "energy of %s's base, over what it starts with", e.energy[s.Energy[side]])
	}
	bomberScalars(v, g, s, &e.nobody)
}

// The raw encoding holds all that the sides are told in a round, without loss:
// five maps and a vector of numbers, which are the same for all seats, and the
// number of the observing seat.

// What the map of the board shows.
const (
	boardEmpty = iota
	boardStone
	boardBox
	boardBlue // the base
	boardGreen
)

func (g *Game) rawEncoding() env.Encoding {
	n := g.rules.BoardSize
	fields := []env.Field{
		observe.MapsField("maps", n, n, 100, func(m observe.Maps[observe.List]) { paintRaw(m, g, &State{}) }),
		observe.VectorField(env.Int16, 0, 32767, func(v observe.Vector[observe.List]) { rawScalars(v, &State{}) }),
		{Name: "self", DType: env.Uint8, Shape: []int{2}, Low: 0, High: NumBombers - 1, Names: []env.Name{
			{Name: "seat", Meaning: "the seat that looks; of six seats, also its bomber's number"},
			{Name: "side", Meaning: "its side: 0 blue, 1 green"},
		}},
	}
	fields[0].Shared, fields[1].Shared = true, true
	return env.Encoding{Name: "raw", Fields: fields}
}

func (g *Game) observeRaw(s *State, seats []uint8, dst [][]byte) {
	e := &g.encoder
	paintRaw(observe.MapsInto(dst[0][:e.sizes[encodingRaw][0]], e.cells), g, s)
	rawScalars(observe.Into(dst[1][:e.sizes[encodingRaw][1]]), s)
	for i, seat := range seats {
		dst[2][2*i], dst[2][2*i+1] = seat, uint8(SideOf(int(seat)))
	}
}

// paintRaw is the maps of the raw encoding. The blast is painted aside, because
// its last row is written past the end.
func paintRaw[M observe.Mode](m observe.Maps[M], g *Game, s *State) {
	e := &g.encoder
	board, m := m.Next("board", "0 free, 1 stone, 2 box, 3 blue's base, 4 green's base")
	e.spreadTwo(board, &s.Stones, &s.Boxes)
	board[e.flat[Blue]], board[e.flat[Green]] = boardBlue, boardGreen
	clear(m.Rest())
	life, m := m.Next("bomb_life", "rounds until the bomb on the cell explodes, 0 without one")
	owners, m := m.Next("bomb_owners",
		"who laid the bomb on the cell: the sum of 2 to the power of each bomber's number (blue has 0, 2 and 4); 0 "+
			"without one")
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := e.flatAt[b.Cell]
		life[at], owners[at] = b.Life, uint8(b.Owners)
	}
	bombers, m := m.Next("bombers", "the living bombers on the cell: the sum of 2 to the power of each one's number")
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() {
			bombers[e.flatAt[b.Cell]] |= 1 << id
		}
	}
	blast, _ := m.Next("blast", "1 where an explosion of the last round reached")
	var aside [maxCells + sceneSlack]byte
	e.spread(aside[:], &s.Blast)
	copy(blast, aside[:])
}

func rawScalars[M observe.Mode](v observe.Vector[M], s *State) {
	v = v.Int16("step_count", "rounds played", int(s.StepCount))
	for side := range s.Energy {
		v = v.Of(&sides[side])
		v = v.Int16("%s_energy", "energy of %s's base", int(s.Energy[side]))
		v = v.Int16("%s_score", "points of %s", int(s.Score[side]))
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		v = v.Nth(id)
		v = v.Int16("bomber%d_row", "its row (its last one when dead)", b.Cell.Row())
		v = v.Int16("bomber%d_col", "its column (its last one when dead)", b.Cell.Col())
		v = v.Int16("bomber%d_lives", "lives it has left; at 0 it is dead", int(b.Lives))
		v = v.Int16("bomber%d_bombs", "bombs it can lay now", int(b.Bombs))
	}
}

var sides = [2]env.Name{{Name: sideNames[Blue], Meaning: sideNames[Blue]},
	{Name: sideNames[Green], Meaning: sideNames[Green]}}
