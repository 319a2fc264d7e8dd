package suitebot

import (
	"pommego/env"
	"pommego/env/saved"
)

// stateFormat is the version of the bytes Append writes.
const stateFormat = 1

// The letters for a field in rows of text.
const (
	fieldLetters = ".x*" // it still holds its points; they are gone; and bombs reached it in the last round
	fieldReached = 2     // the place of the last of these letters
	sightLetters = ".x?" // in observations: it holds them; they are gone; it is not seen
)

// form is the table of the game's state: what saved states and recorded games
// hold, and in which ranges.
func (p *Plan) form() saved.Form[State] {
	r := &p.rules
	x, y := saved.Col("x", 0, r.Width-1), saved.Col("y", 0, r.Height-1)
	most, least := r.mostPoints()
	most1, least1 := r.otherPoints()
	homes := saved.Fixed("homes", r.Players, x, y)
	homes.Once = true
	gains := saved.Fixed("gains", r.Players, saved.Col("points", least1, p.cells*r.FieldPoints+(r.Players-1)*r.KillPoints+most1))
	gains.Hidden = true
	agents := saved.Fixed("agents", r.Players, x, y, saved.Col("score", least, most), saved.Col("collected", 0, p.cells),
		saved.Col("kills", 0, min(r.Rounds*(r.Players-1), 1<<16-1)), saved.Col("deaths", 0, r.Rounds))
	bombs := saved.UpTo("bombs", r.Players*r.BombDelay, x, y, saved.Col("rounds", 1, r.BombDelay), saved.Col("owner", 0, r.Players-1))
	fields := saved.Board("fields", r.Width, r.Height, fieldLetters)
	fields.Transposed = true
	ground := saved.MapField(fields, (*State).field, (*State).setField)
	ground.Copy = p.copyGround
	return saved.Form[State]{
		Header: saved.Header{Game: "suitebot", Format: stateFormat, Rules: r.Fingerprint()},
		Table: saved.Table[State]{
			saved.NumberField("step_count", 0, r.Rounds, func(s *State) *uint16 { return &s.StepCount }),
			ground,
			saved.RowsField(homes, p.homeRows, p.setHome),
			saved.RowsField(agents, p.agentRows, p.setAgent),
			saved.RowsField(bombs, p.bombRows, p.setBomb),
			saved.RowsField(gains, p.gainRows, func(s *State, seat int, v []int) error { s.Gains[seat] = int32(v[0]); return nil }),
			saved.RNGField("dice", func(s *State) *env.RNG { return &s.RNG }),
		},
		Invariants: p.invariants,
	}
}

// xy is a field's column and row, of a number from outside too.
func (p *Plan) xy(c Cell) (x, y int) { return int(c) % p.rules.Width, int(c) / p.rules.Width }

func (s *State) field(i int) int {
	switch c := Cell(i); {
	case s.Blast.Has(c):
		return fieldReached
	case s.Spent.Has(c):
		return int(fieldSpent)
	}
	return int(fieldFull)
}

func (s *State) setField(i, v int) error {
	if v == fieldReached {
		s.Blast.Add(Cell(i))
	}
	if v != int(fieldFull) {
		s.Spent.Add(Cell(i))
	}
	return nil
}

// copyGround does for all fields at once what field and setField do for each.
func (p *Plan) copyGround(from, to *State) error {
	all := p.everything()
	to.Blast, to.Spent = from.Blast.And(&all), from.Spent.And(&all)
	for w, reached := range to.Blast {
		to.Spent[w] |= reached
	}
	return nil
}

func (p *Plan) homeRows(s *State, rows *saved.Listing) {
	for _, home := range s.Homes[:p.rules.Players] {
		x, y := p.xy(home)
		rows.Add(x, y)
	}
}

func (p *Plan) setHome(s *State, seat int, v []int) error {
	s.Homes[seat] = p.At(v[0], v[1])
	return nil
}

func (p *Plan) agentRows(s *State, rows *saved.Listing) {
	for seat, at := range s.Agents[:p.rules.Players] {
		x, y := p.xy(at)
		rows.Add(x, y, int(s.Scores[seat]), int(s.Collected[seat]), int(s.Kills[seat]), int(s.Deaths[seat]))
	}
}

func (p *Plan) setAgent(s *State, seat int, v []int) error {
	s.Agents[seat], s.Scores[seat] = p.At(v[0], v[1]), int32(v[2])
	s.Collected[seat], s.Kills[seat], s.Deaths[seat] = uint16(v[3]), uint16(v[4]), uint16(v[5])
	return nil
}

func (p *Plan) bombRows(s *State, rows *saved.Listing) {
	for b := range s.Bombs {
		x, y := p.xy(b.Cell)
		rows.Add(x, y, b.Rounds, b.Owner)
	}
}

func (p *Plan) setBomb(s *State, _ int, v []int) error {
	if s.fuses[v[2]-1][v[3]] != 0 {
		return errTwice
	}
	s.Place(Bomb{p.At(v[0], v[1]), v[2], v[3]})
	return nil
}

func (p *Plan) gainRows(s *State, rows *saved.Listing) {
	for _, gain := range s.Gains[:p.rules.Players] {
		rows.Add(int(gain))
	}
}
