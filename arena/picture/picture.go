package picture

import (
	"slices"
	"strconv"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Picture is a drawing of a position: marks, each drawn over those before.
type Picture struct {
	Cols, Rows int
	Marks      []Mark
	Strip      *Strip // below the board, if there is room for letters
}

// Mark is a sprite on a board.
type Mark struct {
	Sprite   string
	Row, Col float64    // of its upper left corner
	Size     float64    // 1: a cell
	Colour   env.Colour // of the seat that it belongs to
	Text     string
}

// The colours of bombs of nobody, or of several teams.
const (
	nobodys = env.Colour(0x50565e)
	public  = env.Colour(0xf7f7f2)
)

// Artist makes pictures of matches. It keeps its memory for the next, and belongs to one
// goroutine.
type Artist struct{ scene env.Scene }

// Picture is a picture of a match of a game as it stands: of what a seat sees, or with
// env.NoSeat the whole game. Agents look where the actions that led here wanted to go; none:
// to the front.
func (a *Artist) Picture(game env.Game, m env.Match, actions []uint8, seat int) Picture {
	head := scene.HeadOf(game.Spec(), m)
	m.Describe(&a.scene)
	return paint(&head, &a.scene, actions, seat)
}

// OfStep is a picture of a whole step of a described game, as Picture makes it; a seat knows no
// actions but its own.
func OfStep(head *scene.Head, step *scene.Step, seat int) Picture {
	actions := make([]uint8, len(step.Actions)*len(head.Actions))
	for i, own := range step.Actions { // nil of seats that were out
		for k, n := range own {
			if seat == env.NoSeat || seat == i {
				actions[i*len(head.Actions)+k] = uint8(n)
			}
		}
	}
	return paint(head, &step.Scene, actions, seat)
}

// Lettered is the picture with the numbers of rows and columns at its edges, and on figures the letters that texts give
// them, of so many seats.
func (p Picture) Lettered(seats int) Picture {
	all := Picture{Cols: p.Cols + 1, Rows: p.Rows + 1}
	put := func(row, col int, text string) {
		all.Marks = append(all.Marks, Mark{Sprite: "number", Row: float64(row), Col: float64(col), Size: 1, Text: text})
	}
	for row := range all.Rows {
		put(row, 0, strings.TrimPrefix(strconv.Itoa(row-1), "-1"))
	}
	for col := range p.Cols {
		put(0, col+1, strconv.Itoa(col))
	}
	for i, m := range p.Marks {
		if strings.HasPrefix(m.Sprite, "facing") { // of the figure before
			who := p.Marks[i-1].Text + "a"
			m.Sprite, m.Text = "letter", string(rune('A'+int(who[1]-'a')*seats+int(who[0]-'0')))
		}
		m.Row, m.Col = m.Row+1, m.Col+1
		all.Marks = append(all.Marks, m)
	}
	return all
}

// painting is a picture that is being made.
type painting struct {
	*env.Scene
	head    *scene.Head
	actions []uint8
	pic     Picture
}

func paint(head *scene.Head, s *env.Scene, actions []uint8, seat int) Picture {
	if seat != env.NoSeat {
		seen := s.Seen(&head.Stage, head.Teams, seat)
		s = &seen
	}
	p := painting{Scene: s, head: head, actions: actions, pic: Picture{Cols: head.Cols, Rows: head.Rows}}
	p.ground()
	p.things()
	p.agents()
	return p.pic
}

func (p *painting) put(sprite string, at env.Place, colour env.Colour, text string) {
	p.pic.Marks = append(p.pic.Marks, Mark{sprite, float64(at[0]), float64(at[1]), 1, colour, text})
}

func (p *painting) ground() {
	for i, kind := range p.Ground {
		at := env.Place{i / p.pic.Cols, i % p.pic.Cols}
		sprite := p.head.Look(kind).Sprite
		if odd := sprite + "2"; (at[0]+at[1])%2 == 1 && drawings.Sprites[odd] != nil {
			sprite = odd
		}
		p.put(sprite, at, 0, "")
	}
}

// things draws all but agents.
func (p *painting) things() {
	energy := slices.ContainsFunc(p.Bases, func(b env.SceneBase) bool { return b.Energy > 0 })
	for _, b := range p.Bases {
		if energy {
			p.put("base", b.At, p.colour(b.Owners), strconv.Itoa(b.Energy))
		} else {
			p.put("home", b.At, p.colour(b.Owners), "")
		}
	}
	for _, i := range p.Items {
		switch {
		case !i.Hidden:
			p.put("card", i.At, 0, "")
			p.put(i.Kind, i.At, 0, "")
		case p.Ground[i.At[0]*p.pic.Cols+i.At[1]] == env.GroundWood:
			p.part(i.At, 0.25, 0.25, 0.5, Mark{Sprite: "card"}, Mark{Sprite: i.Kind})
		}
	}
	for _, f := range p.Flames {
		sprite := "flame"
		if f.Life < 3 && p.head.FlameLife > 1 {
			sprite = [3]string{"flame", "ember", "flame 2"}[f.Life]
		}
		p.put(sprite, f.At, 0, "")
	}
	for _, b := range p.Bombs {
		p.put("bomb", b.At, p.colour(b.Owners), strconv.Itoa(b.Life))
		p.put("spark", b.At, 0, "")
		if b.Moving != "" {
			p.put(b.Moving, b.At, 0, "")
		}
	}
}

func (p *painting) part(at env.Place, down, right, size float64, marks ...Mark) {
	for _, m := range marks {
		m.Row, m.Col, m.Size = float64(at[0])+down, float64(at[1])+right, size
		p.pic.Marks = append(p.pic.Marks, m)
	}
}

// colour is that of owners: of the first, if all of them are of one team.
func (p *painting) colour(owners env.SeatSet) env.Colour {
	seats := owners.List()
	for _, seat := range seats {
		if p.team(seat) != p.team(seats[0]) {
			return public
		}
	}
	if len(seats) == 0 {
		return nobodys
	}
	return p.head.Colours[seats[0]]
}

func (p *painting) team(seat int) int {
	return slices.IndexFunc(p.head.Teams, func(team []int) bool { return slices.Contains(team, seat) })
}

func (p *painting) agents() {
	for i := range p.Agents {
		if a := &p.Agents[i]; !a.Alive {
			p.put("out", a.At, p.head.Colours[a.Seat], "")
		}
	}
	for i := range p.Agents {
		a := &p.Agents[i]
		if !a.Alive {
			continue
		}
		here, before := 0, 0
		for j := range p.Agents {
			if b := &p.Agents[j]; b.Alive && b.At == a.At {
				here++
				if j < i {
					before++
				}
			}
		}
		size, aside := 1.0, 0.0
		if here > 1 {
			size, aside = 0.62, 0.38*float64(before)/float64(here-1)
		}
		colour := p.head.Colours[a.Seat]
		p.part(a.At, aside, aside, size, Mark{Sprite: p.form(a.Seat), Colour: colour, Text: strconv.Itoa(a.Seat) + a.Name},
			Mark{Sprite: p.facing(a), Colour: colour})
	}
	for _, b := range p.Bombs {
		if slices.ContainsFunc(p.Agents, func(a env.SceneAgent) bool { return a.Alive && a.At == b.At }) {
			p.put("ticks", b.At, p.colour(b.Owners), strconv.Itoa(b.Life))
		}
	}
}

// form tells two teams apart without colour.
func (p *painting) form(seat int) string {
	if len(p.head.Teams) == 2 && p.team(seat) == 1 {
		return "square"
	}
	return "round"
}

// facing is the sprite of the way an agent looks.
func (p *painting) facing(a *env.SceneAgent) string {
	if len(p.actions) == 0 {
		return "facing"
	}
	own := max(0, slices.IndexFunc(p.head.Actions, func(c env.Choice) bool {
		return a.Name != "" && strings.HasSuffix(c.Name, "_"+a.Name)
	}))
	choice := p.actions[a.Seat*len(p.head.Actions)+own]
	if sprite := "facing " + p.head.Actions[own].Names[choice]; drawings.Sprites[sprite] != nil {
		return sprite
	}
	return "facing"
}
