package basewar

import (
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env/grid"
	"pommego/env/saved"
)

// The readable form of a state, which recorded games use too. Cells are [row,
// column]; the board is a string of one digit a cell, as in the raw encoding:
// 0 free, 1 stone, 2 box, 3 blue's base, 4 green's base.

// jsonState is a state without an RNG. Pointers and nil tell what is missing.
type jsonState struct {
	StepCount *int    `json:"step_count"`
	Board     string  `json:"board"`
	Bombers   [][]int `json:"bombers"` // row, col, lives, bombs
	Bombs     [][]int `json:"bombs"`   // row, col, life, owners (a sum of 2 to the power of each)
	Energy    []int   `json:"energy"`  // of blue's and green's base
	Score     []int   `json:"score"`
	// What happened in the round before: none of it if left out.
	Gained []int   `json:"gained,omitempty"`
	Blast  [][]int `json:"blast,omitempty"`
}

// savedState is what AppendJSON writes.
type savedState struct {
	Format int    `json:"format"`
	Rules  string `json:"rules"` // fingerprint, in hexadecimal
	RNG    string `json:"dice"`  // in hexadecimal
	jsonState
}

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	body, err := json.Marshal(savedState{
		stateFormat, saved.Hex(m.game.fingerprint), saved.Hex(m.RNG.State), m.game.rules.jsonOf(&m.State),
	})
	return append(dst, body...), err
}

// RestoreJSON sets the state from what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	var in savedState
	if err := saved.DecodeJSON(state, &in); err != nil {
		return fmt.Errorf("basewar: state is not a JSON object of the expected form: %w", err)
	}
	if err := m.game.header().Check(in.Format, in.Rules); err != nil {
		return err
	}
	rng, err := saved.ParseRNG(in.RNG)
	if err != nil {
		return fmt.Errorf("basewar: state: %w", err)
	}
	s, err := m.game.rules.fromJSON(&in.jsonState)
	if err != nil {
		return fmt.Errorf("basewar: state: %w", err)
	}
	if err := m.game.rules.Check(&s); err != nil {
		return err
	}
	s.RNG = rng
	m.State = s
	return nil
}

// jsonOf is the readable form of a state.
func (r *Rules) jsonOf(s *State) jsonState {
	out := jsonState{
		StepCount: new(int(s.StepCount)), Board: r.digits(s), Bombs: [][]int{},
		Energy: []int{int(s.Energy[Blue]), int(s.Energy[Green])}, Score: []int{int(s.Score[Blue]), int(s.Score[Green])},
	}
	for _, b := range s.Bombers {
		out.Bombers = append(out.Bombers, []int{b.Cell.Row(), b.Cell.Col(), int(b.Lives), int(b.Bombs)})
	}
	for _, b := range s.bombs() {
		out.Bombs = append(out.Bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Owners)})
	}
	if s.Gained != [2]uint16{} {
		out.Gained = []int{int(s.Gained[Blue]), int(s.Gained[Green])}
	}
	for c := range s.Blast.All {
		out.Blast = append(out.Blast, []int{c.Row(), c.Col()})
	}
	return out
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

// digits is the board as a string.
func (r *Rules) digits(s *State) string {
	n := r.BoardSize
	text := make([]byte, 0, n*n)
	for i := range n * n {
		text = append(text, '0'+r.ground(s, grid.At(i/n, i%n)))
	}
	return string(text)
}

// fromJSON makes a state of its readable form. It checks what it needs to; the
// rest is for Check.
func (r *Rules) fromJSON(in *jsonState) (State, error) {
	var s State
	switch {
	case in.StepCount == nil || in.Board == "" || in.Bombers == nil || in.Bombs == nil || in.Energy == nil || in.Score == nil:
		return s, errors.New("step_count, board, bombers, bombs, energy or score is missing")
	case *in.StepCount < 0 || *in.StepCount > r.MaxSteps:
		return s, fmt.Errorf("step_count is %d, want 0 to max_steps, %d", *in.StepCount, r.MaxSteps)
	}
	s.StepCount = uint16(*in.StepCount)
	for _, read := range []func(*jsonState, *State) error{r.readBoard, r.readBombers, r.readBombs, r.readPairs, r.readBlast} {
		if err := read(in, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r *Rules) readBoard(in *jsonState, s *State) error {
	n := r.BoardSize
	if len(in.Board) != n*n {
		return fmt.Errorf("board has %d cells, want %d", len(in.Board), n*n)
	}
	for i := range n * n {
		c := grid.At(i/n, i%n)
		switch in.Board[i] {
		case '0' + boardStone:
			s.Stones.Add(c)
		case '0' + boardBox:
			s.Boxes.Add(c)
		default:
			if want := '0' + r.ground(s, c); in.Board[i] != want {
				return fmt.Errorf("board[%d,%d] is %q, want 1 (stone), 2 (box) or %c", i/n, i%n, in.Board[i], want)
			}
		}
	}
	return nil
}

// row takes a list of numbers apart: a cell and then values of a byte.
func (r *Rules) row(list string, i int, row []int, length int) (grid.Cell, error) {
	if err := saved.CheckRow(list, i, row, length, r.BoardSize); err != nil {
		return 0, err
	}
	return grid.At(row[0], row[1]), nil
}

func (r *Rules) readBombers(in *jsonState, s *State) error {
	if len(in.Bombers) != NumBombers {
		return fmt.Errorf("bombers has %d entries, want %d", len(in.Bombers), NumBombers)
	}
	for id, row := range in.Bombers {
		c, err := r.row("bombers", id, row, 4)
		if err != nil {
			return err
		}
		s.Bombers[id] = Bomber{c, uint8(row[2]), uint8(row[3])}
	}
	return nil
}

func (r *Rules) readBombs(in *jsonState, s *State) error {
	if len(in.Bombs) > MaxBombs {
		return fmt.Errorf("bombs has %d entries, want at most %d", len(in.Bombs), MaxBombs)
	}
	for i, row := range in.Bombs {
		c, err := r.row("bombs", i, row, 4)
		if err != nil {
			return err
		}
		s.addBomb(Bomb{c, uint8(row[2]), BomberSet(row[3])})
	}
	return nil
}

// readPairs reads what each side has one number of.
func (r *Rules) readPairs(in *jsonState, s *State) error {
	for _, pair := range []struct {
		name string
		list []int
		most int
		set  func(side, v int)
	}{
		{"energy", in.Energy, 255, func(side, v int) { s.Energy[side] = uint8(v) }},
		{"score", in.Score, maxScore, func(side, v int) { s.Score[side] = uint16(v) }},
		{"gained", in.Gained, maxScore, func(side, v int) { s.Gained[side] = uint16(v) }},
	} {
		if len(pair.list) != 2 && (pair.name != "gained" || pair.list != nil) {
			return fmt.Errorf("%s has %d entries, want 2", pair.name, len(pair.list))
		}
		for side, v := range pair.list {
			if v < 0 || v > pair.most {
				return fmt.Errorf("%s[%d] is %d, want 0 to %d", pair.name, side, v, pair.most)
			}
			pair.set(side, v)
		}
	}
	return nil
}

func (r *Rules) readBlast(in *jsonState, s *State) error {
	for i, row := range in.Blast {
		c, err := r.row("blast", i, row, 2)
		if err != nil {
			return err
		}
		s.Blast.Add(c)
	}
	return nil
}
