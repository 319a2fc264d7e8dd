package pommerman

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// The planes encoding is made for networks: one uint8 plane for each thing a cell can
// hold, seen from the seat (itself, its teammate, its enemies), and a vector of scalars
// between 0 and 1. Cells that the seat cannot see are 0 in all planes but the last.

// planes is the table of the planes, in order. Everything else follows from it; the
// code in assembly reads it too.
var planes = [...]plane{
	{"passage", "1 where the cell is empty", shows(Passage)},
	{"rigid", "1 where a rigid wall stands", shows(Rigid)},
	{"wood", "1 where wood stands", shows(Wood)},
	{"bomb_blast", "blast strength of the bomb on the cell", source{mapBlast, whole}},
	{"bomb_life", "steps until the bomb on the cell explodes", source{mapLife, whole}},
	{"bomb_up", "1 where a bomb rolls up", source{mapMoving, uint8(grid.Up)}},
	{"bomb_down", "1 where a bomb rolls down", source{mapMoving, uint8(grid.Down)}},
	{"bomb_left", "1 where a bomb rolls left", source{mapMoving, uint8(grid.Left)}},
	{"bomb_right", "1 where a bomb rolls right", source{mapMoving, uint8(grid.Right)}},
	{"flame", "observations for which the youngest flame on the cell still shows", source{mapFlame, whole}},
	{"extra_bomb", "1 where an extra bomb lies", shows(ExtraBomb)},
	{"incr_range", "1 where a range power-up lies", shows(IncrRange)},
	{"kick", "1 where a kick power-up lies", shows(Kick)},
	{"skull", "1 where a skull lies (only with rules that have skulls)", shows(Skull)},
	{"self", "1 where the seat's own agent stands", shows(itself)},
	{"teammate", "1 where its teammate stands", shows(itsTeammate)},
	{"enemies", "1 where an enemy stands", shows(anEnemy)},
	{"fog", "1 where the seat cannot see", shows(Fog)},
}

const numPlanes = len(planes)

// plane is an entry of the table.
type plane struct {
	name, meaning string
	source
}

type source struct {
	from  uint8 // the map of the scene to read
	value uint8 // the plane is 1 where the map holds this value; whole: the plane is the map
}

const whole = 0xff

// shows returns the source of a plane that is 1 where the board shows an item.
func shows(item Item) source { return source{mapBoard, uint8(item)} }

// What a seat takes an agent on the board for.
const (
	itself Item = 16 + iota
	itsTeammate
	anEnemy
)

// relations holds what the encodings need of a seat's relations to the others.
type relations struct {
	as       [16]uint8 // by item of the board: what the seat takes it for
	mate     int       // its teammate's seat; without teams its own
	others   []int     // the seats of its enemies
	teammate Item      // teammate and enemies as cell values, the dummy's where there is nobody
	enemies  []Item
}

func (r *Rules) relationsOf(seat int) relations {
	teammate, enemies := r.relations(seat)
	of := relations{as: r.takesFor(seat, teammate), mate: seat, others: r.Enemies(seat).List(), teammate: teammate,
		enemies: enemies[:r.enemies()]}
	if r.Teams() {
		of.mate = r.Teammate(seat)
	}
	return of
}

// takesFor returns what a seat takes each item of the board for.
func (r *Rules) takesFor(seat int, teammate Item) (as [16]uint8) {
	as = asItself
	for k := range r.Seats() {
		switch item := r.Agent0() + Item(k); {
		case k == seat:
			as[item] = uint8(itself)
		case item == teammate:
			as[item] = uint8(itsTeammate)
		default:
			as[item] = uint8(anEnemy)
		}
	}
	return as
}

var sources, planeNames = func() (from [numPlanes]source, names []env.Name) {
	for i, p := range planes {
		from[i] = p.source
		names = append(names, env.Name{Name: p.name, Meaning: p.meaning})
	}
	return from, names
}()

// shares holds tables of the quotients that the scalars consist of. Dividing would take
// longer than the rest of writing them.
type shares struct{ ammo, blast, word, row, col [256]float32 }

