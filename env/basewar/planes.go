package basewar

import (
	"encoding/binary"
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/grid"
)

// The planes encoding is made for networks: one uint8 plane for each thing a
// cell can hold, told apart by whose it is as the seat sees it, and a vector of
// scalars between 0 and 1.

// The planes, in order. The first ones are the same for all seats. After
// planeBombers come planes of bombers, as Rules.planesOf lists them.
const (
	planeEmpty = iota
	planeStone
	planeBox
	planeBlast
	planeBombLife
	planeBombPublic
	sharedPlanes
	planeBombOwn = iota - 1
	planeBombEnemy
	planeBaseOwn
	planeBaseEnemy
	planeBombers
)

var planeNames = [planeBombers]env.Name{
	planeEmpty:      {Name: "empty", Meaning: "1 where neither stone nor box nor base stands; bombs and bombers may be there"},
	planeStone:      {Name: "stone", Meaning: "1 where a stone stands"},
	planeBox:        {Name: "box", Meaning: "1 where a box stands"},
	planeBlast:      {Name: "blast", Meaning: "1 where an explosion of the last round reached"},
	planeBombLife:   {Name: "bomb_life", Meaning: "rounds until the bomb on the cell explodes"},
	planeBombPublic: {Name: "bomb_public", Meaning: "1 where a public bomb lies"},
	planeBombOwn:    {Name: "bomb_own", Meaning: "1 where a bomb of the seat's own side lies"},
	planeBombEnemy:  {Name: "bomb_enemy", Meaning: "1 where a bomb of the other side lies"},
	planeBaseOwn:    {Name: "base_own", Meaning: "energy of the seat's own base, where it stands"},
	planeBaseEnemy:  {Name: "base_enemy", Meaning: "energy of the other base, where it stands"},
}

// bomberPlanes names the planes of bombers.
func (r *Rules) bomberPlanes() []env.Name {
	if r.Sides {
		return []env.Name{
			{Name: "own_a", Meaning: "1 where the side's bomber A stands"},
			{Name: "own_b", Meaning: "1 where the side's bomber B stands"},
			{Name: "own_c", Meaning: "1 where the side's bomber C stands"},
			{Name: "enemies", Meaning: "how many enemies stand on the cell"},
		}
	}
	return []env.Name{
		{Name: "self", Meaning: "1 where the seat's own bomber stands"},
		{Name: "mates", Meaning: "how many others of its side stand on the cell"},
		{Name: "enemies", Meaning: "how many enemies stand on the cell"},
	}
}

// planesOf is the plane of each bomber as a seat sees it.
func (r *Rules) planesOf(seat int) []int {
	planes := make([]int, NumBombers)
	enemies := len(r.bomberPlanes()) - 1
	for id := range planes {
		switch {
		case SideOf(id) != r.SideOf(seat):
			planes[id] = planeBombers + enemies
		case r.Sides:
			planes[id] = planeBombers + id/2
		case id == seat:
			planes[id] = planeBombers
		default:
			planes[id] = planeBombers + 1
		}
	}
	return planes
}

// planeScalarNames names the planes vector's entries, in the order in which
// encodePlaneScalars writes them.
func (r *Rules) planeScalarNames() []env.Name {
	list := []env.Name{
		{Name: "step", Meaning: "rounds played, over the last round"},
		{Name: "score_own", Meaning: "points of the seat's own side, over the most there can be"},
		{Name: "score_enemy", Meaning: "points of the other side, over the most there can be"},
		{Name: "energy_own", Meaning: "energy of the seat's own base, over what it starts with"},
		{Name: "energy_enemy", Meaning: "energy of the other base, over what it starts with"},
	}
	for _, who := range r.orderNames() {
		list = append(list,
			env.Name{Name: who.Name + "_lives", Meaning: "lives of " + who.Meaning + ", over those it starts with"},
			env.Name{Name: who.Name + "_bombs", Meaning: "bombs that " + who.Meaning + " can lay now, over those it starts with"},
			env.Name{Name: who.Name + "_row", Meaning: "row of " + who.Meaning + " (the last one when dead), over the last row"},
			env.Name{Name: who.Name + "_col", Meaning: "column of " + who.Meaning + " (the last one when dead), over the last column"})
	}
	return list
}

// orderNames names the bombers in the order of Rules.order.
func (r *Rules) orderNames() []env.Name {
	var list []env.Name
	if r.Sides {
		for _, letter := range "abc" {
			list = append(list, env.Name{Name: fmt.Sprintf("own_%c", letter), Meaning: fmt.Sprintf("the side's bomber %c", letter-'a'+'A')})
		}
		for _, letter := range "abc" {
			list = append(list, env.Name{Name: fmt.Sprintf("enemy_%c", letter), Meaning: fmt.Sprintf("the other side's bomber %c", letter-'a'+'A')})
		}
		return list
	}
	list = []env.Name{{Name: "self", Meaning: "the seat's own bomber"}}
	for k := range 2 {
		list = append(list, env.Name{Name: fmt.Sprintf("mate%d", k), Meaning: fmt.Sprintf("mate %d, in order of their seats", k)})
	}
	for k := range 3 {
		list = append(list, env.Name{Name: fmt.Sprintf("enemy%d", k), Meaning: fmt.Sprintf("enemy %d, in order of their seats", k)})
	}
	return list
}

