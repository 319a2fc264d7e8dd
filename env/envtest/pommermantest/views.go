// Package pommermantest makes views and situations of Pommerman for the tests of its
// agents.
package pommermantest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// glyphs are the characters of drawn boards by cell value, agents aside.
const glyphs = ".#+o*?erks"

// Draw makes a view from a drawn board, one line a row, with or without
// blanks between the cells. Agents are A to D, and
// A looks; B, C and D are its enemies. A bomb o, or the one under an agent
// written in lower case, has blast strength 2.
func Draw(t testing.TB, rules pommerman.Rules, board string) *pommerman.View {
	t.Helper()
	var rows []string
	for line := range strings.Lines(board) {
		if row := strings.Join(strings.Fields(line), ""); row != "" {
			rows = append(rows, row)
		}
	}
	rules.BoardSize = len(rows)
	v := Blank(&rules)
	for row, text := range rows {
		if len(text) != len(rows) {
			t.Fatalf("row %d of the board is %q, want %d cells", row, text, len(rows))
		}
		for col, ch := range text {
			if err := put(v, grid.At(row, col), ch); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

// Blank is a view of nothing but rigid walls.
func Blank(rules *pommerman.Rules) *pommerman.View {
	v := &pommerman.View{Rules: rules}
	for c := range v.Board {
		v.Board[c] = pommerman.Rigid
	}
	agents := rules.Agent0()
	v.Self = pommerman.Agent{Ammo: 1, Blast: 2, Alive: true}
	v.Teammate = rules.Dummy()
	v.Enemies = [3]pommerman.Item{agents + 1, agents + 2, agents + 3}
	v.Alive = env.AllSeats(rules.Seats())
	return v
}

func put(v *pommerman.View, c grid.Cell, ch rune) error {
	if i := strings.IndexRune(glyphs, ch); i >= 0 {
		v.Board[c] = pommerman.Item(i)
		if ch == 'o' {
			Lay(v, c, 2)
		}
		return nil
	}
	if ch >= 'a' && ch <= 'd' {
		Lay(v, c, 2)
		ch += 'A' - 'a'
	}
	if ch < 'A' || ch > 'D' {
		return fmt.Errorf("no cell is drawn %c", ch)
	}
	v.Board[c] = v.Rules.Agent0() + pommerman.Item(ch-'A')
	if ch == 'A' {
		v.Self.Cell = c
	}
	return nil
}

// Lay puts a bomb onto a cell.
func Lay(v *pommerman.View, c grid.Cell, blast uint8) {
	v.Bombs[v.NumBombs] = pommerman.NewBomb(c, 5, blast, pommerman.Nobody, grid.Stay)
	v.NumBombs++
}

// Picture draws a view.
func Picture(v *pommerman.View) string {
	var b strings.Builder
	for _, c := range grid.Cells(v.Rules.BoardSize) {
		switch item := v.Board[c]; {
		case item >= v.Rules.Agent0():
			b.WriteByte('A' + byte(item-v.Rules.Agent0()))
		case int(item) < len(glyphs):
			b.WriteByte(glyphs[item])
		default:
			b.WriteByte('!')
		}
		if c.Col() == v.Rules.BoardSize-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// RandomView makes a view that games seldom show from a number: any board size, game
// type and fog, crowded or bare. It returns the RNG too, for whatever belongs to the view.
func RandomView(seed uint64) (*pommerman.View, *env.RNG) {
	rng := env.Seed{Value: seed}.RNG(env.StreamPolicy)
	rules := pommerman.Playground(pommerman.GameType(1 + rng.IntN(4)))
	rules.BoardSize = 7 + rng.IntN(8)
	rules.Skulls = rng.IntN(4) == 0
	if rng.Coin() {
		rules.ViewSize = 1 + rng.IntN(6)
	}
	v := Blank(&rules)
	v.Seat = rng.IntN(rules.Seats())
	scatter(v, &rng)
	Relate(v)
	v.Self.Cell = grid.At(rng.IntN(rules.BoardSize), rng.IntN(rules.BoardSize))
	v.Self.Ammo = uint8(rng.IntN(3))
	v.Self.Blast = uint8(1 + rng.IntN(6))
	for other := range rules.Seats() {
		// Near ones are what most rules look at.
		row := v.Self.Cell.Row() + rng.IntN(7) - 3
		col := v.Self.Cell.Col() + rng.IntN(7) - 3
		if c := grid.At(row, col); other != v.Seat && c.OnBoard(rules.BoardSize) && rng.IntN(3) > 0 {
			v.Board[c] = rules.Agent0() + pommerman.Item(other)
		}
	}
	v.Board[v.Self.Cell] = rules.Agent0() + pommerman.Item(v.Seat)
	if rng.IntN(50) == 0 {
		v.Board[v.Self.Cell] = pommerman.Flames // a dead agent
	}
	layBombs(v, &rng)
	Fog(v)
	return v, &rng
}

// scatter fills the board, with weights of its own for passage, walls and bombs.
func scatter(v *pommerman.View, rng *env.RNG) {
	items := []pommerman.Item{pommerman.Passage, pommerman.Rigid, pommerman.Wood, pommerman.BombItem, pommerman.Flames,
		pommerman.ExtraBomb, pommerman.IncrRange, pommerman.Kick, pommerman.Passage}
	if v.Rules.Skulls {
		items[len(items)-1] = pommerman.Skull
	}
	weights := []int{rng.IntN(40), rng.IntN(12), rng.IntN(12), rng.IntN(4), rng.IntN(3), 1, 1, 1, 1}
	var bag []pommerman.Item
	for i, w := range weights {
		for range w {
			bag = append(bag, items[i])
		}
	}
	for c := range grid.Square(v.Rules.BoardSize).All {
		v.Board[c] = bag[rng.IntN(len(bag))]
	}
}

// Relate names teammate and enemies as the rules do.
func Relate(v *pommerman.View) {
	agents, n := v.Rules.Agent0(), 0
	v.Enemies = [3]pommerman.Item{v.Rules.Dummy(), v.Rules.Dummy(), v.Rules.Dummy()}
	if v.Rules.Teams() {
		v.Teammate = agents + pommerman.Item(v.Rules.Teammate(v.Seat))
	}
	for other := range v.Rules.Enemies(v.Seat).All {
		v.Enemies[n] = agents + pommerman.Item(other)
		n++
	}
}

// layBombs puts a bomb where the board shows one, and under some agents.
func layBombs(v *pommerman.View, rng *env.RNG) {
	for c := range grid.Square(v.Rules.BoardSize).All {
		item := v.Board[c]
		under := item >= v.Rules.Agent0() && rng.IntN(4) == 0
		switch {
		case item != pommerman.BombItem && !under:
		case v.NumBombs == len(v.Bombs):
			v.Board[c] = pommerman.Passage
		default:
			Lay(v, c, uint8(1+rng.IntN(4)*rng.IntN(4)))
		}
	}
}

// Fog hides what is out of view.
func Fog(v *pommerman.View) {
	hidden := func(c grid.Cell) bool {
		rows, cols := c.Row()-v.Self.Cell.Row(), c.Col()-v.Self.Cell.Col()
		return v.Rules.ViewSize > 0 && max(rows, -rows, cols, -cols) > v.Rules.ViewSize
	}
	for c := range grid.Square(v.Rules.BoardSize).All {
		if hidden(c) {
			v.Board[c] = pommerman.Fog
		}
	}
	seen := slices.DeleteFunc(v.Bombs[:v.NumBombs], func(b pommerman.Bomb) bool { return hidden(b.Cell) })
	v.NumBombs = len(seen)
}
