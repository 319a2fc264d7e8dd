package suitebot

import (
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env/saved"
)

// jsonState is the readable form of a state.
type jsonState struct {
	Format int         `json:"format"`
	Rules  string      `json:"rules"` // fingerprint, in hexadecimal
	Round  uint16      `json:"round"` // rounds played
	Fields []string    `json:"fields"`
	Agents []jsonAgent `json:"agents"`
	Bombs  []jsonBomb  `json:"bombs"`
	RNG    string      `json:"dice"` // state of the game's RNG, in hexadecimal
}

// What stands for a field in rows of text.
const (
	textFull    = '.' // it still holds its points
	textSpent   = 'x' // they are gone
	textBlasted = '*' // they are gone, and bombs reached it in the last round
	textUnseen  = '?' // for observations
)

type jsonAgent struct {
	X         int    `json:"x"`
	Y         int    `json:"y"`
	Home      [2]int `json:"home"`
	Score     int32  `json:"score"`
	Gain      int32  `json:"gain"` // in the last round
	Collected uint16 `json:"collected"`
	Kills     uint16 `json:"kills"`
	Deaths    uint16 `json:"deaths"`
}

type jsonBomb struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Rounds int `json:"rounds"` // until it goes off
	Owner  int `json:"owner"`
}

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	p, s := m.game.plan, &m.State
	out := jsonState{
		Format: stateFormat, Rules: saved.Hex(m.game.fingerprint), Round: s.StepCount,
		Fields: p.rows(s), Bombs: []jsonBomb{}, RNG: saved.Hex(s.RNG.State),
	}
	for seat := range p.rules.Players {
		x, y := p.XY(s.Agents[seat])
		a := jsonAgent{X: x, Y: y, Score: s.Scores[seat], Gain: s.Gains[seat], Collected: s.Collected[seat], Kills: s.Kills[seat], Deaths: s.Deaths[seat]}
		a.Home[0], a.Home[1] = p.XY(s.Homes[seat])
		out.Agents = append(out.Agents, a)
	}
	for b := range s.Bombs {
		x, y := p.XY(b.Cell)
		out.Bombs = append(out.Bombs, jsonBomb{x, y, b.Rounds, b.Owner})
	}
	body, err := json.Marshal(out)
	return append(dst, body...), err
}

// rows is the fields as lines of text.
func (p *Plan) rows(s *State) []string {
	rows := make([]string, p.rules.Height)
	for y := range rows {
		line := make([]byte, p.rules.Width)
		for x := range line {
			switch c := p.At(x, y); {
			case s.Blast.Has(c):
				line[x] = textBlasted
			case s.Spent.Has(c):
				line[x] = textSpent
			default:
				line[x] = textFull
			}
		}
		rows[y] = string(line)
	}
	return rows
}

// RestoreJSON sets the state from what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	var in jsonState
	if err := saved.DecodeJSON(state, &in); err != nil {
		return fmt.Errorf("suitebot: state is not a JSON object of the expected form: %w", err)
	}
	if err := m.game.header().Check(in.Format, in.Rules); err != nil {
		return err
	}
	s, err := m.game.plan.readJSON(&in)
	if err == nil {
		err = m.game.plan.Check(&s)
	}
	if err != nil {
		return err
	}
	m.State = s
	return nil
}

func (p *Plan) readJSON(in *jsonState) (s State, err error) {
	if s.RNG, err = saved.ParseRNG(in.RNG); err != nil {
		return s, fmt.Errorf("suitebot: state: %w", err)
	}
	s.StepCount = in.Round
	if err := p.readRows(in.Fields, &s); err != nil {
		return s, fmt.Errorf("suitebot: state: %w", err)
	}
	if len(in.Agents) != p.rules.Players {
		return s, fmt.Errorf("suitebot: state has %d agents, want %d", len(in.Agents), p.rules.Players)
	}
	for i, a := range in.Agents {
		var err, homeErr error
		s.Agents[i], err = p.cellAt(a.X, a.Y)
		s.Homes[i], homeErr = p.cellAt(a.Home[0], a.Home[1])
		if err := errors.Join(err, homeErr); err != nil {
			return s, fmt.Errorf("suitebot: state: agent %d or its home base: %w", i, err)
		}
		s.Scores[i], s.Gains[i] = a.Score, a.Gain
		s.Collected[i], s.Kills[i], s.Deaths[i] = a.Collected, a.Kills, a.Deaths
	}
	for i, b := range in.Bombs {
		if err := p.addBomb(&s, b.X, b.Y, b.Rounds, b.Owner); err != nil {
			return s, fmt.Errorf("suitebot: state: bomb %d: %w", i, err)
		}
	}
	return s, nil
}

// readRows reads lines of text.
func (p *Plan) readRows(rows []string, s *State) error {
	if len(rows) != p.rules.Height {
		return fmt.Errorf("there are %d rows of fields, want %d", len(rows), p.rules.Height)
	}
	for y, row := range rows {
		if len(row) != p.rules.Width {
			return fmt.Errorf("row %d has %d fields, want %d", y, len(row), p.rules.Width)
		}
		for x := range len(row) {
			switch c := p.At(x, y); row[x] {
			case textFull:
			case textBlasted:
				s.Blast.Add(c)
				s.Spent.Add(c)
			case textSpent:
				s.Spent.Add(c)
			default:
				return fmt.Errorf("field [%d,%d] is %q, want %q, %q or %q", x, y, row[x], textFull, textSpent, textBlasted)
			}
		}
	}
	return nil
}

// cellAt is a field given by numbers from outside.
func (p *Plan) cellAt(x, y int) (Cell, error) {
	if x < 0 || y < 0 || x >= p.rules.Width || y >= p.rules.Height {
		return 0, fmt.Errorf("[%d,%d] is no field of a plan of %d by %d", x, y, p.rules.Width, p.rules.Height)
	}
	return p.At(x, y), nil
}

// addBomb adds a bomb given by numbers from outside.
func (p *Plan) addBomb(s *State, x, y, rounds, owner int) error {
	c, err := p.cellAt(x, y)
	switch {
	case err != nil:
		return err
	case rounds < 1 || rounds > p.rules.BombDelay || owner < 0 || owner >= p.rules.Players:
		return fmt.Errorf("it goes off in %d rounds and belongs to agent %d, want 1 to %d and 0 to %d", rounds, owner, p.rules.BombDelay, p.rules.Players-1)
	case s.fuses[rounds-1][owner] != 0:
		return fmt.Errorf("agent %d has another one that goes off in %d rounds, but nobody plants twice a round", owner, rounds)
	}
	s.Place(Bomb{c, rounds, owner})
	return nil
}
