package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/saved"
)

// View is a position for a seat, as text or JSON. seen is what the seat knows of it
// (scene.Step.Seen), mask its legal actions as env.Match.Mask writes them; nil is all.
// foresee is what it can foresee of a move ([Fire]), and last describes its last answer.
func (w *Writer) View(seen *scene.Step, seat int, mask []uint8, foresee func(move uint8) []uint64, form Form,
	last *Last) string {
	if form.Bare {
		foresee = func(uint8) []uint64 { return nil }
	}
	v, b := w.view(seen, seat, mask, foresee, form), new(strings.Builder)
	if last.String() != "" {
		v.Answer = last
	}
	if form.Detail == "json" {
		return string(saved.JSON(v))
	}
	if v.Answer != nil {
		fmt.Fprintln(b, last)
	}
	fmt.Fprintf(b, "Tick %d of %d. Playing: %s.", v.Tick, v.Last, strings.Join(v.Playing, " "))
	if v.Mates != nil {
		fmt.Fprintf(b, " Your mates: %s.", strings.Join(v.Mates, " "))
	}
	if v.You == nil {
		b.WriteString(" You are out.")
	}
	if v.Over != "" {
		fmt.Fprintf(b, " The game is over: you have %s.", v.Over)
	}
	list(b, "You", v.You)
	list(b, "Others", v.Others)
	list(b, "Bases", v.Bases)
	list(b, "Bombs", v.Bombs)
	list(b, "Heard", v.Heard)
	for _, c := range w.Head.Counts {
		if by := v.Counts[c.Name]; by != nil {
			fmt.Fprintf(b, "\n%s by seat: %s", c.Name, numbers(by))
		}
	}
	list(b, "Legend", v.Legend)
	w.grid(b, "Board", v.Board, false)
	if v.Danger != nil {
		w.grid(b, "Danger, in ticks", v.Danger, true)
	}
	list(b, "Burns again", v.Again)
	for i, names := range v.Legal {
		of := ""
		if w.figures > 1 {
			of = fmt.Sprintf(" for %c", w.letter(seat, i))
		}
		fmt.Fprintf(b, "\nLegal%s: %s", of, strings.Join(names, " "))
		if v.Deadly != nil && v.Deadly[i] != nil {
			fmt.Fprintf(b, "\nDeadly%s: %s", of, strings.Join(v.Deadly[i], " "))
		}
	}
	return b.String() + "\n"
}

// list writes one line of things, if there are any.
func list[T any](b *strings.Builder, what string, things []T) {
	for i, thing := range things {
		if i == 0 {
			fmt.Fprintf(b, "\n%s: %v", what, thing)
		} else {
			fmt.Fprintf(b, "; %v", thing)
		}
	}
}

func numbers[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }

// grid writes the rows of a board below the last digits of the numbers of columns. sparse leaves out
// empty rows.
func (w *Writer) grid(b *strings.Builder, what string, rows []string, sparse bool) {
	fmt.Fprintf(b, "\n%s:\n   ", what)
	for col := range w.Head.Cols {
		fmt.Fprint(b, col%10)
	}
	for i, row := range rows {
		if !sparse || strings.Trim(row, ".") != "" {
			fmt.Fprintf(b, "\n%2d %s", i, row)
		}
	}
}

// String lists the properties of a figure.
func (f figure) String() string {
	text := fmt.Sprintf("%s (%d,%d)", f.Name, f.At[0], f.At[1])
	if f.Where != "" {
		text += " " + f.Where
	}
	if f.Reach > 0 {
		text += fmt.Sprintf(", ammo %d, reach %d", f.Ammo, f.Reach)
	}
	if f.Kicks {
		text += ", kicks"
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"lives", f.Lives}, {"energy", f.Energy}, {"cell burns in", f.Burns}} {
		if n.value > 0 {
			text += fmt.Sprintf(", %s %d", n.name, n.value)
		}
	}
	return text
}

func (b bomb) String() string {
	text := fmt.Sprintf("(%d,%d) in %d", b.At[0], b.At[1], b.Ticks)
	if b.Of != "" {
		text += " of " + b.Of
	}
	if b.Rolls != "" {
		text += " rolls " + b.Rolls
	}
	return text + " reach " + cmp.Or(b.Reach, "0")
}

// board draws the board, one character per cell: what is on a cell covers its ground.
func (w *Writer) board(seen *scene.Step) []byte {
	cells := slices.Repeat([]byte{env.GroundFog}, w.Head.Rows*w.Head.Cols+1) // the last is for places off the board
	copy(cells[:len(cells)-1], seen.Ground)
	put := func(at env.Place, char byte) { cells[w.cell(at)] = char }
	for _, f := range seen.Flames {
		put(f.At, '*')
		if !w.Head.Hides(env.FlameLives) {
			put(f.At, '0'+byte(f.Life))
		}
	}
	for _, b := range seen.Bases {
		put(b.At, w.home(&b)[0])
	}
	for _, i := range seen.Items {
		if !i.Hidden && i.Kind != "" {
			put(i.At, i.Kind[0])
		}
	}
	for _, b := range seen.Bombs {
		put(b.At, 'o')
	}
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive {
			put(a.At, w.letter(a.Seat, number(a)))
		}
	}
	return cells[:len(cells)-1]
}

// home is the name of a base: the small letter of its first owner.
func (w *Writer) home(b *env.SceneBase) string {
	return string(w.letter(b.Owners.First(), 0) + 'a' - 'A')
}

func (w *Writer) rows(cells []byte) (rows []string) {
	for row := range slices.Chunk(cells, w.Head.Cols) {
		rows = append(rows, string(row))
	}
	return rows
}

// legend lists the meanings of a board's characters, except the letters of figures.
func (w *Writer) legend(chars string) (used []string) {
	for _, look := range w.Head.Looks {
		if strings.ContainsAny(chars, look.Chars) {
			used = append(used, look.Chars+" "+look.Meaning)
		}
	}
	return used
}
