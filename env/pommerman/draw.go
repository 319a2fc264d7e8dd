package pommerman

import (
	"fmt"
	"strconv"

	"pommego/env"
	"pommego/env/grid"
)

// The colours of a picture.
const (
	floorColour env.Colour = 0xdfe6d3
	fogColour   env.Colour = 0x8b939b
	bombColour  env.Colour = 0x23272b
	cardColour  env.Colour = 0xfbfbf7
)

// appearance is how items look; agents and bombs have labels besides.
var appearance = map[Item]env.Tile{
	Passage:   {Ground: floorColour},
	Rigid:     {Ground: 0x45494d, Mark: env.Mark{Shape: env.Block, Colour: 0x5f656b}},
	Wood:      {Ground: 0x8a5a2b, Mark: env.Mark{Shape: env.Bricks, Colour: 0xb98a55}},
	BombItem:  {Ground: floorColour, Mark: env.Mark{Shape: env.Round, Colour: bombColour}},
	Flames:    {Ground: 0xffdf9e, Mark: env.Mark{Shape: env.Star, Colour: 0xe23d12}},
	Fog:       {Ground: fogColour, Fog: true},
	ExtraBomb: card("B", 0x1f5fae),
	IncrRange: card("R", 0xb4511b),
	Kick:      card("K", 0x1d7a4b),
	Skull:     card("!", 0x7b3fa0),
}

// card is the tile of an item that can be picked up.
func card(label string, edge env.Colour) env.Tile {
	return env.Tile{Ground: floorColour, Mark: env.Mark{Shape: env.Card, Colour: cardColour, Edge: edge, Label: label}}
}

// Picture draws what a seat sees, or with NoSeat the whole game: env.Pictured. The
// owners of bombs show in the whole game alone.
func (m *Match) Picture(seat int) env.Picture {
	r := &m.game.rules
	if seat == NoSeat {
		return r.Picture(&m.State)
	}
	var v View
	m.View(seat, &v)
	p := r.board(&v.Board, func(c grid.Cell) (int, int) { return int(v.bombLife(c)), nobody })
	p.Lines = []env.Line{{Text: fmt.Sprintf("step %d of %d, seen by agent %d", v.StepCount, r.MaxSteps, seat), Short: fmt.Sprintf("step %d, A%d", v.StepCount, seat)}}
	for other := range r.Seats() {
		line := r.presence(other, v.Alive.Has(other))
		if other == seat && v.Self.Alive {
			line.carries(&v.Self)
		}
		if other == r.Teammate(seat) {
			line.says(v.Message[:r.RadioWords])
		}
		p.Lines = append(p.Lines, env.Line(line))
	}
	return p
}

// Picture draws a state: the board, and a line about the game and each agent.
func (r *Rules) Picture(s *State) env.Picture {
	p := r.board(&s.Board, s.bombOn)
	step := fmt.Sprintf("step %d of %d", s.StepCount, r.MaxSteps)
	p.Lines = []env.Line{{Text: step, Short: step}}
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		line := r.presence(seat, a.Alive)
		if a.Alive {
			line.carries(a)
			line.says(s.Radio[seat][:r.RadioWords])
		}
		p.Lines = append(p.Lines, env.Line(line))
	}
	return p
}

// bombOn is the life and the owner of the bomb on c, life 0 if there is none.
func (s *State) bombOn(c grid.Cell) (life, owner int) {
	for i := range s.bombs() {
		if b := &s.Bombs[i]; b.Cell == c {
			return int(b.Life), b.Owner()
		}
	}
	return 0, nobody
}

// board draws a board.
func (r *Rules) board(board *[256]Item, bomb func(grid.Cell) (life, owner int)) env.Picture {
	n := r.BoardSize
	p := env.Picture{Cols: n, Rows: n, Tiles: make([]env.Tile, 0, n*n)}
	for row := range n {
		for col := range n {
			c := grid.At(row, col)
			t := appearance[board[c]]
			life, owner := bomb(c)
			switch seat := int(board[c]) - int(r.Agent0()); {
			case seat >= 0:
				t = env.Tile{Ground: floorColour, Mark: r.mark(seat)}
				if life > 0 {
					t.Ground, t.Corner = bombColour, strconv.Itoa(life)
				}
			case board[c] == BombItem:
				t.Label = strconv.Itoa(life)
				if owner != nobody {
					t.Edge = r.colour(owner)
				}
			}
			p.Tiles = append(p.Tiles, t)
		}
	}
	return p
}

// mark is how the agent in a seat looks.
func (r *Rules) mark(seat int) env.Mark {
	team := seat
	if r.Teams() {
		team %= 2
	}
	return env.AgentMark(team, r.colour(seat), strconv.Itoa(seat))
}

func (r *Rules) colour(seat int) env.Colour {
	if r.Teams() {
		return env.TeamColour(seat%2, seat/2)
	}
	return env.SeatColour(seat)
}

// caption is a line about an agent.
type caption env.Line

// presence begins a line about an agent.
func (r *Rules) presence(seat int, alive bool) caption {
	l := caption{Text: fmt.Sprintf("agent %d", seat), Marks: []env.Mark{r.mark(seat)}}
	if !alive {
		l.Text, l.Short = l.Text+": dead", "dead"
	}
	return l
}

// carries says what an agent has.
func (l *caption) carries(a *Agent) {
	l.Text += fmt.Sprintf(": %d bombs, blast %d", a.Ammo, a.Blast)
	l.Marks = append(l.Marks,
		numbered(appearance[BombItem].Mark, int(a.Ammo)),
		numbered(appearance[IncrRange].Mark, int(a.Blast)))
	if a.Kicks {
		l.Text += ", kicks"
		l.Marks = append(l.Marks, appearance[Kick].Mark)
	}
}

func numbered(m env.Mark, n int) env.Mark {
	m.Label = strconv.Itoa(n)
	return m
}

// says says what an agent has sent, unless that is no words.
func (l *caption) says(words []uint8) {
	if len(words) > 0 {
		l.Text += fmt.Sprintf(", says %v", words)
		l.Short = fmt.Sprint(words)
	}
}
