package pommerman

import (
	"slices"
	"strconv"

	"pommego/env"
	"pommego/env/observe"
)

// The global state is the planes encoding of somebody who sees the whole board
// and nobody's side: the planes of things that can lie on a cell, then one for each
// agent, and the scalars of all agents. What wood hides is not in it, as no seat
// ever sees it either; where bombs roll and how old flames are always is.

// thingPlanes is how many planes there are before those of agents, in the table of
// planes too.
var thingPlanes = slices.IndexFunc(planes[:], func(p plane) bool { return p.source == shows(itself) })

// asItself is what somebody without a seat takes each item of the board for.
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
	names := append([]env.Name(nil), planeNames[:thingPlanes]...)
	for k := range g.rules.Seats() {
		seat := strconv.Itoa(k)
		names = append(names, env.Name{Name: "agent" + seat, Meaning: "1 where the agent of seat " + seat + " stands"})
	}
	return []env.Field{
		observe.MapsField("planes", n, n, 255, func(m observe.Maps[observe.List]) { m.Named(names) }),
		observe.VectorField(env.Float32, 0, 1, func(v observe.Vector[observe.List]) { stateScalars(v, g, &State{}) }),
	}
}

func (g *Game) observeState(s *State, planes, scalars []byte) {
	cells := g.rules.BoardSize * g.rules.BoardSize
	var scene scene
	g.paintAll(s, scene[:])
	var spread [numPlanes * maxCells]byte
	spreadPlanes(spread[:], scene[:], &everywhere, &asItself, cells)
	copy(planes, spread[:thingPlanes*cells])
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
