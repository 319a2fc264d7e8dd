package suitebot

import (
	"encoding/binary"
	"math"

	"pommego/env"
	"pommego/env/observe"
)

// The planes encoding is made for networks: one uint8 plane for each thing that a field
// can hold, seen from the seat, and a vector of scalars between about 0 and 1. Enemies
// are numbered from the seat: 1 is the next seat, 2 the one after it. Fields that the
// seat cannot see are 0 in all planes but the last and those of the home bases.

func (g *Game) planesEncoding() env.Encoding {
	r := g.Rules()
	most, least := r.mostPoints()
	fields := float64(r.Width * r.Height)
	low, high := math.Floor(float64(least)/fields), math.Ceil(max(1, float64(most)/fields))
	return env.Encoding{Name: "planes", Fields: []env.Field{
		observe.MapsField("planes", r.Height, r.Width, max(r.Players-1, r.BombDelay),
			func(m observe.Maps[observe.List]) { paintPlanes(m, g, &State{}, 0, nil) }),
		observe.VectorField(env.Float32, low, high,
			func(v observe.Vector[observe.List]) { planeScalars(v, g, &State{}, 0, 0) }),
	}}
}

func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	size, width := g.sizes[encodingPlanes][0], g.sizes[encodingPlanes][1]
	step := observe.Share(int(s.StepCount), g.rules.Rounds)
	for i, seat := range seats {
		paintPlanes(observe.MapsInto(planes[i*size:(i+1)*size], g.cells), g, s, int(seat), planes[:min(i, 1)*g.cells])
		planeScalars(observe.Into(scalars[i*width:(i+1)*width]), g, s, int(seat), step)
	}
}

// paintPlanes paints the planes. painted is the plane of the points, if that was
// already painted for another seat.
func paintPlanes[M observe.Mode](m observe.Maps[M], g *Game, s *State, seat int, painted []byte) {
	sight := g.sight(s.Agents[seat])
	points, m := m.Next("points", "1 where the field still holds its points")
	if g.sights == nil && len(painted) > 0 {
		copy(points, painted) // the plane is the same for all seats
	} else {
		var hidden Cells
		for w := range g.words {
			hidden[w] = s.Spent[w] | ^sight[w]
		}
		spread(points, &hidden, 1, 0)
	}
	clear(m.Rest())
	m = paintPlaces(m, g, s, seat, &sight)
	m = paintBombs(m, g, s, seat, &sight)
	if g.sights != nil {
		fog, _ := m.Next("fog", "1 where the seat cannot see (only with rules that have a view_radius)")
		spread(fog, &sight, 1, 0)
	}
}

// paintPlaces paints the planes of agents and home bases.
func paintPlaces[M observe.Mode](m observe.Maps[M], g *Game, s *State, seat int, sight *Cells) observe.Maps[M] {
	self, m := m.Next("self", "1 where the seat's own agent stands")
	enemies, m := m.Next("enemies", "number of the enemy whose agent stands there, counted from the seat")
	home, m := m.Next("home", "1 on the seat's own home base")
	enemyHomes, m := m.Next("enemy_homes", "number of the enemy whose home base it is, counted from the seat")
	for other := range g.rules.Players {
		k, agents, homes := g.number(other, seat), enemies, enemyHomes
		if k == 0 {
			k, agents, homes = 1, self, home
		}
		homes[s.Homes[other]] = uint8(k)
		if at := s.Agents[other]; sight.Has(at) {
			agents[at] = uint8(k)
		}
	}
	return m
}

func paintBombs[M observe.Mode](m observe.Maps[M], g *Game, s *State, seat int, sight *Cells) observe.Maps[M] {
	own, m := m.Next("own_bombs", "rounds until the seat's own bomb there goes off (1: at the end of the next round)")
	theirs, m := m.Next("enemy_bombs", "rounds until the enemy's bomb there goes off")
	enemy, m := m.Next("bomb_enemy", "number of the enemy whose bomb it is, counted from the seat")
	for i := range s.fuses[:g.rules.BombDelay] {
		for owner, f := range s.fuses[i] {
			switch k := g.number(owner, seat); {
			case f == 0 || !sight.Has(f.cell()):
			case k == 0:
				own[f.cell()] = uint8(i + 1)
			default:
				theirs[f.cell()], enemy[f.cell()] = uint8(i+1), uint8(k)
			}
		}
	}
	return m
}

