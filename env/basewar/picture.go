package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
)

// The colours of a picture.
const (
	groundColour  env.Colour = 0xe6e2d3
	blastGround   env.Colour = 0xf2c48d
	stoneColour   env.Colour = 0x7a7f87
	boxColour     env.Colour = 0xb07a3f
	blastColour   env.Colour = 0xe4572e
	publicColour  env.Colour = 0x333333
	sharedColour  env.Colour = 0x7d4fa0 // of a cell where both sides stand
	blueColour    env.Colour = 0x1d5fbf
	greenColour   env.Colour = 0x2b9348
	blueHomeTint  env.Colour = 0xb9cdea
	greenHomeTint env.Colour = 0xb8dcc2
)

var (
	ownerColours = [numOwners]env.Colour{OfBlue: blueColour, OfGreen: greenColour, Public: publicColour}
	homeTints    = [2]env.Colour{blueHomeTint, greenHomeTint}
)

// Picture is the game as it stands: env.Pictured.
func (m *Match) Picture() env.Picture { return m.game.rules.Picture(&m.State) }

// Picture is Match.Picture for a state by itself. Bombers are discs with their
// numbers, or how many they are with a +; bombs are diamonds with the rounds they
// have left, bases rings with their energy.
func (r *Rules) Picture(s *State) env.Picture {
	pic := env.Picture{Cols: r.BoardSize, Rows: r.BoardSize}
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			pic.Tiles = append(pic.Tiles, r.tile(s, grid.At(row, col)))
		}
	}
	pic.Lines = []string{
		fmt.Sprintf("round %d of %d", s.StepCount, r.MaxSteps),
		r.sideLine(s, Blue),
		r.sideLine(s, Green),
	}
	return pic
}

func (r *Rules) tile(s *State, c grid.Cell) env.Tile {
	t := env.Tile{Ground: groundColour}
	ground := r.ground(s, c)
	bomb := s.bombAt(c)
	switch {
	case ground == boardStone:
		t.Shape, t.Colour = env.Block, stoneColour
	case ground == boardBox:
		t.Shape, t.Colour = env.Bricks, boxColour
	case ground != boardEmpty:
		side := Side(ground - boardBlue)
		t = env.Tile{Ground: homeTints[side], Shape: env.Ring, Colour: ownerColours[side], Label: fmt.Sprint(s.Energy[side])}
	case bomb >= 0:
		b := &s.Bombs[bomb]
		t.Shape, t.Colour, t.Label = env.Diamond, ownerColours[b.Owner()], fmt.Sprint(b.Life)
	case s.Blast.Has(c):
		t.Shape, t.Colour = env.Star, blastColour
	}
	if s.Blast.Has(c) && ground == boardEmpty {
		t.Ground = blastGround
	}
	if here := s.standing(c); here != 0 {
		t.Shape, t.Colour, t.Label = env.Disc, here.colour(), here.label()
	}
	return t
}

// standing is the living bombers on a cell.
func (s *State) standing(c grid.Cell) BomberSet {
	var set BomberSet
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() && b.Cell == c {
			set |= 1 << id
		}
	}
	return set
}

func (b BomberSet) colour() env.Colour {
	switch {
	case b&^Blue.Bombers() == 0:
		return blueColour
	case b&^Green.Bombers() == 0:
		return greenColour
	}
	return sharedColour
}

// label is the number of a single bomber, else how many there are.
func (b BomberSet) label() string {
	if !several(b) {
		return fmt.Sprint(b.first())
	}
	return fmt.Sprintf("+%d", env.SeatSet(b).Len())
}

// sideLine says how a side stands.
func (r *Rules) sideLine(s *State, side Side) string {
	line := fmt.Sprintf("%v: energy %d, %d points, lives", side, s.Energy[side], s.Score[side])
	for _, id := range sideBombers[side] {
		line += fmt.Sprintf(" %d", s.Bombers[id].Lives)
	}
	return line
}
