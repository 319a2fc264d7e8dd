package suitebot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pommego/env"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format suitebot-trace/1, with the
// keys of record.Head, record.Inputs and record.Outcome. rules is a [Rules] object;
// states are [Snapshot]s; actions has the number of one [Action] for each seat; obs has
// one [Observation] for each seat.

// recording says what is special in recorded games of SuiteBot.
var recording = record.Form[*Match, Snapshot, Observation]{
	Name: "suitebot-trace/1", Keys: []string{"rules"}, TrueFalse: true,
	Match:    matchOf,
	SetRules: func(h *record.Head, m *Match, _ string) { h.Rules = saved.JSON(m.game.rules) },
	Act: func(m *Match, in *record.Inputs) ([]uint8, error) {
		return in.Moves(m.game.Spec().Seats, int(numActions), false, func(int) bool { return false })
	},
	Acted: func(_ *Match, actions []uint8) record.Inputs { return record.Inputs{Actions: saved.Ints(actions)} },
	Shape: func(m *Match) *saved.Shape { return &m.game.form.Shape },
	Show: func(m *Match) *Snapshot {
		t := m.game.form.Snapshot(&m.State)
		t.Gains, t.RNG = nil, saved.RNG{}
		return t
	},
	Start: func(m *Match, t *Snapshot, _ string) (err error) {
		t.Gains = make([]int, m.game.rules.Players)
		m.State, err = m.game.form.Read(t)
		t.Gains = nil
		return err
	},
	Observe: func(m *Match, seat int) *Observation {
		var v View
		m.View(seat, &v)
		return m.game.observation(&v)
	},
}

// Recorded is the format of recorded games.
var Recorded = recording.Format()

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return recording.Record(m, info) }

func matchOf(h *record.Head) (*Match, string, error) {
	var rules Rules
	if err := saved.DecodeJSON(h.Rules, &rules); err != nil {
		return nil, "", fmt.Errorf("rules: %w", err)
	}
	g, err := newGame(rules)
	if err != nil {
		return nil, "", err
	}
	return &Match{game: g}, h.Variant, nil
}

// Observation is what a seat sees.
type Observation struct {
	Seat       int       `json:"seat"`
	StepCount  int       `json:"step_count"`
	Position   []int     `json:"position"`    // x, y
	Scores     []int     `json:"scores"`      // one per seat
	Field      saved.Map `json:"field"`       // sightLetters
	Agent      saved.Map `json:"agent"`       // . for nobody, else the seat
	Home       saved.Map `json:"home"`        // . for nobody, else the seat
	BombRounds saved.Map `json:"bomb_rounds"` // . for no bomb, else the rounds left
	BombOwner  saved.Map `json:"bomb_owner"`  // . for nobody, else the seat
}

func (g *Game) observation(v *View) *Observation {
	const seats = ".01234567" // nobody, and the seats
	s, n := &v.State, g.rules.Players
	x, y := g.XY(s.Agents[v.Seat])
	o := &Observation{Seat: v.Seat, StepCount: int(s.StepCount), Position: []int{x, y}, Scores: saved.Ints(s.Scores[:n])}
	o.Field.Draw(g.cells, sightLetters, func(i int) int { return strings.IndexByte(sightLetters, v.letter(Cell(i))) })
	o.Agent.Draw(g.cells, seats, func(i int) int { return slices.Index(s.Agents[:n], Cell(i)) + 1 })
	o.Home.Draw(g.cells, seats, func(i int) int { return slices.Index(s.Homes[:n], Cell(i)) + 1 })
	o.BombRounds.Draw(g.cells, ".123456789", func(i int) int { return s.bombAt(Cell(i)).Rounds })
	o.BombOwner.Draw(g.cells, seats, func(i int) int { return s.bombAt(Cell(i)).Owner + 1 })
	return o
}

// bombAt returns the bomb on a field; if there is none, one with 0 rounds and owner -1.
func (s *State) bombAt(c Cell) Bomb {
	for k := range s.fuses {
		if owner := slices.Index(s.fuses[k][:], fuseAt(c)); owner >= 0 {
			return Bomb{c, k + 1, owner}
		}
	}
	return Bomb{c, 0, -1}
}

// dictionary is what a program gets for its seat each round, as a JSON object.
// Fields[y][x] is the field at column x and row y.
type dictionary struct {
	Seat   int         `json:"seat"`
	Round  int         `json:"round"` // rounds played
	Width  int         `json:"width"` // width, height and rounds of the game
	Height int         `json:"height"`
	Rounds int         `json:"rounds"`
	Agents []dictAgent `json:"agents"` // the agents, by seat
	Bombs  []dictBomb  `json:"bombs"`  // the bombs that it sees
	Fields []string    `json:"fields"` // rows of characters: . holds its points, x does not, ? is not seen
}

type dictAgent struct {
	X     *int   `json:"x"` // x and y are null where it is not seen
	Y     *int   `json:"y"`
	Home  [2]int `json:"home"` // [x, y]
	Score int    `json:"score"`
}

type dictBomb struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Rounds int `json:"rounds"` // rounds until it goes off
	Owner  int `json:"owner"`
}

// AppendObservation appends the observation of seat: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := new(View)
	m.(*Match).View(seat, v)
	r, s := v.Game.Rules(), &v.State
	d := dictionary{
		Seat: seat, Round: int(s.StepCount), Width: r.Width, Height: r.Height, Rounds: r.Rounds,
		Bombs: []dictBomb{},
	}
	for other := range r.Players {
		a := dictAgent{Score: int(s.Scores[other])}
		a.Home[0], a.Home[1] = v.Game.XY(s.Homes[other])
		if at := s.Agents[other]; at != NoCell {
			x, y := v.Game.XY(at)
			a.X, a.Y = &x, &y
		}
		d.Agents = append(d.Agents, a)
	}
	for b := range s.Bombs {
		x, y := v.Game.XY(b.Cell)
		d.Bombs = append(d.Bombs, dictBomb{x, y, b.Rounds, b.Owner})
	}
	for y := range r.Height {
		row := make([]byte, r.Width)
		for x := range row {
			row[x] = v.letter(v.Game.At(x, y))
		}
		d.Fields = append(d.Fields, string(row))
	}
	return append(dst, saved.JSON(d)...)
}

// ActionSpace is the number of actions.
func (g *Game) ActionSpace() string { return strconv.Itoa(int(numActions)) }

// GameType is the name of the game.
func (g *Game) GameType() string { return `"suitebot"` }

// letter returns what a field shows in rows of text, one of sightLetters.
func (v *View) letter(c Cell) byte {
	switch {
	case !v.Sight.Has(c):
		return '?'
	case v.State.Spent.Has(c):
		return 'x'
	}
	return '.'
}
