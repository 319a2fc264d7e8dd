package pommerman

import (
	"errors"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// digits are the base-36 digits that stand for numbers in recorded maps.
const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// digitMap is an entry of a map with a digit for each cell.
func (r *Rules) digitMap(name string) saved.Entry {
	return saved.Board(name, r.BoardSize, r.BoardSize, digits)
}

// cell is the cell at a place of such a map.
func (r *Rules) cell(i int) grid.Cell { return grid.At(i/r.BoardSize, i%r.BoardSize) }

// Form is the table of the game's state: what saved states and recorded games
// hold, and in which ranges. Cells are [row, column], booleans 0 or 1.
func (r *Rules) Form() saved.Form[State] {
	n, seats, last := r.BoardSize, r.Seats(), Kick
	if r.Skulls {
		last = Skull
	}
	row, col, blast := saved.Col("row", 0, n-1), saved.Col("col", 0, n-1), saved.Col("blast_strength", r.leastBlast(), 255)
	agents := saved.Fixed("agents", seats, row, col, saved.Col("alive", 0, 1), saved.Col("ammo", 0, 255), blast, saved.Col("can_kick", 0, 1))
	bombs := saved.UpTo("bombs", MaxBombs, row, col, saved.Col("life", 1, 255), blast, saved.Col("bomber", 0, seats-1), saved.Col("direction", 0, int(grid.Right)))
	flames := saved.UpTo("flames", n*n*r.FlameLife, row, col, saved.Col("life", 0, r.FlameLife-1))
	items := saved.UpTo("items", n*n, row, col, saved.Col("item", int(ExtraBomb), int(last)))
	cells := grid.Cells(n)
	form := saved.Form[State]{
		Header: saved.Header{Game: "pommerman", Format: stateFormat, Rules: r.Fingerprint()},
		Blank:  State{training: int8(r.TrainingAgent + 1)},
		Table: saved.Table[State]{
			countField(r.lastStep()),
			saved.MapField(r.digitMap("board"), func(s *State, i int) int { return int(s.Board[cells[i]]) },
				func(s *State, i, v int) error { s.Board[cells[i]] = Item(v); return nil }),
			saved.RowsField(agents, r.agentRows, setAgent),
			saved.RowsField(bombs, bombRows, setBomb),
			saved.RowsField(flames, flameRows, setFlame),
			saved.RowsField(items, itemRows, setItem),
		},
		Invariants: r.invariants,
	}
	for i := range form.Blank.Board {
		form.Blank.Board[i] = Rigid
	}
	if r.RadioWords > 0 {
		form.Table = append(form.Table, r.radioField())
	}
	if r.Traits().results {
		form.Table = append(form.Table, resultsField)
	}
	form.Table = append(form.Table,
		lessOne("ring_due", r.ringsDue(), func(s *State) *int8 { return &s.due }),
		lessOne("training_agent", seats, func(s *State) *int8 { return &s.training }),
		saved.RNGField("dice", func(s *State) *env.RNG { return &s.RNG }))
	return form
}

// ringsDue is how many rings can be due.
func (r *Rules) ringsDue() int {
	if !r.Traits().ringsWait {
		return 0
	}
	return len(r.Collapses())
}

// leastBlast is the least blast strength of a state. In 2018 none fell below 2, and
// a bomb of strength 1 that rolled into flames would have stayed on the board.
func (r *Rules) leastBlast() int { return min(r.StartBlast, r.Traits().leastBlast) }

// countField is the step count, the first entry of the table.
func countField(most int) saved.Field[State] {
	return saved.NumberField("step_count", 0, most, func(s *State) *uint16 { return &s.StepCount })
}

func (r *Rules) agentRows(s *State, rows *saved.Listing) {
	for _, a := range s.Agents[:r.Seats()] {
		rows.Add(a.Cell.Row(), a.Cell.Col(), int(toByte(a.Alive)), int(a.Ammo), int(a.Blast), int(toByte(a.Kicks)))
	}
}

func setAgent(s *State, i int, v []int) error {
	s.Agents[i] = Agent{grid.At(v[0], v[1]), uint8(v[3]), uint8(v[4]), v[2] != 0, v[5] != 0}
	return nil
}

func bombRows(s *State, rows *saved.Listing) {
	for i := range s.bombs() {
		b := &s.Bombs[i]
		rows.Add(b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), b.Owner(), int(b.Moving()))
	}
}

