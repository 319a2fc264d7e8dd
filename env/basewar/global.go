package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/observe"
)

// The global state is the planes encoding of nobody's side: sides and bombers by
// their names.

// bomberNames names the planes of bombers.
var bomberNames = func() (names []env.Name) {
	for id := range NumBombers {
		names = append(names,
			env.Name{Name: fmt.Sprintf("bomber%d", id),
				Meaning: fmt.Sprintf("1 where bomber %d stands (%s has %s)", id, SideOf(id),
					[]string{"0, 2 and 4", "1, 3 and 5"}[SideOf(id)])})
	}
	return names
}()

// stateFields describes the global state.
func (g *Game) stateFields() []env.Field {
	n := g.rules.BoardSize
	return []env.Field{
		observe.MapsField("planes", n, n, 100,
			func(m observe.Maps[observe.List]) { paintState(paintShared(m, g, &State{}), g, &State{}) }),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

// observeState writes the global state.
func (g *Game) observeState(s *State, planes, scalars []byte) {
	paintState(paintShared(observe.MapsInto(planes, g.encoder.cells), g, s), g, s)
	stateScalars(observe.Into(scalars), g, s)
}

// paintState is the planes behind those that all seats share.
func paintState[M observe.Mode](m observe.Maps[M], g *Game, s *State) {
	e := &g.encoder
	clear(m.Rest())
	blue, m := m.Next("bomb_blue", "1 where a bomb of blue's lies")
	green, m := m.Next("bomb_green", "1 where a bomb of green's lies")
	for i := range s.bombs() {
		switch b := &s.Bombs[i]; b.Owner() {
		case OfBlue:
			blue[e.flatAt[b.Cell]] = 1
		case OfGreen:
			green[e.flatAt[b.Cell]] = 1
		}
	}
	base, m := m.Next("base_blue", "energy of blue's base, where it stands")
	base[e.flat[Blue]] = s.Energy[Blue]
	base, m = m.Next("base_green", "energy of green's base, where it stands")
	base[e.flat[Green]] = s.Energy[Green]
	bombers, _ := m.Named(bomberNames)
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() {
			bombers[id*e.cells+int(e.flatAt[b.Cell])] = 1
		}
	}
}

// stateScalars is the vector of the global state.
func stateScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State) {
	e := &g.encoder
	v = v.Float("step", "rounds played, over the last round", observe.Share(int(s.StepCount), g.rules.MaxSteps))
	for side := range s.Energy {
		v = v.Of(&sides[side])
		v = v.Float("%s_score", "points of %s, over the most there can be", observe.Share(int(s.Score[side]), e.most))
		v = v.Float("%s_energy", "energy of %s's base, over what it starts with", e.energy[s.Energy[side]])
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		v = v.Nth(id)
		v = v.Float("bomber%d_lives", "its lives, over those it starts with", e.lives[b.Lives])
		v = v.Float("bomber%d_bombs", "bombs that it can lay now, over those it starts with", e.bombs[b.Bombs])
		v = v.Float("bomber%d_row", "its row (the last one when dead), over the last row", e.row[b.Cell])
		v = v.Float("bomber%d_col", "its column (the last one when dead), over the last column", e.col[b.Cell])
	}
}
