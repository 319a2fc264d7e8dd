package words

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// view is what a seat is told, in its JSON form. Lists that are empty are absent.
type view struct {
	Tick    int                `json:"tick"`
	Last    int                `json:"last_tick"`
	Over    string             `json:"over,omitzero"` // won, lost or tied
	You     []figure           `json:"you,omitzero"`
	Playing []string           `json:"playing"`
	Mates   []string           `json:"mates,omitzero"`
	Others  []figure           `json:"others,omitzero"` // in sight
	Bases   []home             `json:"bases,omitzero"`
	Bombs   []bomb             `json:"bombs,omitzero"`
	Counts  map[string][]int32 `json:"counts,omitzero"` // by seat
	Heard   []message          `json:"heard,omitzero"`
	Legend  []string           `json:"legend,omitzero"`
	Board   []string           `json:"board"`
	Danger  []string           `json:"danger,omitzero"` // in base 36
	Legal   [][]string         `json:"legal"`           // moves of each figure
	Deadly  [][]string         `json:"deadly"`          // those of them that end on a cell that burns then
}

// figure is somebody on the board. What others carry can be unknown.
type figure struct {
	Name  string    `json:"name"`
	At    env.Place `json:"at"`
	Where string    `json:"where,omitzero"` // from the seat's first figure
	Mate  bool      `json:"mate,omitzero"`
	Ammo  int       `json:"ammo"`
	Reach int       `json:"reach,omitzero"` // of its bombs: cells each way
	Kicks bool      `json:"kicks,omitzero"`
	Lives int       `json:"lives,omitzero"`
	Burns int       `json:"burns_in,omitzero"`
}

type bomb struct {
	At    env.Place `json:"at"`
	Ticks int       `json:"ticks"`
	Reach string    `json:"reach"` // in each direction
	Rolls string    `json:"rolls,omitzero"`
	Of    string    `json:"of,omitzero"`
}

type home struct {
	Name   string    `json:"name"`
	At     env.Place `json:"at"`
	Energy int       `json:"energy,omitzero"`
}

type message struct {
	From  string `json:"from"`
	Words []int  `json:"words"`
}

// JSON is what View tells, as JSON. Its danger has all rows of the board.
func (g *Game) JSON(seen *scene.Step, seat int, mask []uint8, detail Detail) ([]byte, error) {
	return json.Marshal(g.view(seen, seat, mask, detail))
}

func (g *Game) view(seen *scene.Step, seat int, mask []uint8, detail Detail) *view {
	fire := g.Forecast(seen)
	v := &view{Tick: seen.Step, Last: g.head.MaxSteps, Playing: []string{}, Board: g.rows(g.board(seen)),
		Danger: g.danger(fire)}
	for i, names := range g.Legal(mask) {
		if g.moves(i) {
			v.Legal = append(v.Legal, names)
		}
	}
	v.Deadly = make([][]string, len(v.Legal))
	for other := range g.spec.Seats {
		if other != seat && g.mates(seat, other) {
			v.Mates = append(v.Mates, g.Alias(other))
		}
	}
	if s := seen.Status; s != nil {
		for _, in := range s.In {
			v.Playing = append(v.Playing, g.Alias(in))
		}
		switch {
		case s.Over && slices.Contains(s.Winners, seat):
			v.Over = "won"
		case s.Over && len(s.Winners) > 0:
			v.Over = "lost"
		case s.Over:
			v.Over = "tied"
		}
	}
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive && a.Seat == seat {
			v.You = append(v.You, g.figure(a, fire))
			if n := number(a); n < len(v.Legal) {
				v.Deadly[n] = g.deadly(a, v.Legal[n], fire)
			}
		}
	}
	for _, m := range seen.Said {
		if m.Seat != seat && slices.Max(append(m.Words, 0)) > 0 {
			v.Heard = append(v.Heard, message{g.Alias(m.Seat), m.Words})
		}
	}
	if detail == Full {
		g.more(v, seen, seat, fire)
	}
	return v
}

// more is what Full has besides.
func (g *Game) more(v *view, seen *scene.Step, seat int, fire []uint64) {
	v.Counts, v.Legend = seen.Counts, g.legend(v.Board)
	for i := range seen.Agents {
		a := &seen.Agents[i]
		if !a.Alive || a.Seat == seat {
			continue
		}
		f := g.figure(a, fire)
		f.Mate = g.mates(seat, a.Seat)
		if len(v.You) > 0 {
			f.Where = g.way(v.You[0].At, g.cell(a.At))
		}
		v.Others = append(v.Others, f)
	}
	for _, b := range seen.Bases {
		v.Bases = append(v.Bases, home{g.home(&b), b.At, b.Energy})
	}
	for _, b := range seen.Bombs {
		var of []string
		for _, owner := range env.SeatSet(b.Owners).List() {
			of = append(of, g.Alias(owner))
		}
		v.Bombs = append(v.Bombs, bomb{b.At, b.Life, g.way(b.At, b.Reach...), b.Moving, strings.Join(of, "")})
	}
}

func (g *Game) figure(a *env.SceneAgent, fire []uint64) figure {
	f := figure{Name: string(g.letter(a.Seat, number(a))), At: a.At, Ammo: a.Ammo, Reach: max(0, a.Blast-1), Kicks: a.Kicks, Lives: a.Lives}
	if c := g.cell(a.At); c < len(fire) && fire[c] != 0 {
		f.Burns = bits.TrailingZeros64(fire[c])
	}
	return f
}

// deadly is the legal moves of a figure that end on a cell that burns in the coming tick.
func (g *Game) deadly(a *env.SceneAgent, legal []string, fire []uint64) []string {
	var names []string
	for _, name := range legal {
		to, d := a.At, directions[name]
		for i, size := range [2]int{g.head.Rows, g.head.Cols} {
			if to[i] += d[i]; g.head.Torus {
				to[i] = (to[i] + size) % size
			}
		}
		if c := g.cell(to); c < len(fire) && fire[c]&2 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// way is how far cells are each way from a place, such as "up 1 left 2".
func (g *Game) way(from env.Place, cells ...int) string {
	var most [4]int
	for _, c := range cells {
		rows, cols := c/g.head.Cols-from[0], c%g.head.Cols-from[1]
		if g.head.Torus {
			rows, cols = shorter(rows, g.head.Rows), shorter(cols, g.head.Cols)
		}
		most = [4]int{max(most[0], -rows), max(most[1], rows), max(most[2], -cols), max(most[3], cols)}
	}
	var words []string
	for i, name := range [4]string{"up", "down", "left", "right"} {
		if most[i] > 0 {
			words = append(words, fmt.Sprint(name, " ", most[i]))
		}
	}
	return strings.Join(words, " ")
}

// shorter is a difference along a board whose edges meet, the shorter way round.
func shorter(d, size int) int { return ((d+size/2)%size+size)%size - size/2 }

// danger draws when cells burn first. It is nil if none does.
func (g *Game) danger(fire []uint64) []string {
	cells := []byte(strings.Repeat(".", len(fire)))
	for c, f := range fire {
		if t := bits.TrailingZeros64(f); t <= 35 {
			cells[c] = "0123456789abcdefghijklmnopqrstuvwxyz"[t]
		}
	}
	if strings.Trim(string(cells), ".") == "" {
		return nil
	}
	return g.rows(cells)
}