func setBomb(s *State, _ int, v []int) error {
	s.addBomb(NewBomb(grid.At(v[0], v[1]), uint8(v[2]), uint8(v[3]), v[4], grid.Dir(v[5])))
	return nil
}

func flameRows(s *State, rows *saved.Listing) {
	for life := range s.flames {
		for c := range s.flames[life].All {
			rows.Add(c.Row(), c.Col(), life)
		}
	}
}

// setFlame requires flames in the order that every game has, oldest first and row by
// row among those of one step: a state holds no other.
func setFlame(s *State, _ int, v []int) error {
	at, latest := grid.At(v[0], v[1]), -1
	for c := range s.flames[v[2]].All {
		latest = int(c)
	}
	for _, later := range s.flames[v[2]+1:] {
		if !later.Empty() {
			latest = 256
		}
	}
	if int(at) <= latest {
		return errors.New("is out of order: flames must be listed by life, then row by row, and a cell once a life")
	}
	s.flames[v[2]].Add(at)
	return nil
}

func itemRows(s *State, rows *saved.Listing) {
	for c := range s.hidden[0].Or(s.hidden[1]).Or(s.hidden[2]).All {
		rows.Add(c.Row(), c.Col(), int(s.Hidden(c)))
	}
}

func setItem(s *State, _ int, v []int) error {
	at := grid.At(v[0], v[1])
	if s.Hidden(at) != Passage {
		return fmt.Errorf("is the second item at %s", where(at))
	}
	s.Hide(at, Item(v[2]))
	return nil
}

// radioField is the words that each agent sent in the last step.
func (r *Rules) radioField() saved.Field[State] {
	radio := saved.Fixed("radio", r.Seats())
	for w := range r.RadioWords {
		radio.Columns = append(radio.Columns, saved.Col(fmt.Sprintf("word%d", w), 0, 255))
	}
	return saved.RowsField(radio, func(s *State, rows *saved.Listing) {
		for seat := range r.Seats() {
			rows.Add(saved.Ints(s.Radio[seat][:r.RadioWords])...)
		}
	}, func(s *State, seat int, v []int) error {
		for w, word := range v {
			s.Radio[seat][w] = uint8(word)
		}
		return nil
	})
}

// resultsField is the results of the agents, once the game is over.
var resultsField = saved.Field[State]{
	Entry: saved.Entry{Name: "results", Shape: saved.Row, Optional: true, Least: MaxAgents, Most: MaxAgents, Columns: []saved.Column{saved.Col("", int(env.Win), int(env.Incomplete))}},
	Value: func(s *State) any {
		if s.results == 0 {
			return nil
		}
		return s.resultRow()
	},
	Set: func(s *State, v any) error { return s.setResults(v.([]int)) },
}

// resultRow is the results in the reference's numbers.
func (s *State) resultRow() (row []int) {
	for i := range MaxAgents {
		row = append(row, int(s.result(i)))
	}
	return row
}

// setResults sets results that agree with who lives.
func (s *State) setResults(row []int) error {
	codes := map[env.Result]results{env.Win: resultWin, env.Tie: resultTie}
	for i, v := range row {
		s.results.set(1<<i, codes[env.Result(v)])
		if got := s.result(i); got != env.Result(v) {
			return fmt.Errorf("results[%d] is %d, want %d of an agent that lives, and that of no other", i, v, env.Incomplete)
		}
	}
	return nil
}

// lessOne is a number that a state holds plus one, from -1 for none. Recorded
// games do not show it.
func lessOne(name string, n int, at func(s *State) *int8) saved.Field[State] {
	return saved.Field[State]{
		Entry: saved.Entry{Name: name, Columns: []saved.Column{saved.Col(name, -1, n-1)}, Hidden: true},
		Value: func(s *State) any { return int(*at(s)) - 1 },
		Set:   func(s *State, v any) error { *at(s) = int8(v.(int) + 1); return nil },
	}
}
