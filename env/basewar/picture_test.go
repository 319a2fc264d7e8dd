package basewar

import (
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestPictures shows everything that can be on a map, as a picture and as text.
func TestPictures(t *testing.T) {
	r := drawnRules()
	s := draw(t, &r, "0#%..1. b.g.p.. ....... <.....> ....... .2....3")
	together(stand(4, 0, 0, 3), stand(5, 5, 1, 2))(&s)
	s.Energy[Blue] = 3
	s.Blast.Add(grid.At(6, 3))
	pic := r.Picture(&s)
	if pic.Cols != drawn || pic.Rows != drawn || len(pic.Tiles) != drawn*drawn || len(pic.Lines) != 3 {
		t.Fatalf("the picture has %d columns, %d rows, %d tiles and lines %+v", pic.Cols, pic.Rows, len(pic.Tiles), pic.Lines)
	}
	on := func(shape env.Shape, colour, edge env.Colour, label string) env.Tile {
		return env.Tile{Ground: groundColour, Mark: env.Mark{Shape: shape, Colour: colour, Edge: edge, Label: label}}
	}
	for _, tc := range []struct {
		reason   string
		row, col int
		want     env.Tile
		text     string
	}{
		{"a stone", 0, 1, env.Tile{Ground: groundColour, Mark: env.Mark{Shape: env.Block, Colour: stoneColour}}, "##"},
		{"a box", 0, 2, env.Tile{Ground: groundColour, Mark: env.Mark{Shape: env.Bricks, Colour: boxColour}}, "%%"},
		{"nothing", 0, 3, env.Tile{Ground: groundColour}, " ."},
		{"two mates on a cell", 0, 0, on(env.Disc, blueColour, edgeColour, "+2"), "+0"},
		{"one bomber", 0, 5, on(env.Square, greenColour, edgeColour, "1"), " 1"},
		{"bombers of both sides", 5, 1, on(env.Diamond, sharedColour, edgeColour, "+2"), "+2"},
		{"blue's bomb", 1, 0, on(env.Round, bombColour, blueColour, "7"), "7b"},
		{"green's bomb", 1, 2, on(env.Round, bombColour, greenColour, "7"), "7g"},
		{"a public bomb", 1, 4, on(env.Round, bombColour, publicColour, "7"), "7="},
		{"blue's base", 3, 0, env.Tile{Ground: blueHomeTint, Mark: env.Mark{Shape: env.Ring, Colour: blueColour, Label: "3"}}, "B3"},
		{"green's base", 3, 6, env.Tile{Ground: greenHomeTint, Mark: env.Mark{Shape: env.Ring, Colour: greenColour, Label: "5"}}, "G5"},
		{"where an explosion was", 6, 3, env.Tile{Ground: blastGround, Mark: env.Mark{Shape: env.Star, Colour: blastColour}}, "**"},
	} {
		if got := pic.Tiles[tc.row*drawn+tc.col]; got != tc.want {
			t.Errorf("%s is drawn as %+v, want %+v", tc.reason, got, tc.want)
		}
		rows := strings.Split(string(r.AppendText(nil, &s, false)), "\n")
		if got := rows[1+tc.row][2*tc.col:][:2]; got != tc.text {
			t.Errorf("%s is written as %q, want %q", tc.reason, got, tc.text)
		}
	}
	if want := "blue: energy 3, 0 points, lives 3 3 3"; pic.Lines[1].Text != want {
		t.Errorf("the line about blue is %+v, want %q", pic.Lines[1], want)
	}
	var _ env.Pictured = &Match{}
}
