package suitebot

import (
	"encoding/json"
	"strconv"

	"pommego/env"
)

// dictionary is what a program is sent for its seat each round, as a JSON object.
// Fields[y][x] is the field at column x and row y.
type dictionary struct {
	Seat   int         `json:"seat"`
	Round  int         `json:"round"` // rounds played
	Width  int         `json:"width"` // width, height and rounds of the game
	Height int         `json:"height"`
	Rounds int         `json:"rounds"`
	Agents []dictAgent `json:"agents"` // by seat
	Bombs  []dictBomb  `json:"bombs"`  // those it sees
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
	Rounds int `json:"rounds"` // until it goes off
	Owner  int `json:"owner"`
}

// AppendObservation appends the observation of seat: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := g.Lend()
	defer g.GiveBack(v)
	m.(*Match).View(seat, v)
	r, s := v.Plan.Rules(), &v.State
	d := dictionary{
		Seat: seat, Round: int(s.StepCount), Width: r.Width, Height: r.Height, Rounds: r.Rounds,
		Bombs: []dictBomb{},
	}
	for other := range r.Players {
		a := dictAgent{Score: int(s.Scores[other])}
		a.Home[0], a.Home[1] = v.Plan.XY(s.Homes[other])
		if at := s.Agents[other]; at != NoCell {
			x, y := v.Plan.XY(at)
			a.X, a.Y = &x, &y
		}
		d.Agents = append(d.Agents, a)
	}
	for b := range s.Bombs {
		x, y := v.Plan.XY(b.Cell)
		d.Bombs = append(d.Bombs, dictBomb{x, y, b.Rounds, b.Owner})
	}
	for y := range r.Height {
		row := make([]byte, r.Width)
		for x := range row {
			row[x] = v.letter(v.Plan.At(x, y))
		}
		d.Fields = append(d.Fields, string(row))
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return append(dst, text...)
}

// ActionSpace is the number of actions.
func (g *Game) ActionSpace() string { return strconv.Itoa(int(numActions)) }

// GameType is the name of the game.
func (g *Game) GameType() string { return `"suitebot"` }

// letter is what a field shows in rows of text, one of sightLetters.
func (v *View) letter(c Cell) byte {
	switch {
	case !v.Sight.Has(c):
		return '?'
	case v.State.Spent.Has(c):
		return 'x'
	}
	return '.'
}
