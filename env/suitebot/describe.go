package suitebot

import "pommego/env"

func (m *Match) Stage() env.Stage {
	r := &m.game.rules
	stage := env.Stage{Rows: r.Height, Cols: r.Width, Torus: true, Looks: sceneLooks}
	for seat := range r.Players {
		stage.Colours = append(stage.Colours, env.SeatColour(seat))
	}
	return stage
}

var sceneLooks = []env.Look{
	{Chars: ".", Sprite: "point", Meaning: "field with its points"},
	{Chars: "-", Sprite: "spent", Meaning: "field without"},
	{Chars: "?", Sprite: "fog", Meaning: "unseen"}, {Chars: "1", Sprite: "flame", Meaning: "blast, free in a tick"},
	{Chars: "o", Sprite: "bomb", Meaning: "bomb"}, {Chars: "abcdefgh", Sprite: "home", Meaning: "home"},
}

func (m *Match) Describe(to *env.Scene) {
	g, s := m.game, &m.State
	to.Clear(g.cells)
	for c := range s.Spent.All {
		to.Ground[c] = env.GroundSpent
	}
	for c := range s.Blast.All {
		to.Flames = append(to.Flames, env.SceneFlame{At: g.place(c), Life: 1})
	}
	for b := range s.Bombs {
		to.Bombs = append(to.Bombs, env.SceneBomb{At: g.place(b.Cell), Life: b.Rounds, Blast: g.rules.BlastRadius + 1,
			Owners: 1 << b.Owner})
		for c := range g.Reach(b.Cell).All {
			to.Reaches(int(c))
		}
	}
	for seat := range g.rules.Players {
		to.Bases = append(to.Bases, env.SceneBase{At: g.place(s.Homes[seat]), Owners: 1 << seat})
		to.Agents = append(to.Agents, env.SceneAgent{At: g.place(s.Agents[seat]), Seat: seat, Alive: true, Ammo: 1,
			Blast: g.rules.BlastRadius + 1})
	}
	if g.sights == nil {
		return
	}
	to.Unseen(g.rules.Players, g.cells)
	for seat := range to.Sight {
		in := g.sight(s.Agents[seat])
		for c := range in.All {
			to.Sight[seat][c] = true
		}
	}
}

func (g *Game) place(c Cell) env.Place {
	return env.Place{int(c) / g.rules.Width, int(c) % g.rules.Width}
}
