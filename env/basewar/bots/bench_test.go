package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/basewar"
)

// BenchmarkAct is decisions of each agent, in positions of games among simple
// ones.
func BenchmarkAct(b *testing.B) {
	g := mustGame(b, basewar.Standard())
	var positions []*basewar.Match
	players := make([]env.Agent, basewar.NumBombers)
	for seat := range players {
		var err error
		if players[seat], err = g.NewAgent("simple"); err != nil {
			b.Fatal(err)
		}
	}
	m := g.New(1)[0].(*basewar.Match)
	m.Reset(env.Seed{Value: 5})
	for actions := make([]uint8, len(players)); !m.Status().Over; m.Step(actions) {
		kept := g.New(1)[0].(*basewar.Match)
		kept.State = m.State
		positions = append(positions, kept)
		for seat, p := range players {
			p.Act(m, seat, actions[seat:][:1])
		}
	}
	for _, name := range Roster.Names() {
		b.Run(name, func(b *testing.B) {
			a, err := g.NewAgent(name)
			if err != nil {
				b.Fatal(err)
			}
			action := []uint8{0}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				a.Act(positions[i%len(positions)], i%basewar.NumBombers, action)
				i++
			}
		})
	}
}
