package suitebot

import (
	"math/bits"
	"slices"

	"pommego/env"
	"pommego/env/grid"
)

// place is a field's column and row.
type place struct{ x, y uint8 }

// step is the way from one field to another: columns to the right, rows down, and the
// number of moves.
type step struct{ right, down, moves uint8 }

// plan computes what follows from the rules.
func (g *Game) plan() {
	rules := &g.rules
	g.words, g.seated = (g.cells+63)/64, seated(rules.Players)
	g.next = make([][8]Cell, g.cells)
	g.places = make([]place, g.cells)
	for c := range g.cells {
		g.all.Add(Cell(c))
		x, y := c%rules.Width, c/rules.Width
		g.places[c] = place{uint8(x), uint8(y)}
		for a := range g.next[c] {
			g.next[c][a] = Cell(c)
		}
		for _, d := range grid.Dirs {
			down, right := d.Delta()
			g.next[c][d] = g.At((x+right+rules.Width)%rules.Width, (y+down+rules.Height)%rules.Height)
		}
	}
	g.reaches = g.around(rules.BlastRadius, rules.BlastShape)
	if rules.ViewRadius > 0 {
		g.sights = g.around(rules.ViewRadius, Square)
	}
	g.lattice = evenHomes(rules.Width, rules.Height, rules.Players)
	g.nearest = g.steps()
	first := g.Reach(0)
	g.most = first.Len()
}

// Cells is the number of fields.
func (g *Game) Cells() int { return g.cells }

// At is the field at column x and row y.
func (g *Game) At(x, y int) Cell { return Cell(y*g.rules.Width + x) }

// XY returns the column and the row of a field. It also takes numbers from outside that are no field.
func (g *Game) XY(c Cell) (x, y int) { return int(c) % g.rules.Width, int(c) / g.rules.Width }

// Next returns the field to which an action leads.
func (g *Game) Next(c Cell, a Action) Cell { return g.next[c][a&7] }

// around makes a table, for each field, of the fields up to radius columns and rows
// away; with Cross, only of those in its own column and row. If the way around the
// torus comes back to a field, that field counts once.
func (g *Game) around(radius int, shape BlastShape) []uint64 {
	table := make([]uint64, 0, g.cells*g.words)
	w, h := g.rules.Width, g.rules.Height
	for c := range g.cells {
		var all Cells
		for down := -radius; down <= radius; down++ {
			for right := -radius; right <= radius; right++ {
				if shape == Square || down == 0 || right == 0 {
					all.Add(g.At((c%w+right+MaxSide*w)%w, (c/w+down+MaxSide*h)%h))
				}
			}
		}
		table = append(table, all[:g.words]...)
	}
	return table
}

// reach returns the fields that a bomb on a field reaches, as the words in use.
func (g *Game) reach(c Cell) []uint64 { return g.reaches[int(c)*g.words:][:g.words] }

// Reach returns the fields that a bomb on a field reaches.
func (g *Game) Reach(c Cell) (all Cells) {
	copy(all[:], g.reach(c))
	return all
}

// Worth returns how many of the fields that a bomb on a field reaches are not gone.
func (g *Game) Worth(c Cell, gone *Cells) int {
	n, reach := 0, g.reach(c)
	for w, held := range gone[:len(reach)] {
		n += bits.OnesCount64(reach[w] &^ held)
	}
	return n
}

// sight returns what a seat sees whose agent is on a field.
func (g *Game) sight(c Cell) (seen Cells) {
	if g.sights == nil {
		return g.all
	}
	copy(seen[:], g.sights[int(c)*g.words:][:g.words])
	return seen
}

// Distance returns how many moves lead from one field to another.
func (g *Game) Distance(a, b Cell) int {
	from, to := g.places[a], g.places[b]
	return apart(int(from.x), int(to.x), g.rules.Width) + apart(int(from.y), int(to.y), g.rules.Height)
}

// steps returns the ways to all fields, the nearest first.
func (g *Game) steps() []step {
	all := make([]step, g.cells)
	for c := range all {
		all[c] = step{g.places[c].x, g.places[c].y, uint8(g.Distance(0, Cell(c)))}
	}
	slices.SortStableFunc(all, func(a, b step) int { return int(a.moves) - int(b.moves) })
	return all
}