func (r *Rules) shares() *shares {
	all := shares{ammo: observe.Shares(r.MaxAmmo), blast: observe.Shares(max(r.MaxBlast, r.StartBlast)),
		word: observe.Shares(max(r.RadioVocab, 1))}
	for c := range grid.Square(r.BoardSize).All {
		all.row[c], all.col[c] = observe.Share(c.Row(), r.BoardSize-1), observe.Share(c.Col(), r.BoardSize-1)
	}
	return &all
}

func (g *Game) planesEncoding() env.Encoding {
	n := g.rules.BoardSize
	return env.Encoding{Name: "planes", Fields: []env.Field{
		observe.MapsField("planes", n, n, 255, func(m observe.Maps[observe.List]) { m.Named(planeNames) }),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { planeScalars(v, g, &State{}, 0, 0) }),
	}}
}

func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	width, step := g.sizes[encodingPlanes][1], observe.Share(int(s.StepCount), g.rules.MaxSteps)
	for i, seat := range seats {
		planeScalars(observe.Into(scalars[i*width:(i+1)*width]), g, s, int(seat), step)
	}
	if !g.drawPlanes(s, seats, planes) {
		g.drawPlanesPlainly(s, seats, planes)
	}
}

// drawPlanesPlainly writes the planes of the given seats. On machines without a faster
// drawPlanes it is the one in use; on others it is that one's twin in tests.
func (g *Game) drawPlanesPlainly(s *State, seats []uint8, dst []byte) {
	cells := len(g.cells)
	size := numPlanes * cells
	var scene scene
	g.paint(s, scene[:])
	for i, seat := range seats {
		spread(dst[i*size:(i+1)*size], scene[:], g.sight(&s.Agents[seat]), &g.of[seat].as, cells, sources[:], 1)
	}
}

// planeScalars puts the scalars of the planes encoding. step is the share of the steps
// that have been made.
func planeScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int, step float32) {
	a, of := &s.Agents[seat], &g.of[seat]
	v = v.Float("alive", "1 while the seat's agent lives", observe.One(a.Alive))
	v = v.Float("ammo", "bombs it can lay now, over the most it can carry", g.shares.ammo[a.Ammo])
	v = v.Float("blast_strength", "blast strength of its bombs, over the most it can get", g.shares.blast[a.Blast])
	v = v.Float("can_kick", "1 if it can kick bombs", observe.One(a.Kicks))
	v = v.Float("row", "its row, over the last row", g.shares.row[a.Cell])
	v = v.Float("col", "its column, over the last column", g.shares.col[a.Cell])
	v = v.Float("step", "steps made, over the step limit", step)
	if g.rules.Teams() {
		v = v.Float("teammate_alive", "1 while its teammate lives", observe.One(s.Agents[of.mate].Alive))
	}
	for k, other := range of.others {
		v = v.Nth(k).Float("enemy%d_alive", "1 while this enemy lives, enemies in order of their seats",
			observe.One(s.Agents[other].Alive))
	}
	for k := range g.rules.RadioWords {
		v = v.Nth(k).Float("message%d",
			"word the teammate sent in the last step (0 for none), over the size of the vocabulary",
			g.shares.word[s.Radio[of.mate][k]])
	}
}

// The global state is the planes encoding of an observer who sees the whole board and
// is on nobody's side. It has the planes of things that can lie on a cell, then one for
// each agent, and the scalars of all agents. It never shows what wood hides, as no seat
// sees that either. It always shows where bombs roll and how old flames are.

// thingPlanes is how many planes come before those of agents, in the table planes too.
var thingPlanes = slices.IndexFunc(planes[:], func(p plane) bool { return p.source == shows(itself) })

// asItself says what an observer without a seat takes each item of the board for.
var asItself = func() (as [16]uint8) {
	for item := range as {
		as[item] = uint8(item)
	}
	return as
}()

// everywhere is the sight of the whole board.
var everywhere = func() (all sight) {
	for at := range all {
		all[at] = 0xff
	}
	return all
}()

