package basewar

import (
	"pommego/env"
	"pommego/env/observe"
)

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
		dst[2][2*i], dst[2][2*i+1] = seat, uint8(g.rules.SideOf(int(seat)))
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
