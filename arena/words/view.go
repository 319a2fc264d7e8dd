package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// report is what a view tells, in its JSON form. Lists are absent where they are empty.
type report struct {
	Tick   int                `json:"tick"`
	Last   int                `json:"last_tick"`
	You    []figure           `json:"you"`
	In     string             `json:"in"` // letters of who still plays
	Over   string             `json:"over,omitzero"`
	Others []figure           `json:"others,omitzero"`
	Board  []string           `json:"board"`
	Bombs  []bomb             `json:"bombs,omitzero"`
	Danger []string           `json:"danger,omitzero"` // as the board: the first tick at which a cell burns, in base 36
	Heard  map[string][]int   `json:"heard,omitzero"`
	Counts map[string][]int32 `json:"counts,omitzero"`
	Legal  [][]string         `json:"legal"`
}

type figure struct {
	Name  string    `json:"name"`
	At    env.Place `json:"at"`
	Mate  bool      `json:"mate,omitzero"`
	Ammo  int       `json:"ammo,omitzero"`
	Blast int       `json:"blast,omitzero"`
	Kicks bool      `json:"kicks,omitzero"`
	Lives int       `json:"lives,omitzero"`
	Fire  int       `json:"burns_in,omitzero"`
}

type bomb struct {
	At    env.Place `json:"at"`
	Ticks int       `json:"ticks"`
	Blast int       `json:"blast"`
	Rolls string    `json:"rolls,omitzero"`
	Owner string    `json:"owner,omitzero"`
}

// JSON is the view of a seat as JSON; seen is what the seat knows (scene.Step.Seen), and mask
// its legal actions as env.Match.Mask writes them.
func (g *Game) JSON(seen *scene.Step, seat int, mask []uint8, detail Detail) ([]byte, error) {
	return json.Marshal(g.report(seen, seat, mask))
}

// View is the view of a seat as text, of the same arguments as JSON.
func (g *Game) View(seen *scene.Step, seat int, mask []uint8, detail Detail) string {
	r := g.report(seen, seat, mask)
	var b strings.Builder
	fmt.Fprintf(&b, "Tick %d of %d.\n", r.Tick, r.Last)
	for _, f := range r.You {
		fmt.Fprintf(&b, "You are %s at (%d,%d): ammo %d, blast %d.\n", f.Name, f.At[0], f.At[1], f.Ammo, f.Blast)
	}
	fmt.Fprintf(&b, "Board:\n%s\n", strings.Join(r.Board, "\n"))
	if r.Danger != nil {
		fmt.Fprintf(&b, "Danger:\n%s\n", strings.Join(r.Danger, "\n"))
	}
	for i, names := range r.Legal {
		fmt.Fprintf(&b, "Legal %s: %s\n", g.spec.Actions[i].Name, strings.Join(names, " "))
	}
	return b.String()
}

func (g *Game) report(seen *scene.Step, seat int, mask []uint8) *report {
	fire := g.Forecast(seen)
	r := &report{Tick: seen.Step, Last: g.head.MaxSteps, Legal: g.Legal(mask), Board: g.rows(g.board(seen))}
	danger := []byte(strings.Repeat(".", len(fire)))
	for c, f := range fire {
		if t := first(f); t > 0 {
			danger[c] = "0123456789abcdefghijklmnopqrstuvwxyz"[min(t, 35)]
		}
	}
	if slices.ContainsFunc(fire, func(f uint64) bool { return f > 0 }) {
		r.Danger = g.rows(danger)
	}
	for i := range seen.Agents {
		a := &seen.Agents[i]
		if !a.Alive {
			continue
		}
		f := figure{Name: string(g.letterOf(a)), At: a.At, Ammo: a.Ammo, Blast: a.Blast, Kicks: a.Kicks, Lives: a.Lives,
			Fire: first(fire[g.cell(a.At)])}
		if a.Seat == seat {
			r.You = append(r.You, f)
		} else {
			r.Others = append(r.Others, f)
		}
	}
	return r
}

// board draws the board, a character a cell.
func (g *Game) board(seen *scene.Step) []byte {
	cells := slices.Clone([]byte(seen.Ground))
	put := func(at env.Place, char byte) { cells[g.cell(at)] = char }
	for _, i := range seen.Items {
		if !i.Hidden {
			put(i.At, i.Kind[0])
		}
	}
	for _, f := range seen.Flames {
		put(f.At, '*')
	}
	for _, b := range seen.Bases {
		put(b.At, g.letter(env.SeatSet(b.Owners).First(), 0)+'a'-'A')
	}
	for _, b := range seen.Bombs {
		put(b.At, 'o')
	}
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive {
			put(a.At, g.letterOf(a))
		}
	}
	return cells
}

// rows splits cells into rows.
func (g *Game) rows(cells []byte) []string {
	var rows []string
	for row := range slices.Chunk(cells, g.head.Cols) {
		rows = append(rows, string(row))
	}
	return rows
}
