package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pommego/env"
)

// The colours of what belongs to no seat.
const (
	outline = env.Colour(0x151515)
	black   = env.Colour(0x23272b) // of bombs
	shared  = env.Colour(0x7d4fa0) // of a cell where agents of several teams stand
	public  = env.Colour(0xf7f7f2) // of the outlines of bombs of several teams
)

// grounds are how the kinds of ground look.
var grounds = [128]Tile{
	env.GroundFloor: {Ground: 0xdfe6d3},
	env.GroundSpent: {Ground: 0x8b8170},
	env.GroundWall:  {Ground: 0x45494d, Mark: Mark{Shape: Block, Colour: 0x5f656b}},
	env.GroundWood:  {Ground: 0x8a5a2b, Mark: Mark{Shape: Bricks, Colour: 0xb98a55}},
	env.GroundFog:   {Ground: 0x8b939b, Fog: true},
}

var flame = Tile{Ground: 0xffdf9e, Mark: Mark{Shape: Star, Colour: 0xe23d12}}

// cards are how items look.
var cards = map[string]Mark{
	"extra_bomb": {Card, 0xfbfbf7, 0x1f5fae, "B"},
	"incr_range": {Card, 0xfbfbf7, 0xb4511b, "R"},
	"kick":       {Card, 0xfbfbf7, 0x1d7a4b, "K"},
	"skull":      {Card, 0xfbfbf7, 0x7b3fa0, "!"},
}

// Artist makes pictures of matches. It keeps its memory for the next, and belongs to one
// goroutine.
type Artist struct{ scene env.Scene }

// Picture is a picture of a match of a game as it stands: of what a seat sees, or with
// env.NoSeat the whole game. t is its tracker, nil if nothing is counted.
//
// Agents have their numbers, the members of a team one shape. Bombs show the steps they
// have left, in an outline of their owner's colour where that is known, bases their
// energy.
func (a *Artist) Picture(game env.Game, m env.Match, t env.Tracker, seat int) Picture {
	spec := game.Spec()
	p := painting{Scene: &a.scene, spec: spec, stage: m.Stage(), status: m.Status(), seat: seat}
	m.Describe(p.Scene)
	sight := p.Sight
	if seat != env.NoSeat {
		p.Seen(&p.stage, spec.Teams, seat)
	}
	p.pic.Cols, p.pic.Rows = p.stage.Cols, p.stage.Rows
	p.ground()
	p.things()
	p.agents()
	var counts env.Counts
	if t != nil {
		counts = env.CountsOf(spec, t, m)
	}
	p.lines(counts)
	p.Sight = sight
	return p.pic
}

// painting is a picture that is being made.
type painting struct {
	*env.Scene
	spec   *env.Spec
	stage  env.Stage
	status env.Status
	seat   int
	pic    Picture
}

func (p *painting) at(place env.Place) *Tile { return &p.pic.Tiles[place[0]*p.pic.Cols+place[1]] }

func (p *painting) ground() {
	p.pic.Tiles = make([]Tile, len(p.Ground))
	for i, kind := range p.Ground {
		p.pic.Tiles[i] = grounds[kind]
	}
}

// things draws all but agents.
func (p *painting) things() {
	for _, f := range p.Flames {
		*p.at(f.At) = flame
	}
	energy := slices.ContainsFunc(p.Bases, func(b env.SceneBase) bool { return b.Energy > 0 })
	for _, b := range p.Bases {
		t, colour, label := p.at(b.At), p.colour(b.Owners), b.Energy
		if !energy {
			label = env.SeatSet(b.Owners).First()
		}
		t.Mark = Mark{Shape: Ring, Colour: colour, Label: strconv.Itoa(label)}
		if energy {
			t.Ground = colour.Pale()
		}
	}
	for _, i := range p.Items {
		if !i.Hidden {
			p.at(i.At).Mark = cards[i.Kind]
		}
	}
	for _, b := range p.Bombs {
		p.at(b.At).Mark = Mark{Round, black, p.colour(b.Owners), strconv.Itoa(b.Life)}
	}
}

