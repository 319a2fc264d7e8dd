package words

import (
	"pommego/arena/scene"
	"pommego/env"
)

// Details are the levels of detail of a view. short leaves out the others, bombs and bases; image adds an image to the
// full text.
var Details = []string{"full", "short", "json", "image"}

// Form is the form of a seat's views. The zero value is the full text.
type Form struct {
	Detail string `json:"detail"`         // one of Details; "" is full
	Bare   bool   `json:"bare,omitempty"` // without hints: neither danger nor legal moves
	Moves  bool   `json:"-"`              // orders are illegal
	Frame  int    `json:"-"`              // the most ticks for which an answer holds; 0: any number

	Eventless bool `json:"-"` // nobody follows the game, so views do not tell what happened
}

// Writer writes positions of one game in words.
type Writer struct {
	Head scene.Head // the head of the game's scenes
	Spec *env.Spec

	endings []env.Ending
	figures int // how many figures a seat moves: the first components of an action
}

// New makes a Writer from a game, its description and a match of it.
func New(game env.Game, spec *env.Spec, m env.Match) *Writer {
	head := scene.HeadOf(spec, m)
	return &Writer{head, spec, game.Endings(), head.Movers()}
}

// latest is the last tick that views tell of: it stands for later ones, too.
const latest = 35

// Fire has for each cell the ticks at which it burns: bit t is tick t, from 1, and bit 35 that or a later one. It is
// what a seat can foresee from what it sees now if it makes the move. It is nil in games without foresight.
func Fire(m env.Match, seat int, move uint8) []uint64 {
	fire := foresee(m, seat, move).Burns
	for c := range fire {
		if fire[c]>>latest > 0 {
			fire[c] = fire[c]&(1<<latest-1) | 1<<latest
		}
	}
	return fire
}

// foresee is all that the seat can foresee so; nothing in games without foresight.
func foresee(m env.Match, seat int, move uint8) (f env.Forecast) {
	if foreseer, ok := m.(env.Foreseer); ok {
		sight := foreseer.Foresight(seat)
		sight.Look(m)
		sight.Foresee(move, &f)
	}
	return f
}

// Alias is the letters of a seat's figures.
func (w *Writer) Alias(seat int) (letters string) {
	for n := range w.figures {
		letters += string(w.letter(seat, n))
	}
	return letters
}

// letter is the letter of the n-th figure of a seat.
func (w *Writer) letter(seat, n int) byte { return byte('A' + n*w.Spec.Seats + seat) }

// number is which of its seat's figures one is.
func number(a *env.SceneAgent) int {
	if a.Name == "" {
		return 0
	}
	return int(a.Name[0] - 'a')
}

// Legal is, for each component of an action, the names of the choices that a mask allows. A nil
// mask allows all.
func (w *Writer) Legal(mask []uint8) [][]string {
	all, at := make([][]string, len(w.Spec.Actions)), 0
	for i, c := range w.Spec.Actions {
		for n, name := range c.Names {
			if mask == nil || mask[at+n] != 0 {
				all[i] = append(all[i], name)
			}
		}
		at += c.N
	}
	return all
}

// cell is the number of a place; the number of cells if it is not on the board.
func (w *Writer) cell(at env.Place) int {
	if uint(at[0]) >= uint(w.Head.Rows) || uint(at[1]) >= uint(w.Head.Cols) {
		return w.Head.Rows * w.Head.Cols
	}
	return at[0]*w.Head.Cols + at[1]
}
