package pommerman

import (
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestPictureShowsTheBoard plays games of every variant and compares each tile
// with the cell it stands for.
func TestPictureShowsTheBoard(t *testing.T) {
	for name, rules := range variants() {
		g := mustGame(t, rules)
		m := g.New(1)[0].(*Match)
		m.Reset(env.Seed{Value: 5})
		rng := env.RNG{State: 1}
		actions := make([]uint8, rules.Seats()*(1+rules.RadioWords))
		boost(&rules, &m.State, &rng)
		for range 40 {
			p := m.Picture(NoSeat)
			n := rules.BoardSize
			if p.Cols != n || p.Rows != n || len(p.Tiles) != n*n || len(p.Lines) != 1+rules.Seats() {
				t.Fatalf("%s: a picture of %dx%d with %d tiles and %d lines", name, p.Cols, p.Rows, len(p.Tiles), len(p.Lines))
			}
			for at, tile := range p.Tiles {
				c := grid.At(at/n, at%n)
				item := m.Board[c]
				want := appearance[item]
				if item >= rules.Agent0() {
					want.Colour = rules.colour(int(item - rules.Agent0()))
				}
				if tile.Colour != want.Colour {
					t.Fatalf("%s: the tile at %v shows %+v for item %d", name, c, tile, item)
				}
			}
			for seat := range rules.Seats() {
				if dead := strings.Contains(p.Lines[1+seat].Text, "dead"); dead == m.Agents[seat].Alive {
					t.Fatalf("%s: seat %d lives: %v, and the picture says %q", name, seat, m.Agents[seat].Alive, p.Lines[1+seat].Text)
				}
			}
			if m.Status().Over {
				break
			}
			randomActions(&rules, &rng, actions)
			m.Step(actions)
		}
	}
}
