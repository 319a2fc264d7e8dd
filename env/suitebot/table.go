package suitebot

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// The versions of the bytes that Append writes, and of the readable form.
const (
	stateFormat    = 1
	readableFormat = 2
)

// The letters for a field in rows of text.
const (
	fieldLetters = ".x*" // the field holds its points; they are gone; bombs reached it in the last round
	fieldReached = 2     // the index of the last of these letters
	sightLetters = ".x?" // in observations: the field holds its points; they are gone; it is not seen
)

// Snapshot is the readable form of a state, which recorded games show. Fields are [x, y],
// maps have a character for each field, row by row.
type Snapshot struct {
	StepCount int        `json:"step_count"`
	Fields    saved.Map  `json:"fields"`          // fieldLetters
	Homes     saved.Rows `json:"homes,omitempty"` // recorded games have them in the initial state alone
	Agents    saved.Rows `json:"agents"`          // by agent: x, y, score, collected, kills, deaths
	Bombs     saved.Rows `json:"bombs"`           // by bomb: x, y, rounds left, owner; sorted by the last two
	// Not in recorded games.
	Gains []int     `json:"gains,omitempty"` // points of the last round
	RNG   saved.RNG `json:"dice,omitzero"`
}

// OnlyFirst removes what recorded games show in the initial state alone.
func (t *Snapshot) OnlyFirst() { t.Homes = nil }

// newForm returns the form of the game's states: what saved states and recorded games
// hold, and in which ranges.
func (g *Game) newForm() *saved.Form[State, Snapshot] {
	r := &g.rules
	x, y := saved.Col("x", 0, r.Width-1), saved.Col("y", 0, r.Height-1)
	most, least := r.mostPoints()
	most1, least1 := r.otherPoints()
	return &saved.Form[State, Snapshot]{
		Header:   saved.Header{Game: "suitebot", Format: stateFormat, Rules: ruleset.Fingerprint("suitebot", Version, r)},
		Readable: readableFormat,
		Shape: saved.Shape{Cell: func(i int) (int, int) { return g.XY(Cell(i)) }, Columns: map[string][]saved.Column{
			"step_count": {saved.Col("", 0, r.Rounds)},
			"homes":      {x, y},
			"agents": {
				x, y, saved.Col("score", least, most), saved.Col("collected", 0, g.cells),
				saved.Col("kills", 0, min(r.Rounds*(r.Players-1), 1<<16-1)), saved.Col("deaths", 0, r.Rounds),
			},
			"bombs": {x, y, saved.Col("rounds", 1, r.BombDelay), saved.Col("owner", 0, r.Players-1)},
			"gains": {saved.Col("", least1, g.cells*r.FieldPoints+(r.Players-1)*r.KillPoints+most1)},
		}},
		Code: g.code, Show: g.show, Take: g.take, Invariants: g.invariants,
	}
}

func (g *Game) show(s *State, t *Snapshot) {
	t.StepCount, t.RNG = int(s.StepCount), saved.RNG(s.RNG)
	t.Fields = append(t.Fields[:0], bytes.Repeat([]byte{fieldLetters[fieldFull]}, g.cells)...)
	for c := range s.Spent.All {
		if int(c) < g.cells {
			t.Fields[c] = fieldLetters[fieldSpent]
		}
	}
	for c := range s.Blast.All {
		if int(c) < g.cells {
			t.Fields[c] = fieldLetters[fieldReached]
		}
	}
	t.Homes, t.Agents, t.Bombs, t.Gains = t.Homes[:0], t.Agents[:0], t.Bombs[:0], t.Gains[:0]
	for seat := range g.rules.Players {
		x, y := g.XY(s.Homes[seat])
		t.Homes.Add(x, y)
		x, y = g.XY(s.Agents[seat])
		t.Agents.Add(x, y, int(s.Scores[seat]), int(s.Collected[seat]), int(s.Kills[seat]), int(s.Deaths[seat]))
		t.Gains = append(t.Gains, int(s.Gains[seat]))
	}
	for b := range s.Bombs {
		x, y := g.XY(b.Cell)
		t.Bombs.Add(x, y, b.Rounds, b.Owner)
	}
}

