package basewar

import (
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// maxScore is the highest score that a game may come to.
const maxScore = 32767

// Snapshot is the readable form of a state, which recorded games show. Cells are [row,
// column]; the board has a digit for each cell, as in the raw encoding: 0 free, 1
// stone, 2 box, 3 blue's base, 4 green's base; a bomb's owners are the sum of 2 to the
// power of each owner's number.
type Snapshot struct {
	RNG       saved.RNG  `json:"dice,omitzero"` // not in recorded games
	StepCount int        `json:"step_count"`
	Board     saved.Map  `json:"board"`
	Bombers   saved.Rows `json:"bombers"` // by bomber: row, column, lives, bombs
	Bombs     saved.Rows `json:"bombs"`   // by bomb: row, column, life, owners; in the order of laying
	Energy    []int      `json:"energy"`
	Score     []int      `json:"score"`
	Gained    []int      `json:"gained,omitempty"` // by side: points of the last round; left out if none
	Blast     saved.Rows `json:"blast,omitempty"`  // the cells reached in the last round
}

const boardLetters = "01234"

// form returns the form of the game's states: what saved states and recorded games
// hold, and in which ranges.
func (r *Rules) form() *saved.Form[State, Snapshot] {
	n := r.BoardSize
	row, col, points := saved.Col("row", 0, n-1), saved.Col("col", 0, n-1), saved.Col("points", 0, maxScore)
	return &saved.Form[State, Snapshot]{
		Header:   saved.Header{Game: "basewar", Format: stateFormat, Rules: ruleset.Fingerprint("basewar", Version, r)},
		Readable: stateFormat,
		Shape: saved.Shape{Cell: func(i int) (int, int) { return i / n, i % n }, Columns: map[string][]saved.Column{
			"step_count": {saved.Col("", 0, r.MaxSteps)},
			"bombers":    {row, col, saved.Col("lives", 0, r.Lives), saved.Col("bombs", 0, r.Bombs)},
			"bombs":      {row, col, saved.Col("life", 1, r.BombLife), saved.Col("owners", 1, 1<<NumBombers-1)},
			"energy":     {saved.Col("energy", 0, r.BaseEnergy)},
			"score":      {points}, "gained": {points}, "blast": {row, col},
		}},
		Code: (*State).code, Show: r.show, Take: r.take, Invariants: r.invariants,
	}
}

func (r *Rules) show(s *State, t *Snapshot) {
	n := r.BoardSize
	t.RNG, t.StepCount = saved.RNG(s.RNG), int(s.StepCount)
	t.Board.Draw(n*n, boardLetters, func(i int) int { return int(r.ground(s, grid.At(i/n, i%n))) })
	t.Bombers, t.Bombs, t.Blast, t.Gained = t.Bombers[:0], t.Bombs[:0], t.Blast[:0], nil
	for _, b := range s.Bombers {
		t.Bombers.Add(b.Cell.Row(), b.Cell.Col(), int(b.Lives), int(b.Bombs))
	}
	for _, b := range s.bombs() {
		t.Bombs.Add(b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Owners))
	}
	for c := range s.Blast.All {
		t.Blast.Add(c.Row(), c.Col())
	}
	t.Energy, t.Score = saved.Ints(s.Energy[:]), saved.Ints(s.Score[:])
	if s.Gained != [2]uint16{} {
		t.Gained = saved.Ints(s.Gained[:])
	}
}

func (r *Rules) take(t *Snapshot) State {
	n := r.BoardSize
	s := State{RNG: env.RNG(t.RNG), StepCount: uint16(t.StepCount)}
	for i, letter := range t.Board[:min(len(t.Board), n*n)] {
		switch c := grid.At(i/n, i%n); letter {
		case boardLetters[boardStone]:
			s.Stones.Add(c)
		case boardLetters[boardBox]:
			s.Boxes.Add(c)
		}
	}
	for id, v := range t.Bombers[:min(len(t.Bombers), NumBombers)] {
		s.Bombers[id] = Bomber{grid.At(v[0], v[1]), uint8(v[2]), uint8(v[3])}
	}
	for _, v := range t.Bombs[:min(len(t.Bombs), MaxBombs)] {
		s.addBomb(Bomb{grid.At(v[0], v[1]), uint8(v[2]), BomberSet(v[3])})
	}
	for _, v := range t.Blast {
		s.Blast.Add(grid.At(v[0], v[1]))
	}
	saved.SetInts(s.Energy[:], t.Energy)
	saved.SetInts(s.Score[:], t.Score)
	saved.SetInts(s.Gained[:], t.Gained)
	return s
}

