package suitebot

import (
	"encoding/binary"
	"fmt"
	"math"

	"pommego/env"
)

// The planes encoding is made for networks: one uint8 plane for each thing a
// field can hold, seen from the seat, and a vector of scalars of about 0 to 1.
// Enemies are numbered from the seat: 1 is the next seat, 2 the one after it.
// Fields the seat cannot see are 0 in all planes but the last and those of the
// home bases.

// The planes, in order. Their names and meanings stand in planeNames.
const (
	planePoints = iota
	planeSelf
	planeEnemies
	planeHome
	planeEnemyHomes
	planeOwnBombs
	planeEnemyBombs
	planeBombEnemy
	planeFog
	numPlanes
)

var planeNames = [numPlanes]env.Name{
	planePoints:     {Name: "points", Meaning: "1 where the field still holds its points"},
	planeSelf:       {Name: "self", Meaning: "1 where the seat's own agent stands"},
	planeEnemies:    {Name: "enemies", Meaning: "number of the enemy whose agent stands there, counted from the seat"},
	planeHome:       {Name: "home", Meaning: "1 on the seat's own home base"},
	planeEnemyHomes: {Name: "enemy_homes", Meaning: "number of the enemy whose home base it is, counted from the seat"},
	planeOwnBombs:   {Name: "own_bombs", Meaning: "rounds until the seat's own bomb there goes off (1: at the end of the next round)"},
	planeEnemyBombs: {Name: "enemy_bombs", Meaning: "rounds until the enemy's bomb there goes off"},
	planeBombEnemy:  {Name: "bomb_enemy", Meaning: "number of the enemy whose bomb it is, counted from the seat"},
	planeFog:        {Name: "fog", Meaning: "1 where the seat cannot see (only with rules that have a view_radius)"},
}

// planeScalarNames names the planes vector's entries, in the order in which
// encodePlaneScalars writes them.
func (r *Rules) planeScalarNames() []env.Name {
	list := []env.Name{
		{Name: "x", Meaning: "the column of its agent, over the last one"},
		{Name: "y", Meaning: "the row of its agent, over the last one"},
		{Name: "step", Meaning: "rounds played, over all rounds"},
		{Name: "score", Meaning: "its points, over the number of fields"},
	}
	for k := 1; k < r.Players; k++ {
		list = append(list, env.Name{Name: fmt.Sprintf("enemy%d_score", k), Meaning: fmt.Sprintf("points of enemy %d, counted from the seat, over the number of fields", k)})
	}
	return list
}

// planesEncoding describes the encoding.
func (r *Rules) planesEncoding() env.Encoding {
	scalars := r.planeScalarNames()
	most, least := r.mostPoints()
	fields := float64(r.Width * r.Height)
	return env.Encoding{Name: "planes", Fields: []env.Field{
		{Name: "planes", DType: env.Uint8, Shape: []int{r.planes(), r.Height, r.Width}, Low: 0, High: float64(max(r.Players-1, r.BombDelay)), Names: planeNames[:r.planes()]},
		{Name: "scalars", DType: env.Float32, Shape: []int{len(scalars)}, Low: math.Floor(float64(least) / fields), High: math.Ceil(max(1, float64(most)/fields)), Names: scalars},
	}}
}

// planes is how many planes there are: without fog the last is left out.
func (r *Rules) planes() int {
	if r.ViewRadius == 0 {
		return planeFog
	}
	return numPlanes
}

// observePlanes writes the planes and the vectors of the given seats.
func (g *Game) observePlanes(s *State, seats []uint8, planes, scalars []byte) {
	p := g.plan
	size, width := p.rules.planes()*p.cells, 4*(3+p.rules.Players)
	for i, seat := range seats {
		own := planes[i*size : (i+1)*size]
		p.encodeThings(s, int(seat), own)
		g.encodePlaneScalars(s, int(seat), scalars[i*width:(i+1)*width])
		switch {
		case p.sights != nil:
			p.encodeSight(s, int(seat), own)
		case i == 0:
			spread(own[:p.cells], &s.Spent, 1, 0)
		default:
			copy(own[:p.cells], planes) // the same for all
		}
	}
}

// encodeSight writes the planes of the points and of the fog.
func (p *Plan) encodeSight(s *State, seat int, planes []byte) {
	sight := p.sight(s.Agents[seat])
	var hidden Cells
	for w := range p.words {
		hidden[w] = s.Spent[w] | ^sight[w]
	}
	spread(planes[:p.cells], &hidden, 1, 0)
	spread(planes[planeFog*p.cells:][:p.cells], &sight, 1, 0)
}

// encodeThings writes the planes of agents, home bases and bombs: all but the
// first and the fog.
func (p *Plan) encodeThings(s *State, seat int, planes []byte) {
	cells := p.cells
	clear(planes[cells:])
	put := func(plane int, c Cell, v int) { planes[plane*cells+int(c)] = uint8(v) }
	sight := p.sight(s.Agents[seat])
	for other := range p.rules.Players {
		k := p.number(other, seat)
		agents, homes := planeEnemies, planeEnemyHomes
		if k == 0 {
			k, agents, homes = 1, planeSelf, planeHome
		}
		put(homes, s.Homes[other], k)
		if at := s.Agents[other]; sight.Has(at) {
			put(agents, at, k)
		}
	}
	for i := range s.fuses[:p.rules.BombDelay] {
		for owner, f := range s.fuses[i] {
			switch k := p.number(owner, seat); {
			case f == 0 || !sight.Has(f.cell()):
			case k == 0:
				put(planeOwnBombs, f.cell(), i+1)
			default:
				put(planeEnemyBombs, f.cell(), i+1)
				put(planeBombEnemy, f.cell(), k)
			}
		}
	}
}

// number is a player's number counted from a seat: 0 is the seat itself.
func (p *Plan) number(other, seat int) int {
	if k := other - seat; k >= 0 {
		return k
	}
	return other - seat + p.rules.Players
}

// shares is the quotients that scalars consist of, worked out once: dividing
// takes longer than the rest of writing them.
type shares struct {
	col, row [MaxSide]float32
	step     []float32
	score    float32 // what a point is worth
}

func (p *Plan) shares() shares {
	all := shares{score: 1 / float32(p.cells)}
	for n := range p.rules.Width {
		all.col[n] = float32(n) / float32(p.rules.Width-1)
	}
	for n := range p.rules.Height {
		all.row[n] = float32(n) / float32(p.rules.Height-1)
	}
	for n := range p.rules.Rounds + 1 {
		all.step = append(all.step, float32(n)/float32(p.rules.Rounds))
	}
	return all
}

// encodePlaneScalars writes the vector of float32 that planeScalarNames names.
func (g *Game) encodePlaneScalars(s *State, seat int, dst []byte) {
	p := g.plan
	at := p.places[s.Agents[seat]]
	putFloat(dst, g.shares.col[at.x&(MaxSide-1)])
	putFloat(dst[4:], g.shares.row[at.y&(MaxSide-1)])
	putFloat(dst[8:], g.shares.step[s.StepCount])
	for k := range p.rules.Players {
		other := seat + k
		if other >= p.rules.Players {
			other -= p.rules.Players
		}
		putFloat(dst[12+4*k:], float32(s.Scores[other])*g.shares.score)
	}
}

func putFloat(dst []byte, v float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
}