func (g *Game) take(t *Snapshot) State {
	s := State{StepCount: uint16(t.StepCount), RNG: env.RNG(t.RNG)}
	for i, letter := range t.Fields[:min(len(t.Fields), g.cells)] {
		switch letter {
		case fieldLetters[fieldReached]:
			s.Blast.Add(Cell(i))
			s.Spent.Add(Cell(i))
		case fieldLetters[fieldSpent]:
			s.Spent.Add(Cell(i))
		}
	}
	for seat, v := range t.Homes[:min(len(t.Homes), g.rules.Players)] {
		s.Homes[seat] = g.At(v[0], v[1])
	}
	for seat, v := range t.Agents[:min(len(t.Agents), g.rules.Players)] {
		s.Agents[seat], s.Scores[seat] = g.At(v[0], v[1]), int32(v[2])
		s.Collected[seat], s.Kills[seat], s.Deaths[seat] = uint16(v[3]), uint16(v[4]), uint16(v[5])
	}
	for _, v := range t.Bombs {
		s.Place(Bomb{g.At(v[0], v[1]), v[2], v[3]})
	}
	saved.SetInts(s.Gains[:g.rules.Players], t.Gains)
	return s
}

// code writes or reads the parts of a state in the order of its bytes: the fields of
// State in order, for as many seats and fields as the plan has.
func (g *Game) code(s *State, c *saved.Codec) {
	saved.List(c, s.Spent[:g.words])
	saved.List(c, s.Blast[:g.words])
	for k := range s.fuses[:g.rules.BombDelay] {
		saved.List(c, s.fuses[k][:g.rules.Players])
	}
	for seat := range g.rules.Players {
		saved.Numbers(c, &s.Agents[seat], &s.Homes[seat])
		saved.Numbers(c, &s.Scores[seat], &s.Gains[seat])
		saved.Numbers(c, &s.Collected[seat], &s.Kills[seat], &s.Deaths[seat])
	}
	saved.Numbers(c, &s.StepCount)
	saved.Numbers(c, &s.RNG.State)
}

func (m *Match) Append(dst []byte) []byte              { return m.game.form.Append(dst, &m.State) }
func (m *Match) Restore(state []byte) error            { return m.game.form.Restore(state, &m.State) }
func (m *Match) AppendJSON(dst []byte) ([]byte, error) { return m.game.form.AppendJSON(dst, &m.State) }

func (m *Match) RestoreJSON(state json.RawMessage) error {
	return m.game.form.RestoreJSON(state, &m.State)
}

// invariants returns an error if values of a state, each in its range, contradict each
// other; else nil.
func (g *Game) invariants(s *State) error {
	for i := range g.rules.Players {
		if err := g.checkPlaces(s, i); err != nil {
			return err
		}
		if err := g.checkScore(s, i); err != nil {
			return err
		}
	}
	if s.Contested() < 0 {
		return fmt.Errorf("%d fields are spent, but %d more than that were collected", s.Spent.Len(), -s.Contested())
	}
	var seen Cells
	for b := range s.Bombs {
		switch {
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s, want at most one on a field", g.where(b.Cell))
		case s.Blast.Has(b.Cell):
			return fmt.Errorf("the bomb at %s was reached in the last round, but has not gone off", g.where(b.Cell))
		}
		seen.Add(b.Cell)
	}
	return nil
}

// checkPlaces returns an error if agent i or its home base is where it cannot be beside the agents before it, else
// nil.
func (g *Game) checkPlaces(s *State, i int) error {
	at, home := s.Agents[i], s.Homes[i]
	for k := range i {
		switch {
		case s.Agents[k] == at:
			return fmt.Errorf("agents %d and %d are both at %s, want them on different fields", k, i, g.where(at))
		case s.Homes[k] == home:
			return fmt.Errorf("agents %d and %d both have their home base at %s, want different fields", k, i, g.where(home))
		case s.Agents[k] == home, s.Homes[k] == at:
			return fmt.Errorf("one of agents %d and %d is at the other's home base, want no agent at an enemy's", k, i)
		}
	}
	return nil
}

// checkScore returns an error if the points of agent i do not fit what it did and the
// rounds played, else nil.
func (g *Game) checkScore(s *State, i int) error {
	r, rounds, others := &g.rules, int(s.StepCount), g.rules.Players-1
	if kills, deaths := int(s.Kills[i]), int(s.Deaths[i]); kills > rounds*others || deaths > rounds {
		return fmt.Errorf("agent %d has killed %d and died %d times, more than %d rounds allow", i, kills, deaths, rounds)
	}
	score := int(s.Scores[i])
	earned := int(s.Collected[i])*r.FieldPoints + int(s.Kills[i])*r.KillPoints
	most, least := r.otherPoints()
	if score < earned+rounds*least || score > earned+rounds*most {
		return fmt.Errorf("agent %d has %d points, want %d to %d after %d rounds with %d fields and %d kills", i, score,
			earned+rounds*least, earned+rounds*most, rounds, s.Collected[i], s.Kills[i])
	}
	return nil
}

// where returns a field as errors name it.
func (g *Game) where(c Cell) string {
	x, y := g.XY(c)
	return fmt.Sprintf("[%d,%d]", x, y)
}