// colour is that of owners: of the first, if all of them are of one team; 0 if there are
// none.
func (p *painting) colour(owners env.Owners) env.Colour {
	seats := env.SeatSet(owners).List()
	for _, seat := range seats {
		if p.team(seat) != p.team(seats[0]) {
			return public
		}
	}
	if len(seats) == 0 {
		return 0
	}
	return p.stage.Colours[seats[0]]
}

func (p *painting) team(seat int) int {
	return slices.IndexFunc(p.spec.Teams, func(team []int) bool { return slices.Contains(team, seat) })
}

// agents draws those who are in the game. Several on a cell are one mark with their
// number.
func (p *painting) agents() {
	for i := range p.Agents {
		a := &p.Agents[i]
		if !a.Alive {
			continue
		}
		t, mark := p.at(a.At), p.mark(a.Seat, a.Name)
		others := p.standing(a.At)
		if len(others) > 1 {
			mark.Label = fmt.Sprintf("+%d", len(others))
			if slices.ContainsFunc(others, func(seat int) bool { return p.team(seat) != p.team(a.Seat) }) {
				mark.Shape, mark.Colour = Diamond, shared
			}
		}
		if t.Shape == Round {
			t.Ground, t.Corner = black, t.Label
		}
		t.Mark = mark
	}
}

// standing is the seats of the agents on a cell.
func (p *painting) standing(at env.Place) (seats []int) {
	for i := range p.Agents {
		if p.Agents[i].Alive && p.Agents[i].At == at {
			seats = append(seats, p.Agents[i].Seat)
		}
	}
	return seats
}

// mark is how an agent looks: its team shows in the shape.
func (p *painting) mark(seat int, name string) Mark {
	return Mark{Disc + Shape(p.team(seat)%4), p.stage.Colours[seat], outline, strconv.Itoa(seat) + name}
}

// lines says how the game stands, and each seat.
func (p *painting) lines(counts env.Counts) {
	step := fmt.Sprintf("step %d of %d", p.status.Steps, p.spec.MaxSteps)
	if p.seat != env.NoSeat {
		step = fmt.Sprintf("step %d, seat %d", p.status.Steps, p.seat)
	}
	p.pic.Lines = []Line{{Text: step}}
	for seat := range p.spec.Seats {
		line := Line{Marks: []Mark{p.mark(seat, "")}}
		p.carries(seat, &line)
		var words []string
		if i := slices.IndexFunc(p.Said, func(m env.SceneMessage) bool { return m.Seat == seat }); i >= 0 {
			words = append(words, fmt.Sprint(p.Said[i].Words))
		}
		if !p.status.In.Has(seat) {
			words = []string{"out"}
		}
		for _, name := range p.spec.Counts {
			by := counts[name.Name]
			if by == nil || by[seat] == 0 || slices.Contains(p.stage.Conceals, env.OthersCarry) {
				continue
			}
			words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(name.Name, "_", " "), by[seat]))
		}
		line.Text = strings.Join(words, ", ")
		p.pic.Lines = append(p.pic.Lines, line)
	}
}

// carries adds what an agent carries to its line, where that differs.
func (p *painting) carries(seat int, line *Line) {
	for i := range p.Agents {
		a := &p.Agents[i]
		if a.Seat != seat || !a.Alive {
			continue
		}
		if slices.Contains(p.stage.Conceals, env.OthersCarry) && a.Blast > 0 {
			line.Marks = append(line.Marks, numbered(Mark{Shape: Round, Colour: black}, a.Ammo),
				numbered(cards["incr_range"], a.Blast))
			if a.Kicks {
				line.Marks = append(line.Marks, cards["kick"])
			}
		}
	}
}

func numbered(m Mark, n int) Mark {
	m.Label = strconv.Itoa(n)
	return m
}