// number returns a player's number counted from a seat: 0 is the seat itself.
func (g *Game) number(other, seat int) int {
	if k := other - seat; k >= 0 {
		return k
	}
	return other - seat + g.rules.Players
}

// planeScalars puts the scalars of the planes encoding. step is the share of the rounds
// that have been played.
func planeScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int, step float32) {
	at := g.places[s.Agents[seat]]
	v = v.Float("x", "the column of its agent, over the last one", g.col[at.x])
	v = v.Float("y", "the row of its agent, over the last one", g.row[at.y])
	v = v.Float("step", "rounds played, over all rounds", step)
	v = v.Float("score", "its points, over the number of fields", float32(s.Scores[seat])*g.point)
	for k, other := 1, seat+1; k < g.rules.Players; k, other = k+1, other+1 {
		if other == g.rules.Players {
			other = 0
		}
		v = v.Nth(k).Float("enemy%d_score", "points of enemy %d, counted from the seat, over the number of fields",
			float32(s.Scores[other])*g.point)
	}
}

// The global state is the planes encoding of an observer who sees the whole plan and
// has no seat: players have the numbers of their seats.

func (g *Game) stateFields() []env.Field {
	r := g.Rules()
	scalars := g.planesEncoding().Fields[1]
	return []env.Field{
		observe.MapsField("planes", r.Height, r.Width, max(1, r.BombDelay),
			func(m observe.Maps[observe.List]) { paintState(m, g, &State{}) }),
		observe.VectorField(env.Float32, scalars.Low, scalars.High,
			func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

func (g *Game) observeState(s *State, planes, scalars []byte) {
	paintState(observe.MapsInto(planes, g.cells), g, s)
	stateScalars(observe.Into(scalars), g, s)
}

func paintState[M observe.Mode](m observe.Maps[M], g *Game, s *State) {
	points, m := m.Next("points", "1 where the field still holds its points")
	spread(points, &s.Spent, 1, 0)
	clear(m.Rest())
	var agent, home, bombs []byte
	for k := range g.rules.Players {
		agent, m = m.Nth(k).Next("agent%d", "1 where the agent of seat %d stands")
		home, m = m.Next("home%d", "1 on its home base")
		bombs, m = m.Next("bombs%d", "rounds until its bomb there goes off (1: at the end of the next round)")
		agent[s.Agents[k]], home[s.Homes[k]] = 1, 1
		for i := range s.fuses[:g.rules.BombDelay] {
			if f := s.fuses[i][k]; f != 0 {
				bombs[f.cell()] = uint8(i + 1)
			}
		}
	}
}

func stateScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State) {
	v = v.Float("step", "rounds played, over all rounds", observe.Share(int(s.StepCount), g.rules.Rounds))
	for k := range g.rules.Players {
		at := g.places[s.Agents[k]]
		v = v.Nth(k)
		v = v.Float("agent%d_x", "its column, over the last one", g.col[at.x])
		v = v.Float("agent%d_y", "its row, over the last one", g.row[at.y])
		v = v.Float("agent%d_score", "its points, over the number of fields", float32(s.Scores[k])*g.point)
	}
}

// The raw encoding holds, without loss, what a seat may know: maps of what lies where,
// with the real numbers of the seats, and a vector of numbers.

// The values in the map of fields.
const (
	fieldFull uint8 = iota
	fieldSpent
	fieldUnseen
)

// rawEncodings describes the encodings. Rules with a ViewRadius have one more: its maps
// show everything, once for all seats. A client that may know everything can compute
// from it what each seat sees.
func (g *Game) rawEncodings() []env.Encoding {
	if g.sights == nil {
		return []env.Encoding{g.rawEncoding("raw", true)}
	}
	return []env.Encoding{g.rawEncoding("raw", false), g.rawEncoding("unfogged", true)}
}

// rawEncoding describes the encoding raw or unfogged. shared: the maps are the same for all seats.
func (g *Game) rawEncoding(name string, shared bool) env.Encoding {
	r := g.Rules()
	most, least := r.mostPoints()
	fields := []env.Field{
		observe.MapsField("maps", r.Height, r.Width, max(2, r.Players, r.BombDelay),
			func(m observe.Maps[observe.List]) { paintRaw(m, g, &State{}, nil) }),
		observe.VectorField(env.Int32, float64(least), float64(max(most, r.Rounds, MaxSide)),
			func(v observe.Vector[observe.List]) { rawScalars(v, g, &State{}, 0) }),
	}
	fields[0].Shared = shared
	return env.Encoding{Name: name, Fields: fields}
}

// observeRaw writes the raw observations of the given seats: either with the maps that
// each sees, or with everything, once.
func (g *Game) observeRaw(s *State, seats []uint8, maps, scalars []byte, fog bool) {
	size, width := g.sizes[encodingRaw][0], g.sizes[encodingRaw][1]
	if !fog {
		paintRaw(observe.MapsInto(maps[:size], g.cells), g, s, nil)
	}
	for i, seat := range seats {
		if fog {
			sight := g.sight(s.Agents[seat])
			paintRaw(observe.MapsInto(maps[i*size:(i+1)*size], g.cells), g, s, &sight)
		}
		rawScalars(observe.Into(scalars[i*width:(i+1)*width]), g, s, int(seat))
	}
}

// paintRaw paints the maps of the raw encoding, as far as they are in sight; sight nil:
// everything is.
func paintRaw[M observe.Mode](m observe.Maps[M], g *Game, s *State, sight *Cells) {
	field, m := m.Next("field",
		"0 where the field holds its points, 1 where they are gone, 2 out of sight, which is nowhere in unfogged")
	spread(field, &s.Spent, fieldFull, fieldSpent)
	if sight != nil {
		for c := range g.cells {
			if !sight.Has(Cell(c)) {
				field[c] = fieldUnseen
			}
		}
	}
	clear(m.Rest())
	agent, m := m.Next("agent", "seat of the agent on the field plus 1, 0 without one")
	home, m := m.Next("home", "seat whose home base the field is plus 1, 0 for none")
	for seat := range g.rules.Players {
		home[s.Homes[seat]] = uint8(seat + 1)
		if at := s.Agents[seat]; sight == nil || sight.Has(at) {
			agent[at] = uint8(seat + 1)
		}
	}
	rounds, m := m.Next("bomb_rounds", "rounds until the bomb there goes off (1: after the next round), 0 without one")
	owners, _ := m.Next("bomb_owner", "seat whose bomb lies on the field plus 1, 0 without one")
	for k := range s.fuses[:g.rules.BombDelay] {
		for owner, f := range s.fuses[k] {
			if f != 0 && (sight == nil || sight.Has(f.cell())) {
				rounds[f.cell()], owners[f.cell()] = uint8(k+1), uint8(owner+1)
			}
		}
	}
}

// spread writes one byte for each field: in for those in the set, out for the others.
func spread(dst []byte, set *Cells, out, in uint8) {
	fill, flip := uint64(out)*0x0101010101010101, out^in
	at := 0
	for ; at+8 <= len(dst); at += 8 {
		eight := set[at>>6] >> (at & 63) & 0xff
		binary.LittleEndian.PutUint64(dst[at:], fill^observe.Spread[eight]*uint64(flip))
	}
	for ; at < len(dst); at++ {
		dst[at] = out ^ flip*uint8(set[at>>6]>>(at&63)&1)
	}
}

func rawScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int) {
	at := g.places[s.Agents[seat]]
	v = v.Int32("seat", "the seat's number", seat)
	v = v.Int32("x", "the column of its agent", int(at.x))
	v = v.Int32("y", "the row of its agent", int(at.y))
	v = v.Int32("step_count", "rounds played", int(s.StepCount))
	for k, score := range s.Scores[:g.rules.Players] {
		v = v.Nth(k).Int32("score%d", "points of seat %d", int(score))
	}
}
