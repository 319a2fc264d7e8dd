package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/observe"
)

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
