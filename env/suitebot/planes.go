package suitebot

import (
	"math"
	"strconv"

	"pommego/env"
	"pommego/env/observe"
)

// The planes encoding is made for networks: one uint8 plane for each thing a
// field can hold, seen from the seat, and a vector of scalars of about 0 to 1.
// Enemies are numbered from the seat: 1 is the next seat, 2 the one after it.
// Fields the seat cannot see are 0 in all planes but the last and those of the
// home bases.

func (g *Game) planesEncoding() env.Encoding {
	r := g.plan.Rules()
	most, least := r.mostPoints()
	fields := float64(r.Width * r.Height)
	low, high := math.Floor(float64(least)/fields), math.Ceil(max(1, float64(most)/fields))
	return env.Encoding{Name: "planes", Fields: []env.Field{
		observe.MapsField("planes", r.Height, r.Width, max(r.Players-1, r.BombDelay),
			func(m observe.Maps[observe.List]) { paintPlanes(m, g.plan, &State{}, 0, nil) }),
		observe.VectorField(env.Float32, low, high,
			func(v observe.Vector[observe.List]) { planeScalars(v, g, &State{}, 0, 0) }),
	}}
}

func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	p := g.plan
	size, width := g.sizes[encodingPlanes][0], g.sizes[encodingPlanes][1]
	step := observe.Share(int(s.StepCount), p.rules.Rounds)
	for i, seat := range seats {
		paintPlanes(observe.MapsInto(planes[i*size:(i+1)*size], p.cells), p, s, int(seat), planes[:min(i, 1)*p.cells])
		planeScalars(observe.Into(scalars[i*width:(i+1)*width]), g, s, int(seat), step)
	}
}

// paintPlanes is the planes. painted is the plane of the points that was painted
// for another seat, if one was.
func paintPlanes[M observe.Mode](m observe.Maps[M], p *Plan, s *State, seat int, painted []byte) {
	sight := p.sight(s.Agents[seat])
	points, m := m.Next("points", "1 where the field still holds its points")
	if p.sights == nil && len(painted) > 0 {
		copy(points, painted) // the same for all
	} else {
		var hidden Cells
		for w := range p.words {
			hidden[w] = s.Spent[w] | ^sight[w]
		}
		spread(points, &hidden, 1, 0)
	}
	clear(m.Rest())
	m = paintPlaces(m, p, s, seat, &sight)
	m = paintBombs(m, p, s, seat, &sight)
	if p.sights != nil {
		fog, _ := m.Next("fog", "1 where the seat cannot see (only with rules that have a view_radius)")
		spread(fog, &sight, 1, 0)
	}
}

// paintPlaces is the planes of agents and home bases.
func paintPlaces[M observe.Mode](m observe.Maps[M], p *Plan, s *State, seat int, sight *Cells) observe.Maps[M] {
	self, m := m.Next("self", "1 where the seat's own agent stands")
	enemies, m := m.Next("enemies", "number of the enemy whose agent stands there, counted from the seat")
	home, m := m.Next("home", "1 on the seat's own home base")
	enemyHomes, m := m.Next("enemy_homes", "number of the enemy whose home base it is, counted from the seat")
	for other := range p.rules.Players {
		k, agents, homes := p.number(other, seat), enemies, enemyHomes
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

func paintBombs[M observe.Mode](m observe.Maps[M], p *Plan, s *State, seat int, sight *Cells) observe.Maps[M] {
	own, m := m.Next("own_bombs", "rounds until the seat's own bomb there goes off (1: at the end of the next round)")
	theirs, m := m.Next("enemy_bombs", "rounds until the enemy's bomb there goes off")
	enemy, m := m.Next("bomb_enemy", "number of the enemy whose bomb it is, counted from the seat")
	for i := range s.fuses[:p.rules.BombDelay] {
		for owner, f := range s.fuses[i] {
			switch k := p.number(owner, seat); {
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

// number is a player's number counted from a seat: 0 is the seat itself.
func (p *Plan) number(other, seat int) int {
	if k := other - seat; k >= 0 {
		return k
	}
	return other - seat + p.rules.Players
}

// planeScalars is the vector of the planes encoding. step is the share of the
// rounds that are played.
func planeScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int, step float32) {
	p := g.plan
	at := p.places[s.Agents[seat]]
	v = v.Float("x", "the column of its agent, over the last one", g.col[at.x])
	v = v.Float("y", "the row of its agent, over the last one", g.row[at.y])
	v = v.Float("step", "rounds played, over all rounds", step)
	v = v.Float("score", "its points, over the number of fields", float32(s.Scores[seat])*g.point)
	for k, other := 1, seat+1; k < p.rules.Players; k, other = k+1, other+1 {
		if other == p.rules.Players {
			other = 0
		}
		v = v.Nth(k).Float("enemy%d_score", "points of enemy %d, counted from the seat, over the number of fields",
			float32(s.Scores[other])*g.point)
	}
}

// The global state is the planes encoding of somebody who sees the whole plan and
// has no seat: players by the numbers of their seats.

// stateNames names the planes: of the points, and then of each player the agent,
// the home base and the bombs.
func (p *Plan) stateNames() []env.Name {
	names := []env.Name{{Name: "points", Meaning: "1 where the field still holds its points"}}
	for k := range p.rules.Players {
		seat := strconv.Itoa(k)
		names = append(
			names,
			env.Name{Name: "agent" + seat, Meaning: "1 where the agent of seat " + seat + " stands"},
			env.Name{Name: "home" + seat, Meaning: "1 on its home base"},
			env.Name{Name: "bombs" + seat, Meaning: "rounds until its bomb there goes off (1: at the end of the next round)"},
		)
	}
	return names
}

func (g *Game) stateFields() []env.Field {
	r := g.plan.Rules()
	scalars := g.planesEncoding().Fields[1]
	return []env.Field{
		observe.MapsField("planes", r.Height, r.Width, max(1, r.BombDelay),
			func(m observe.Maps[observe.List]) { m.Named(g.plan.stateNames()) }),
		observe.VectorField(env.Float32, scalars.Low, scalars.High,
			func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

func (g *Game) observeState(s *State, planes, scalars []byte) {
	p := g.plan
	spread(planes[:p.cells], &s.Spent, 1, 0)
	players := planes[p.cells:]
	clear(players)
	for k := range p.rules.Players {
		own := players[3*k*p.cells:]
		own[s.Agents[k]] = 1
		own[p.cells+int(s.Homes[k])] = 1
		for i := range s.fuses[:p.rules.BombDelay] {
			if f := s.fuses[i][k]; f != 0 {
				own[2*p.cells+int(f.cell())] = uint8(i + 1)
			}
		}
	}
	stateScalars(observe.Into(scalars), g, s)
}

func stateScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State) {
	p := g.plan
	v = v.Float("step", "rounds played, over all rounds", observe.Share(int(s.StepCount), p.rules.Rounds))
	for k := range p.rules.Players {
		at := p.places[s.Agents[k]]
		v = v.Nth(k)
		v = v.Float("agent%d_x", "its column, over the last one", g.col[at.x])
		v = v.Float("agent%d_y", "its row, over the last one", g.row[at.y])
		v = v.Float("agent%d_score", "its points, over the number of fields", float32(s.Scores[k])*g.point)
	}
}
