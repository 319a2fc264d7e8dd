package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

func (m *Match) Stage() env.Stage {
	r := &m.game.rules
	stage := env.Stage{Rows: r.BoardSize, Cols: r.BoardSize, Conceals: []env.Concealed{env.HiddenItems, env.BombOwners,
		env.OthersCarry}, Looks: sceneLooks, FlameLife: r.FlameLife}
	for seat := range r.Seats() {
		colour := env.SeatColour(seat)
		if r.Teams() {
			colour = [2]env.Hue{env.Blue, env.Vermillion}[seat%2][seat/2]
		}
		stage.Colours = append(stage.Colours, colour)
	}
	if r.Traits().Conceals {
		stage.Conceals = append(stage.Conceals, env.BombDirections, env.FlameLives)
	}
	if r.RadioWords > 0 {
		stage.Conceals = append(stage.Conceals, env.OthersSay)
	}
	return stage
}

var sceneLooks = []env.Look{
	{Chars: ".", Sprite: "floor", Meaning: "free"}, {Chars: "#", Sprite: "wall", Meaning: "wall"},
	{Chars: "+", Sprite: "wood", Meaning: "wood"}, {Chars: "?", Sprite: "fog", Meaning: "unseen"},
	{Chars: "*", Sprite: "flame", Meaning: "flame"}, {Chars: "12345", Meaning: "flame, free in so many ticks"},
	{Chars: "o", Sprite: "bomb", Meaning: "bomb"}, {Chars: "e", Sprite: "extra_bomb", Meaning: "extra bomb"},
	{Chars: "i", Sprite: "incr_range", Meaning: "longer reach"}, {Chars: "k", Sprite: "kick", Meaning: "kick"},
	{Chars: "s", Sprite: "skull", Meaning: "skull"},
}

func (m *Match) Describe(to *env.Scene) {
	r, s := &m.game.rules, &m.State
	to.Clear(len(m.game.cells))
	for i, c := range m.game.cells {
		r.describeCell(s, i, c, to)
	}
	for i := range s.bombs() {
		b := &s.Bombs[i]
		bomb := env.SceneBomb{At: b.Cell.Place(), Life: int(b.Life), Blast: int(b.Blast)}
		if owner := b.Owner(); owner != Nobody {
			bomb.Owners = 1 << owner
		}
		if d := b.Moving(); d != grid.Stay {
			bomb.Moving = Action(d).String()
		}
		to.Bombs = append(to.Bombs, bomb)
		var reached grid.Bits
		Rays(&s.Board, b.Cell, b.Blast, &reached)
		for c := range reached.All {
			to.Reaches(int(m.game.flatAt[c]))
		}
	}
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		agent := env.SceneAgent{At: a.Cell.Place(), Seat: seat, Alive: a.Alive, Ammo: int(a.Ammo), Blast: int(a.Blast),
			Kicks: a.Kicks}
		if r.RadioWords > 0 {
			to.Said = append(to.Said, env.SceneMessage{Seat: seat, Words: saved.Ints(s.Radio[seat][:r.RadioWords])})
		}
		to.Agents = append(to.Agents, agent)
	}
	if r.ViewSize == 0 {
		return
	}
	to.Unseen(r.Seats(), len(m.game.cells))
	for seat := range to.Sight {
		w := r.window(s.Agents[seat].Cell)
		for i, c := range m.game.cells {
			to.Sight[seat][i] = w.Has(c)
		}
	}
}

// describeCell describes a cell, the i-th of the board, except for bombs and agents.
func (r *Rules) describeCell(s *State, i int, c grid.Cell, to *env.Scene) {
	item := s.Board[c]
	switch {
	case item == Rigid:
		to.Ground[i] = env.GroundWall
	case item == Wood:
		to.Ground[i] = env.GroundWood
	case item.powerup() && item < r.Dummy():
		to.Items = append(to.Items, env.SceneItem{At: c.Place(), Kind: itemNames[item]})
	}
	if hidden := s.Hidden(c); hidden != Passage {
		to.Items = append(to.Items, env.SceneItem{At: c.Place(), Kind: itemNames[hidden], Hidden: true})
	}
	if life := s.Flame(c); life > 0 {
		to.Flames = append(to.Flames, env.SceneFlame{At: c.Place(), Life: int(life)})
	}
}
