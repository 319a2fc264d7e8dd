package suitebot

import (
	"strconv"

	"pommego/env"
	"pommego/env/observe"
)

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
