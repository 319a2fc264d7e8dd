// Package dialogue holds the views that a language model reads in its seat and its
// answers, and files of both. Before each tick [Seat.Act] is called. When it is done,
// the model reads [Seat.View], [Seat.Take] takes its answer, and Act is called again.
package dialogue

import (
	"pommego/arena/orders"
	"pommego/arena/scene"
	"pommego/arena/words"
	"pommego/env"
)

// Details are how much a view can tell. An image comes beside the full text: Seat.Picture.
var Details = []string{"full", "short", "json", "image"}

// Usage is how a seat's answers were read, and what they cost.
type Usage struct {
	orders.Counts
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Cost      float64 `json:"cost"` // in the unit of the prices that were given
}

// Add adds what other answers were.
func (u *Usage) Add(v Usage) {
	u.Legal, u.Repaired, u.Illegal, u.Late = u.Legal+v.Legal, u.Repaired+v.Repaired, u.Illegal+v.Illegal, u.Late+v.Late
	u.TokensIn, u.TokensOut, u.Cost = u.TokensIn+v.TokensIn, u.TokensOut+v.TokensOut, u.Cost+v.Cost
}

// Game is what the seats of models in a game share.
type Game struct {
	Head  scene.Head
	Told  *words.Game
	spec  *env.Spec
	match env.Match
}

// New makes a Game of a match.
func New(spec *env.Spec, m env.Match) (g *Game, err error) {
	g = &Game{Head: scene.HeadOf(spec, m), spec: spec, match: m}
	g.Told, err = words.New(spec, &g.Head)
	return g, err
}

// Seat is the seat of a model in a game.
type Seat struct {
	Number  int
	Detail  string
	Counts  orders.Counts
	Reading string // of the last answer
	Holds   bool   // the answer has not been played out
	Moves   bool   // it answers with moves alone: orders are illegal

	game  *Game
	frame int // ticks that an answer holds for at most; 0: any
	left  int // of them
	ctl   *orders.Controller
}

// Seat gives a model a seat. An answer holds for frame ticks at most; 0 is any number.
func (g *Game) Seat(number int, detail string, frame int) *Seat {
	return &Seat{Number: number, Detail: detail, game: g, frame: frame, ctl: orders.NewController(g.match)}
}

// Take takes an answer, and says how it was read.
func (s *Seat) Take(text string) orders.Reading {
	o, reading := orders.Parse(text, &s.game.Head)
	if s.Moves && o.Kind != orders.Play {
		o, reading = orders.Orders{}, orders.Illegal
	}
	s.Counts.Add(reading)
	s.ctl.Take(o)
	s.Reading, s.Holds, s.left = reading.String(), true, s.frame
	return reading
}

// Act writes the action of the coming tick, if the seat's answer has one left for it. Else it is
// done: the model is to be asked.
func (s *Seat) Act(step *scene.Step, action []uint8) (done bool) {
	if s.Holds {
		seen := step.Seen(&s.game.Head, s.Number)
		s.Holds = (s.frame == 0 || s.left > 0) && !s.ctl.Act(&s.game.Head, &seen, s.Number, action)
		s.left--
	}
	return !s.Holds
}

// Late notes that a tick is made without the seat, which sees how it goes on.
func (s *Seat) Late() {
	s.Counts.Late++
	s.ctl.Look(s.Number)
}

// View is the text of a position for the seat, and the moves of its figures that can
// have an effect. The match stands in that position.
func (s *Seat) View(step *scene.Step) (text string, legal [][]string) {
	g, seen, mask := s.game, step.Seen(&s.game.Head, s.Number), make([]uint8, s.game.spec.MaskSize())
	g.match.Mask(s.Number, mask)
	legal = g.Told.Legal(mask)[:g.Head.Movers()]
	fire, detail := words.Fire(g.match, s.Number), words.Full
	switch s.Detail {
	case "json":
		text, err := g.Told.JSON(&seen, s.Number, mask, fire, detail)
		if err != nil {
			panic(err) // it holds nothing that could fail
		}
		return string(text), legal
	case "short":
		detail = words.Short
	}
	return g.Told.View(&seen, s.Number, mask, fire, detail), legal
}
