package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// maxScore is the highest score that a state may hold; maxGain is more than a
// side can score in what is left of any game.
const (
	maxScore = 32767
	maxGain  = 100*maxCells + 100*NumBombers
)

// form is the table of the game's state: what saved states and recorded games
// hold, and in which ranges. Cells are [row, column]; the board has a digit for
// each cell, as in the raw encoding: 0 free, 1 stone, 2 box, 3 blue's base, 4
// green's base; a bomb's owners are the sum of 2 to the power of each.
func (r *Rules) form() saved.Form[State] {
	n := r.BoardSize
	row, col := saved.Col("row", 0, n-1), saved.Col("col", 0, n-1)
	bombers := saved.Fixed("bombers", NumBombers, row, col, saved.Col("lives", 0, r.Lives), saved.Col("bombs", 0, r.Bombs))
	bombs := saved.UpTo("bombs", MaxBombs, row, col, saved.Col("life", 1, r.BombLife), saved.Col("owners", 1, 1<<NumBombers-1))
	blast := saved.UpTo("blast", n*n, row, col)
	gained := saved.Fixed("gained", 2, saved.Col("points", 0, maxScore-maxGain))
	blast.Optional, gained.Optional = true, true // nothing happened in the round before
	cells := grid.Cells(n)
	return saved.Form[State]{
		Header: saved.Header{Game: "basewar", Format: stateFormat, Rules: r.Fingerprint()},
		Table: saved.Table[State]{
			saved.RNGField("dice", func(s *State) *env.RNG { return &s.RNG }),
			saved.NumberField("step_count", 0, r.MaxSteps, func(s *State) *uint16 { return &s.StepCount }),
			saved.MapField(saved.Board("board", n, n, "01234"), func(s *State, i int) int { return int(r.ground(s, cells[i])) },
				func(s *State, i, v int) error { return r.setGround(s, cells[i], v) }),
			saved.RowsField(bombers, bomberRows, func(s *State, id int, v []int) error {
				s.Bombers[id] = Bomber{grid.At(v[0], v[1]), uint8(v[2]), uint8(v[3])}
				return nil
			}),
			saved.RowsField(bombs, bombRows, func(s *State, _ int, v []int) error {
				s.addBomb(Bomb{grid.At(v[0], v[1]), uint8(v[2]), BomberSet(v[3])})
				return nil
			}),
			saved.RowField(saved.Fixed("energy", 2, saved.Col("energy", 0, r.BaseEnergy)), func(s *State) []uint8 { return s.Energy[:] }),
			saved.RowField(saved.Fixed("score", 2, saved.Col("points", 0, maxScore-maxGain)), func(s *State) []uint16 { return s.Score[:] }),
			saved.RowField(gained, func(s *State) []uint16 { return s.Gained[:] }),
			saved.RowsField(blast, blastRows, func(s *State, _ int, v []int) error { s.Blast.Add(grid.At(v[0], v[1])); return nil }),
		},
		Invariants: r.invariants,
	}
}

// ground is what a cell of the board shows in the raw encoding.
func (r *Rules) ground(s *State, c grid.Cell) uint8 {
	switch {
	case s.Stones.Has(c):
		return boardStone
	case s.Boxes.Has(c):
		return boardBox
	case c == r.Base(Blue):
		return boardBlue
	case c == r.Base(Green):
		return boardGreen
	}
	return boardEmpty
}

func (r *Rules) setGround(s *State, c grid.Cell, v int) error {
	bare := r.ground(&State{}, c)
	switch {
	case v == boardStone && bare == boardEmpty:
		s.Stones.Add(c)
	case v == boardBox && bare == boardEmpty:
		s.Boxes.Add(c)
	case v != int(bare) && bare == boardEmpty:
		return fmt.Errorf("is %d, want 0, 1 (stone) or 2 (box)", v)
	case v != int(bare):
		return fmt.Errorf("is %d, want %d, a base", v, bare)
	}
	return nil
}

func bomberRows(s *State, rows *saved.Listing) {
	for _, b := range s.Bombers {
		rows.Add(b.Cell.Row(), b.Cell.Col(), int(b.Lives), int(b.Bombs))
	}
}

func bombRows(s *State, rows *saved.Listing) {
	for _, b := range s.bombs() {
		rows.Add(b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Owners))
	}
}

func blastRows(s *State, rows *saved.Listing) {
	for c := range s.Blast.All {
		rows.Add(c.Row(), c.Col())
	}
}