func (g *Game) stateFields() []env.Field {
	n := g.rules.BoardSize
	return []env.Field{
		observe.MapsField("planes", n, n, 255, func(m observe.Maps[observe.List]) {
			_, m = m.Named(planeNames[:thingPlanes])
			for k := range g.rules.Seats() {
				_, m = m.Nth(k).Next("agent%d", "1 where the agent of seat %d stands")
			}
		}),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

func (g *Game) observeState(s *State, planes, scalars []byte) {
	cells := g.rules.BoardSize * g.rules.BoardSize
	var scene scene
	g.paintAll(s, scene[:])
	spread(planes, scene[:], &everywhere, &asItself, cells, sources[:thingPlanes], 1)
	agents := planes[thingPlanes*cells:]
	clear(agents)
	for k := range g.rules.Seats() {
		at := int(g.flatAt[s.Agents[k].Cell])
		agents[k*cells+at] = toByte(Item(scene[at]) == g.rules.Agent0()+Item(k))
	}
	stateScalars(observe.Into(scalars), g, s)
}

func stateScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State) {
	v = v.Float("step", "steps made, over the step limit", observe.Share(int(s.StepCount), g.rules.MaxSteps))
	for k := range g.rules.Seats() {
		a := &s.Agents[k]
		v = v.Nth(k)
		v = v.Float("agent%d_alive", "1 while agent %d lives", observe.One(a.Alive))
		v = v.Float("agent%d_ammo", "bombs it can lay now, over the most it can carry", g.shares.ammo[a.Ammo])
		v = v.Float("agent%d_blast_strength", "blast strength of its bombs, over the most it can get",
			g.shares.blast[a.Blast])
		v = v.Float("agent%d_can_kick", "1 if it can kick bombs", observe.One(a.Kicks))
		v = v.Float("agent%d_row", "its row (its last one when dead), over the last row", g.shares.row[a.Cell])
		v = v.Float("agent%d_col", "its column (its last one when dead), over the last column", g.shares.col[a.Cell])
		for word := range g.rules.RadioWords {
			name := [...]string{"agent%d_message0", "agent%d_message1", "agent%d_message2"}[word]
			v = v.Float(name, "word it sent in the last step (0 for none), over the size of the vocabulary",
				g.shares.word[s.Radio[k][word]])
		}
	}
}

// The raw encoding holds the reference's observation without loss, in its own numbers:
// five maps and a vector of scalars. The reference's dictionary can be rebuilt from it
// exactly (game_env is the same in all observations of an id, and is part of the
// rules).
//
// Games with fog also have the encoding unfogged: the same fields, but maps and the list
// of bombs are as without fog, once for all seats. A client that may know everything can
// compute from it what each seat sees, and gets the maps only once per game.

// rawMaps names the maps, in order.
var rawMaps = [numMaps]env.Name{
	mapBoard: {Name: "board", Meaning: "what each cell shows; 5 in fog, of which unfogged has none"},
	mapBlast: {Name: "bomb_blast_strength", Meaning: "blast strength of the bomb on the cell, 0 without one"},
	mapLife:  {Name: "bomb_life", Meaning: "steps until the bomb on the cell explodes, 0 without one"},
	mapMoving: {Name: "bomb_moving_direction",
		Meaning: "direction in which the bomb on the cell rolls (1 up, 2 down, 3 left, 4 right), 0 if it lies still"},
	mapFlame: {Name: "flame_life",
		Meaning: "observations for which the youngest flame on the cell still shows, 0 without one"},
}

// rawSources lists the sources of the raw maps: each map as a whole.
var rawSources = [numMaps]source{{mapBoard, whole}, {mapBlast, whole}, {mapLife, whole}, {mapMoving, whole},
	{mapFlame, whole}}

// observeRaw writes the raw observations of the given seats: either with the maps and
// the bombs that each sees in fog, or with all of them, once. It is a function of its
// own because the compiler does not inline rawScalars in Observe.
//
//go:noinline
func (g *Game) observeRaw(s *State, seats []uint8, dst [][]byte, fog bool) {
	r := &g.rules
	cells := r.BoardSize * r.BoardSize
	size, width := numMaps*cells, g.sizes[encodingRaw][1]
	if !fog {
		clear(dst[0][:size])
		g.paint(s, dst[0])
	} else {
		var scene scene
		g.paint(s, scene[:])
		for i, seat := range seats {
			spread(dst[0][i*size:(i+1)*size], scene[:], g.sight(&s.Agents[seat]), &asItself, cells, rawSources[:], 1)
		}
	}
	for i, seat := range seats {
		rawScalars(observe.Into(dst[1][i*width:(i+1)*width]), g, s, int(seat))
		if !r.BombList {
			continue
		}
		if fog {
			encodeRawBombs(s, r.window(s.Agents[seat].Cell), dst[2][i*3*MaxBombs:])
		} else if i == 0 {
			encodeRawBombs(s, grid.Square(r.BoardSize), dst[2])
		}
	}
}

// encodeRawBombs writes row, column and blast strength of each bomb that lies in a window.
func encodeRawBombs(s *State, w grid.Bits, dst []byte) {
	var v View
	v.seeBombs(s, &w)
	clear(dst[:3*MaxBombs])
	for i, b := range v.Bombs[:v.NumBombs] {
		dst[3*i], dst[3*i+1], dst[3*i+2] = uint8(b.Cell.Row()), uint8(b.Cell.Col()), b.Blast
	}
}

func (r *Rules) enemies() int {
	if r.GameType == OneVsOne {
		return 1
	}
	return 3
}

func toByte(b bool) uint8 { return observe.ToByte(b) }

// rawEncoding describes the encoding raw or unfogged. shared: maps and bombs are the same for all seats.
func (g *Game) rawEncoding(name string, shared bool) env.Encoding {
	n := g.rules.BoardSize
	fields := []env.Field{
		observe.MapsField("maps", n, n, 255, func(m observe.Maps[observe.List]) { m.Named(rawMaps[:]) }),
		observe.VectorField(env.Int16, 0, 32767, func(v observe.Vector[observe.List]) { rawScalars(v, g, &State{}, 0) }),
	}
	if g.rules.BombList {
		bombs := env.Field{Name: "bombs", DType: env.Uint8, Shape: []int{MaxBombs, 3}, High: 255}
		for i := range MaxBombs {
			bombs.Names = append(bombs.Names, env.Name{Name: fmt.Sprintf("bomb%d", i),
				Meaning: "row, column and blast strength of a bomb, in row-major order; all 0 past the last"})
		}
		fields = append(fields, bombs)
	}
	for i := range fields {
		fields[i].Shared = i != 1 && shared
	}
	return env.Encoding{Name: name, Fields: fields}
}

func rawScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int) {
	a, of := &s.Agents[seat], &g.of[seat]
	v = v.Int16("row", "the seat's row (its last one when dead)", a.Cell.Row())
	v = v.Int16("col", "the seat's column (its last one when dead)", a.Cell.Col())
	v = v.Int16("ammo", "bombs it can lay now", int(a.Ammo))
	v = v.Int16("blast_strength", "blast strength of its bombs", int(a.Blast))
	v = v.Int16("can_kick", "1 if it can kick bombs", int(toByte(a.Kicks)))
	v = v.Int16("teammate", "cell value of the teammate, the dummy's without one", int(of.teammate))
	for k, enemy := range of.enemies {
		v = v.Nth(k).Int16("enemy%d", "cell value of an enemy, the dummy's where there are fewer", int(enemy))
	}
	agents := s.Agents[:g.rules.Seats()]
	for k := range agents {
		v = v.Nth(k).Int16("alive%d", "1 while agent %d lives; never fogged", int(toByte(agents[k].Alive)))
	}
	v = v.Int16("game_type", "1 FFA, 2 team, 3 team radio, 4 one-vs-one", int(g.rules.GameType))
	v = v.Int16("step_count", "steps made", int(s.StepCount))
	for k := range g.rules.RadioWords {
		v = v.Nth(k).Int16("message%d", "word the teammate sent in the last step, 0 for none", int(s.Radio[of.mate][k]))
	}
}