// ground returns what a cell of the board shows in the raw encoding.
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

// code writes or reads the parts of a state in the order of its bytes.
func (s *State) code(c *saved.Codec) {
	saved.List(c, s.Stones[:])
	saved.List(c, s.Boxes[:])
	saved.List(c, s.Blast[:])
	saved.Blocks(c, s.Bombers[:])
	c.Len("bombs", &s.NumBombs, MaxBombs)
	saved.Blocks(c, s.bombs())
	saved.List(c, s.Energy[:])
	saved.List(c, s.Score[:])
	saved.List(c, s.Gained[:])
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.RNG.State)
}

func (m *Match) Append(dst []byte) []byte   { return m.game.form.Append(dst, &m.State) }
func (m *Match) Restore(state []byte) error { return m.game.form.Restore(state, &m.State) }

func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	return m.game.form.AppendJSON(dst, &m.State)
}

func (m *Match) RestoreJSON(state json.RawMessage) error {
	return m.game.form.RestoreJSON(state, &m.State)
}

// invariants returns an error if values of a state contradict each other, each of which
// is in its range; else nil.
func (r *Rules) invariants(s *State) error {
	for id := range s.Bombers {
		if err := r.standable(s, s.Bombers[id].Cell); err != nil {
			return fmt.Errorf("bombers[%d] is at %w", id, err)
		}
		if err := r.checkStock(s, id); err != nil {
			return err
		}
	}
	most := s.Boxes.Len()*r.BoxPoints + NumBombers*r.DeathPoints
	for side := Blue; side <= Green; side++ {
		if c := r.Base(side); s.Stones.Has(c) || s.Boxes.Has(c) {
			return fmt.Errorf("a stone or a box is at %s, want the base of %v there", where(c), side)
		}
		if int(s.Score[side])+most > maxScore {
			return fmt.Errorf("%v has %d points and may gain %d more, want %d in all at most", side, s.Score[side], most,
				maxScore)
		}
		if s.Gained[side] > s.Score[side] {
			return fmt.Errorf("%v gained %d points in the last round, but has %d in all", side, s.Gained[side], s.Score[side])
		}
	}
	return r.checkBombs(s)
}

// standable returns an error if a bomber or a bomb cannot be on a cell, else nil.
func (r *Rules) standable(s *State, c grid.Cell) error {
	if board := grid.Square(r.BoardSize); !board.Has(c) || r.ground(s, c) != boardEmpty {
		return fmt.Errorf("%s, which is off the board or holds a stone, a box or a base; want a free cell", where(c))
	}
	return nil
}

func (r *Rules) checkBombs(s *State) error {
	var seen grid.Bits
	for i, b := range s.bombs() {
		if err := r.standable(s, b.Cell); err != nil {
			return fmt.Errorf("bombs[%d] lies at %w", i, err)
		}
		switch {
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s, want at most one on a cell", where(b.Cell))
		case !r.AllPay && (several(b.Owners&Blue.Bombers()) || several(b.Owners&Green.Bombers())):
			return fmt.Errorf("bombs[%d] has the owners %d, want at most one bomber of each side", i, b.Owners)
		}
		seen.Add(b.Cell)
	}
	return nil
}

func several(set BomberSet) bool { return set&(set-1) != 0 }

// checkStock returns an error unless the bombs that a bomber has, and its bombs on the map, are as many as the rules
// say.
func (r *Rules) checkStock(s *State, id int) error {
	has, lie := int(s.Bombers[id].Bombs), 0
	for i := range s.bombs() {
		lie += int(s.Bombs[i].Owners >> id & 1)
	}
	switch {
	case has+lie > r.Bombs:
		return fmt.Errorf("bomber %d has %d bombs to lay and %d on the map, want at most %d together", id, has, lie, r.Bombs)
	case has+lie < r.Bombs && !r.BombsSpent:
		return fmt.Errorf("bomber %d has %d bombs to lay and %d on the map, want %d together", id, has, lie, r.Bombs)
	}
	return nil
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }
