package basewar

import (
	"pommego/env"
	"pommego/env/grid"
)

func (m *Match) Stage() env.Stage {
	r := &m.game.rules
	stage := env.Stage{Rows: r.BoardSize, Cols: r.BoardSize, Looks: sceneLooks}
	for seat := range r.Seats() {
		hue := [2]env.Hue{Blue: env.Blue, Green: env.Green}[SideOf(seat)]
		if r.Sides {
			stage.Colours = append(stage.Colours, hue[0])
		} else {
			stage.Colours = append(stage.Colours, hue[seat/2])
		}
	}
	return stage
}

var sceneLooks = []env.Look{
	{Chars: ".", Sprite: "floor", Meaning: "free"}, {Chars: "#", Sprite: "wall", Meaning: "stone"},
	{Chars: "+", Sprite: "wood", Meaning: "box"}, {Chars: "1", Sprite: "flame", Meaning: "blast, free in a tick"},
	{Chars: "o", Sprite: "bomb", Meaning: "bomb"}, {Chars: "ab", Sprite: "base", Meaning: "base"},
}

func (m *Match) Describe(to *env.Scene) {
	r, s, n := &m.game.rules, &m.State, m.game.rules.BoardSize
	to.Clear(n * n)
	for i := range to.Ground {
		switch c := grid.At(i/n, i%n); {
		case s.Stones.Has(c):
			to.Ground[i] = env.GroundWall
		case s.Boxes.Has(c):
			to.Ground[i] = env.GroundWood
		case s.Blast.Has(c):
			to.Flames = append(to.Flames, env.SceneFlame{At: c.Place(), Life: 1})
		}
	}
	for side, at := range m.game.bases {
		to.Bases = append(to.Bases, env.SceneBase{At: at.Place(), Owners: r.seatsOf(Side(side).Bombers()),
			Energy: int(s.Energy[side])})
	}
	walls, stops := m.game.barriers(s)
	for i := range s.bombs() {
		b := &s.Bombs[i]
		to.Bombs = append(to.Bombs, env.SceneBomb{At: b.Cell.Place(), Life: int(b.Life), Blast: r.BlastRange + 1,
			Owners: r.seatsOf(b.Owners)})
		for c := range r.rays(b.Cell, &walls, &stops).All {
			to.Reaches(c.Row()*n + c.Col())
		}
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		agent := env.SceneAgent{
			At: b.Cell.Place(), Seat: r.seatsOf(1 << id).First(),
			Alive: b.Alive(), Ammo: int(b.Bombs), Blast: r.BlastRange + 1, Lives: int(b.Lives),
		}
		if r.Sides {
			agent.Name = string(rune('a' + id/2))
		}
		to.Agents = append(to.Agents, agent)
	}
}