// Nearest returns the i-th field in the order of distance from c, where 0 is c itself,
// and how many moves lead there.
func (g *Game) Nearest(c Cell, i int) (there Cell, moves int) {
	by := g.nearest[i]
	x, y := int(g.places[c].x)+int(by.right), int(g.places[c].y)+int(by.down)
	if x >= g.rules.Width {
		x -= g.rules.Width
	}
	if y >= g.rules.Height {
		y -= g.rules.Height
	}
	return Cell(y*g.rules.Width + x), int(by.moves)
}

// MostWorth is how many fields a bomb reaches.
func (g *Game) MostWorth() int { return g.most }

// apart returns the length of the shorter way between two places on a circle.
func apart(a, b, round int) int {
	d := max(a-b, b-a)
	return min(d, round-d)
}

// Deal starts a new episode in s.
func (g *Game) Deal(s *State, seed env.Seed) {
	*s = State{RNG: seed.RNG(env.StreamGame)}
	rng := seed.RNG(env.StreamBoard)
	var taken Cells
	switch g.rules.HomeLayout {
	case Even:
		g.dealEven(s, &rng)
	case Fixed:
		copy(s.Homes[:], g.lattice)
	case Drawn:
		for seat := range g.rules.Players {
			s.Homes[seat] = g.drawCell(&taken, &rng)
		}
	}
	s.Agents = s.Homes
	if g.rules.Start != Scattered {
		return
	}
	for _, home := range s.Homes[:g.rules.Players] {
		taken.Add(home)
	}
	for seat := range g.rules.Players {
		s.Agents[seat] = g.drawCell(&taken, &rng)
	}
}

// dealEven shifts the lattice and deals its bases to the seats.
func (g *Game) dealEven(s *State, rng *env.RNG) {
	var order [MaxPlayers]int
	seats := order[:g.rules.Players]
	for i := range seats {
		j := rng.IntN(i + 1)
		seats[i], seats[j] = seats[j], i
	}
	dx, dy := rng.IntN(g.rules.Width), rng.IntN(g.rules.Height)
	for k, seat := range seats {
		x, y := g.XY(g.lattice[k])
		s.Homes[seat] = g.At((x+dx)%g.rules.Width, (y+dy)%g.rules.Height)
	}
}

// drawCell draws a field that is not taken, and takes it.
func (g *Game) drawCell(taken *Cells, rng *env.RNG) Cell {
	for {
		c := Cell(rng.IntN(g.cells))
		if !taken.Has(c) {
			taken.Add(c)
			return c
		}
	}
}

// evenHomes spreads n home bases over a torus. It looks for a lattice of n points that
// all fall on fields without rounding: then the translation from any base to any other
// leads every base to a base. Of these it takes the one whose nearest bases are
// furthest apart, then the one whose next nearest are, and so on. If there is no such
// lattice, it compares all lattices of n points.
func evenHomes(width, height, n int) []Cell {
	var best []Cell
	var bestKey []int
	for rows := 1; rows <= n; rows++ {
		if n%rows != 0 {
			continue
		}
		for shear := range rows {
			homes, exact := latticePoints(width, height, n, rows, shear)
			key := append([]int{exact}, distancesOf(homes, width, height)...)
			if best == nil || slices.Compare(key, bestKey) > 0 {
				best, bestKey = homes, key
			}
		}
	}
	return best
}

// latticePoints returns the lattice of n points with the given number of rows, each of
// which begins shear/n of the width to the right of the one above. exact is 1 if no
// point had to be rounded.
func latticePoints(width, height, n, rows, shear int) (homes []Cell, exact int) {
	exact = 1
	for row := range rows {
		for col := range n / rows {
			x, y := (col*rows+row*shear)*width, row*height
			if x%n != 0 || y%rows != 0 {
				exact = 0
			}
			homes = append(homes, Cell(y/rows*width+x/n%width))
		}
	}
	return homes, exact
}

func distancesOf(homes []Cell, width, height int) []int {
	var all []int
	for i, a := range homes {
		for _, b := range homes[:i] {
			x, y := apart(int(a)%width, int(b)%width, width), apart(int(a)/width, int(b)/width, height)
			all = append(all, x+y)
		}
	}
	slices.Sort(all)
	return all
}