// planesEncoding describes the encoding.
func (r *Rules) planesEncoding() env.Encoding {
	n := r.BoardSize
	scalars := r.planeScalarNames()
	names := append(append([]env.Name{}, planeNames[:]...), r.bomberPlanes()...)
	return env.Encoding{Name: "planes", Fields: []env.Field{
		{Name: "planes", DType: env.Uint8, Shape: []int{len(names), n, n}, Low: 0, High: 100, Names: names},
		{Name: "scalars", DType: env.Float32, Shape: []int{len(scalars)}, Low: 0, High: 1, Names: scalars},
	}}
}

// observePlanes writes the planes and the vectors of the given seats.
func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	e := &g.encoder
	var shared [sharedPlanes*maxCells + sceneSlack]byte
	g.paintShared(s, shared[:])
	common := shared[:sharedPlanes*e.cells]
	size := len(g.spec.Encodings[encodingPlanes].Fields[0].Names) * e.cells
	width := 4 * (5 + 4*NumBombers)
	for i, seat := range seats {
		dst := planes[i*size:][:size]
		copy(dst, common)
		clear(dst[len(common):])
		g.paintOwn(s, int(seat), dst)
		g.encodePlaneScalars(s, int(seat), scalars[i*width:][:width])
	}
}

// maxCells is the cells of the largest board.
const maxCells = grid.MaxSharedSide * grid.MaxSharedSide

// paintShared writes the planes that are the same for all seats.
func (g *Game) paintShared(s *State, dst []byte) {
	e := &g.encoder
	empty := e.ground.AndNot(s.Stones).AndNot(s.Boxes)
	e.spread(dst[planeEmpty*e.cells:], &empty)
	e.spread(dst[planeStone*e.cells:], &s.Stones)
	e.spread(dst[planeBox*e.cells:], &s.Boxes)
	e.spread(dst[planeBlast*e.cells:], &s.Blast)
	clear(dst[planeBombLife*e.cells : sharedPlanes*e.cells])
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(e.flatAt[b.Cell])
		dst[planeBombLife*e.cells+at] = b.Life
		dst[planeBombPublic*e.cells+at] = toByte(b.Owner() == Public)
	}
}

// paintOwn writes what depends on the seat, into planes that are 0.
func (g *Game) paintOwn(s *State, seat int, dst []byte) {
	e, side := &g.encoder, g.rules.SideOf(seat)
	for i := range s.bombs() {
		b := &s.Bombs[i]
		owner := b.Owner()
		if owner == Public {
			continue
		}
		plane := planeBombEnemy
		if owner == Owner(side) {
			plane = planeBombOwn
		}
		dst[plane*e.cells+int(e.flatAt[b.Cell])] = 1
	}
	dst[planeBaseOwn*e.cells+e.flat[side]] = s.Energy[side]
	dst[planeBaseEnemy*e.cells+e.flat[side.Other()]] = s.Energy[side.Other()]
	planes := e.planes[seat]
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() {
			dst[planes[id]*e.cells+int(e.flatAt[b.Cell])]++
		}
	}
}

// share is n over most, at most 1: hand-made starts can hold more than most.
func share(n, most int) float32 { return min(float32(n)/float32(most), 1) }

// encodePlaneScalars writes the vector of float32 that planeScalarNames names.
func (g *Game) encodePlaneScalars(s *State, seat int, dst []byte) {
	r, side := &g.rules, g.rules.SideOf(seat)
	other := side.Other()
	putFloat(dst, share(int(s.StepCount), r.MaxSteps))
	putFloat(dst[4:], min(float32(s.Score[side])/g.encoder.most.score, 1))
	putFloat(dst[8:], min(float32(s.Score[other])/g.encoder.most.score, 1))
	putFloat(dst[12:], share(int(s.Energy[side]), r.BaseEnergy))
	putFloat(dst[16:], share(int(s.Energy[other]), r.BaseEnergy))
	dst = dst[20:]
	for _, id := range g.encoder.order[seat] {
		b := &s.Bombers[id]
		putFloat(dst, share(int(b.Lives), r.Lives))
		putFloat(dst[4:], share(int(b.Bombs), r.Bombs))
		putFloat(dst[8:], share(b.Cell.Row(), r.BoardSize-1))
		putFloat(dst[12:], share(b.Cell.Col(), r.BoardSize-1))
		dst = dst[16:]
	}
}

func putFloat(dst []byte, v float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
}
