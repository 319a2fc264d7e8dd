package basewar

import (
	"fmt"
	"strconv"

	"pommego/env"
	"pommego/env/grid"
)

// The colours of a picture.
const (
	groundColour  env.Colour = 0xe6e2d3
	blastGround   env.Colour = 0xffdf9e
	stoneColour   env.Colour = 0x7a7f87
	boxColour     env.Colour = 0xb98a55
	blastColour   env.Colour = 0xe23d12
	bombColour    env.Colour = 0x23272b
	edgeColour    env.Colour = 0x151515
	publicColour  env.Colour = 0xf7f7f2
	sharedColour  env.Colour = 0x7d4fa0 // of a cell where both sides stand
	blueColour    env.Colour = 0x0072b2
	greenColour   env.Colour = 0x009e73
	blueHomeTint  env.Colour = 0xb9cdea
	greenHomeTint env.Colour = 0xb8dcc2
)

var (
	ownerColours = [numOwners]env.Colour{OfBlue: blueColour, OfGreen: greenColour, Public: publicColour}
	homeTints    = [2]env.Colour{blueHomeTint, greenHomeTint}
)

// Picture is the game as it stands: env.Pictured. Every seat sees everything.
func (m *Match) Picture(int) env.Picture { return m.game.rules.Picture(&m.State) }

// Picture is Match.Picture for a state by itself. Bombers have their numbers, or how
// many they are with a +, blue ones on discs and green ones on squares; bombs show the
// rounds they have left in an outline of their side's colour, bases their energy.
func (r *Rules) Picture(s *State) env.Picture {
	pic := env.Picture{Cols: r.BoardSize, Rows: r.BoardSize}
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			pic.Tiles = append(pic.Tiles, r.tile(s, grid.At(row, col)))
		}
	}
	round := fmt.Sprintf("round %d of %d", s.StepCount, r.MaxSteps)
	pic.Lines = []env.Line{{Text: round, Short: round}, r.sideLine(s, Blue), r.sideLine(s, Green)}
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
		t = env.Tile{Ground: homeTints[side], Mark: s.base(side)}
	case bomb >= 0:
		b := &s.Bombs[bomb]
		t.Mark = env.Mark{Shape: env.Round, Colour: bombColour, Edge: ownerColours[b.Owner()], Label: strconv.Itoa(int(b.Life))}
	case s.Blast.Has(c):
		t.Shape, t.Colour = env.Star, blastColour
	}
	if s.Blast.Has(c) && ground == boardEmpty {
		t.Ground = blastGround
	}
	if here := s.standing(c); here != 0 {
		t.Mark = here.mark()
		if bomb >= 0 {
			t.Corner = strconv.Itoa(int(s.Bombs[bomb].Life))
		}
	}
	return t
}

// base is how a side's base looks.
func (s *State) base(side Side) env.Mark {
	return env.Mark{Shape: env.Ring, Colour: ownerColours[side], Label: strconv.Itoa(int(s.Energy[side]))}
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

// mark is how the bombers on a cell look.
func (b BomberSet) mark() env.Mark {
	switch {
	case b&^Blue.Bombers() == 0:
		return env.Mark{Shape: env.Disc, Colour: blueColour, Edge: edgeColour, Label: b.label()}
	case b&^Green.Bombers() == 0:
		return env.Mark{Shape: env.Square, Colour: greenColour, Edge: edgeColour, Label: b.label()}
	}
	return env.Mark{Shape: env.Diamond, Colour: sharedColour, Edge: edgeColour, Label: b.label()}
}

// label is the number of a single bomber, else how many there are.
func (b BomberSet) label() string {
	if !several(b) {
		return fmt.Sprint(b.first())
	}
	return fmt.Sprintf("+%d", env.SeatSet(b).Len())
}

// sideLine says how a side stands.
func (r *Rules) sideLine(s *State, side Side) env.Line {
	line := fmt.Sprintf("%d points, lives", s.Score[side])
	for _, id := range sideBombers[side] {
		line += fmt.Sprintf(" %d", s.Bombers[id].Lives)
	}
	return env.Line{Text: fmt.Sprintf("%v: energy %d, %s", side, s.Energy[side], line), Marks: []env.Mark{s.base(side)}, Short: line}
}
