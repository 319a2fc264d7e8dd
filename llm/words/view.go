package words

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// view is the JSON form of what a seat knows of a position. It has no empty lists.
type view struct {
	Answer  *Last      `json:"last_answer,omitempty"`
	Tick    int        `json:"tick"`
	Last    int        `json:"last_tick"`
	Over    string     `json:"over,omitzero"` // won, lost or tied
	You     []figure   `json:"you,omitzero"`
	Playing []string   `json:"playing"`
	Mates   []string   `json:"mates,omitzero"`
	Others  []figure   `json:"others,omitzero"` // only those in sight
	Bases   []figure   `json:"bases,omitzero"`
	Bombs   []bomb     `json:"bombs,omitzero"`
	Counts  env.Counts `json:"counts,omitzero"` // by seat
	Heard   []string   `json:"heard,omitzero"`  // the sender and the words
	Legend  []string   `json:"legend,omitzero"`
	Board   []string   `json:"board"`
	Danger  []string   `json:"danger,omitzero"` // in base 36
	Again   []string   `json:"burns_again,omitzero"`
	Legal   [][]string `json:"legal,omitzero"`  // the moves of each figure
	Deadly  [][]string `json:"deadly,omitzero"` // those of them that end on a cell that burns then
}

// figure is an agent on the board, or a base. What others carry can be unknown.
type figure struct {
	Name   string    `json:"name"`
	At     env.Place `json:"at"`
	Where  string    `json:"where,omitzero"` // the way from the seat's first figure
	Ammo   int       `json:"ammo,omitzero"`
	Reach  int       `json:"reach,omitzero"` // the reach of its bombs: cells each way
	Kicks  bool      `json:"kicks,omitzero"`
	Lives  int       `json:"lives,omitzero"`
	Energy int       `json:"energy,omitzero"`
	Burns  int       `json:"burns_in,omitzero"` // ticks until its cell burns
}

type bomb struct {
	At    env.Place `json:"at"`
	Ticks int       `json:"ticks"`
	Reach string    `json:"reach,omitzero"` // each way
	Rolls string    `json:"rolls,omitzero"`
	Of    string    `json:"of,omitzero"`
}

func (w *Writer) view(seen *scene.Step, seat int, mask []uint8, foresee func(uint8) []uint64, form Form) *view {
	fire := foresee(0)
	v := &view{Tick: seen.Step, Last: w.Head.MaxSteps, Playing: []string{}, Board: w.rows(w.board(seen)),
		Danger: w.danger(fire), Again: w.again(fire), Counts: seen.Counts}
	v.Legend = w.legend(strings.Join(v.Board, ""))
	if !form.Bare {
		v.Legal, v.Deadly = w.Legal(mask)[:w.figures], make([][]string, w.figures)
	}
	for other := range w.Spec.Seats {
		if other != seat && env.Mates(w.Head.Teams, seat, other) {
			v.Mates = append(v.Mates, w.Alias(other))
		}
	}
	if s := seen.Status; s != nil {
		for _, in := range s.In {
			v.Playing = append(v.Playing, w.Alias(in))
		}
		switch {
		case s.Over && slices.Contains(s.Winners, seat):
			v.Over = "won"
		case s.Over && (len(s.Winners) > 0 || len(s.In) > 0 && !slices.Contains(s.In, seat) && len(v.Mates) == 0):
			v.Over = "lost"
		case s.Over:
			v.Over = "tied"
		}
	}
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive && a.Seat == seat {
			v.You = append(v.You, w.figure(a, fire))
			if n := number(a); n < w.figures && !form.Bare {
				v.Deadly[n] = w.deadly(seen, a, v.Legal[n], fire, foresee)
			}
		}
	}
	if !slices.ContainsFunc(v.Deadly, func(names []string) bool { return names != nil }) {
		v.Deadly = nil
	}
	for _, m := range seen.Said {
		if m.Seat != seat && slices.Max(append(m.Words, 0)) > 0 {
			v.Heard = append(v.Heard, w.Alias(m.Seat)+" "+numbers(m.Words))
		}
	}
	if form.Detail != "short" {
		w.more(v, seen, seat, fire)
	}
	return v
}

// more adds the parts that detail short leaves out.
func (w *Writer) more(v *view, seen *scene.Step, seat int, fire []uint64) {
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive && a.Seat != seat {
			f := w.figure(a, fire)
			if len(v.You) > 0 {
				f.Where = w.ways(v.You[0].At, w.cell(a.At))
			}
			v.Others = append(v.Others, f)
		}
	}
	for _, b := range seen.Bases {
		v.Bases = append(v.Bases, figure{Name: w.home(&b), At: b.At, Energy: b.Energy})
	}
	for _, b := range seen.Bombs {
		of := ""
		for _, owner := range b.Owners.List() {
			of += w.Alias(owner)
		}
		v.Bombs = append(v.Bombs, bomb{b.At, b.Life, w.ways(b.At, w.reach(seen, &b, fire)...), b.Moving, of})
	}
}

// reach is the cells that a bomb reaches: those in sight, and cells in the fog behind them that fire says will burn.
func (w *Writer) reach(seen *scene.Step, b *env.SceneBomb, fire []uint64) []int {
	cells, tick := slices.Clone(b.Reach), first(fire, w.cell(b.At))
	for d := 1; d < len(env.Moves) && tick > 0; d++ {
		at, on := b.At, true
		for range min(b.Blast-1, w.Head.Rows, w.Head.Cols) {
			at, on = w.Head.Next(at, d)
			c := w.cell(at)
			if !on || c >= min(len(seen.Ground), len(fire)) {
				break
			} else if seen.Ground[c] == env.GroundFog && fire[c]>>tick&1 != 0 {
				cells = append(cells, c)
			} else if !slices.Contains(b.Reach, c) {
				break
			}
		}
	}
	return cells
}

func (w *Writer) figure(a *env.SceneAgent, fire []uint64) figure {
	return figure{Name: string(w.letter(a.Seat, number(a))), At: a.At, Ammo: a.Ammo, Reach: max(0, a.Blast-1),
		Kicks: a.Kicks, Lives: a.Lives, Burns: first(fire, w.cell(a.At))}
}

// first is the first tick at which a cell burns; 0 if it does not burn or is not on the board.
func first(fire []uint64, cell int) int {
	if cell >= len(fire) || fire[cell] == 0 {
		return 0
	}
	return bits.TrailingZeros64(fire[cell])
}

// deadly is the legal choices of a figure that end on a cell that burns at the coming tick. What a bomb changes that it
// lays or kicks is foreseen for the first figure alone.
func (w *Writer) deadly(seen *scene.Step, a *env.SceneAgent, legal []string, fire []uint64,
	foresee func(uint8) []uint64) (names []string) {
	for choice, name := range w.Spec.Actions[number(a)].Names {
		if !slices.Contains(legal, name) {
			continue
		}
		to, _ := w.Head.Next(a.At, choice)
		then, onBomb := fire, func(b env.SceneBomb) bool { return b.At == to }
		if number(a) == 0 && (choice >= len(env.Moves) || choice > 0 && slices.ContainsFunc(seen.Bombs, onBomb)) {
			then = foresee(uint8(choice))
		}
		if first(then, w.cell(to)) == 1 {
			names = append(names, name)
		}
	}
	return names
}

// ways is how far cells are from a place in each direction, such as "up 1 left 2".
func (w *Writer) ways(from env.Place, cells ...int) string {
	var most [4]int
	for _, c := range cells {
		rows, cols := w.Head.Way(from, env.Place{c / w.Head.Cols, c % w.Head.Cols})
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

// danger draws a board with the first tick at which each cell burns; nil if none burns.
func (w *Writer) danger(fire []uint64) []string {
	cells := []byte(strings.Repeat(".", len(fire)))
	for c := range fire {
		if t := first(fire, c); t > 0 {
			cells[c] = "0123456789abcdefghijklmnopqrstuvwxyz"[t]
		}
	}
	if strings.Trim(string(cells), ".") == "" {
		return nil
	}
	return w.rows(cells)
}

// again lists the cells that burn more than once, ordered by the second time.
func (w *Writer) again(fire []uint64) (all []string) {
	cells := map[int]string{}
	for c, ticks := range fire {
		first := bits.TrailingZeros64(ticks)
		if ticks &^= 1<<(first+bits.TrailingZeros64(^(ticks>>first))) - 1; ticks != 0 {
			cells[bits.TrailingZeros64(ticks)] += " " + spot(env.Place{c / w.Head.Cols, c % w.Head.Cols})
		}
	}
	for _, in := range slices.Sorted(maps.Keys(cells)) {
		all = append(all, fmt.Sprint("in ", in, cells[in]))
	}
	return all
}
