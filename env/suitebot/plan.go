package suitebot

import (
	"math/bits"
	"slices"

	"pommego/env"
	"pommego/env/grid"
)

// Plan is the rules with all that follows from them: each field's neighbours on the
// torus, the fields that a bomb reaches, where home bases can be. It is read-only and
// shared by every goroutine.
type Plan struct {
	rules   Rules
	cells   int
	words   int // of a Cells that are in use
	next    [][8]Cell
	reaches []uint64 // words a field
	sights  []uint64 // the same, of what is seen from there; nil: everything
	places  []place
	seated  lanes  // of the players in the game
	lattice []Cell // the home bases before they are shifted
	nearest []step // from any field to all others, the nearest first
	most    int    // fields that a bomb reaches
}

// place is a field's column and row.
type place struct{ x, y uint8 }

// step is the way from one field to another: columns to the right, rows down, and
// how many moves that takes.
type step struct{ right, down, moves uint8 }

// NewPlan makes the plan of rules.
func NewPlan(rules Rules) (*Plan, error) {
	if err := rules.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{rules: rules, cells: rules.Width * rules.Height}
	p.words, p.seated = (p.cells+63)/64, seated(rules.Players)
	p.next = make([][8]Cell, p.cells)
	p.places = make([]place, p.cells)
	for c := range p.cells {
		x, y := c%rules.Width, c/rules.Width
		p.places[c] = place{uint8(x), uint8(y)}
		for a := range p.next[c] {
			p.next[c][a] = Cell(c)
		}
		for _, d := range grid.Dirs {
			down, right := d.Delta()
			p.next[c][d] = p.At((x+right+rules.Width)%rules.Width, (y+down+rules.Height)%rules.Height)
		}
	}
	p.reaches = p.around(rules.BlastRadius, rules.BlastShape)
	if rules.ViewRadius > 0 {
		p.sights = p.around(rules.ViewRadius, Square)
	}
	p.lattice = evenHomes(rules.Width, rules.Height, rules.Players)
	p.nearest = p.steps()
	first := p.Reach(0)
	p.most = first.Len()
	return p, nil
}

// Rules is the plan's rules. The caller must not change them.
func (p *Plan) Rules() *Rules { return &p.rules }

// Cells is the number of fields.
func (p *Plan) Cells() int { return p.cells }

// At is the field at column x and row y.
func (p *Plan) At(x, y int) Cell { return Cell(y*p.rules.Width + x) }

// XY is the column and the row of a field, of any number from outside too.
func (p *Plan) XY(c Cell) (x, y int) { return int(c) % p.rules.Width, int(c) / p.rules.Width }

// Next is where an action leads from a field.
func (p *Plan) Next(c Cell, a Action) Cell { return p.next[c][a&7] }

// around makes a table of the fields up to radius columns and rows away from each field, with
// Cross of those in its own column and row. What goes around the torus and comes back to a
// field finds it there already.
func (p *Plan) around(radius int, shape BlastShape) []uint64 {
	table := make([]uint64, 0, p.cells*p.words)
	w, h := p.rules.Width, p.rules.Height
	for c := range p.cells {
		var all Cells
		for down := -radius; down <= radius; down++ {
			for right := -radius; right <= radius; right++ {
				if shape == Square || down == 0 || right == 0 {
					all.Add(p.At((c%w+right+MaxSide*w)%w, (c/w+down+MaxSide*h)%h))
				}
			}
		}
		table = append(table, all[:p.words]...)
	}
	return table
}

// reach is what a bomb on a field reaches, the words in use.
func (p *Plan) reach(c Cell) []uint64 { return p.reaches[int(c)*p.words:][:p.words] }

// Reach is what a bomb on a field reaches.
func (p *Plan) Reach(c Cell) (all Cells) {
	copy(all[:], p.reach(c))
	return all
}

// Worth is how many fields a bomb on a field reaches that are not gone.
func (p *Plan) Worth(c Cell, gone *Cells) int {
	n, reach := 0, p.reach(c)
	for w, held := range gone[:len(reach)] {
		n += bits.OnesCount64(reach[w] &^ held)
	}
	return n
}

// sight is what the seat of an agent on a field sees.
func (p *Plan) sight(c Cell) (all Cells) {
	if p.sights == nil {
		return p.everything()
	}
	copy(all[:], p.sights[int(c)*p.words:][:p.words])
	return all
}

func (p *Plan) everything() (all Cells) {
	for w := range p.words {
		all[w] = ^uint64(0)
	}
	if rest := p.cells % 64; rest != 0 {
		all[p.words-1] = 1<<rest - 1
	}
	return all
}

// Distance is how many moves lead from one field to another.
func (p *Plan) Distance(a, b Cell) int {
	from, to := p.places[a], p.places[b]
	return apart(int(from.x), int(to.x), p.rules.Width) + apart(int(from.y), int(to.y), p.rules.Height)
}

// steps is the ways to all fields, the nearest first.
func (p *Plan) steps() []step {
	all := make([]step, p.cells)
	for c := range all {
		all[c] = step{p.places[c].x, p.places[c].y, uint8(p.Distance(0, Cell(c)))}
	}
	slices.SortStableFunc(all, func(a, b step) int { return int(a.moves) - int(b.moves) })
	return all
}

// Nearest is the i-th field in the order of distance from c, 0 being c itself,
// and how many moves lead there.
func (p *Plan) Nearest(c Cell, i int) (there Cell, moves int) {
	by := p.nearest[i]
	x, y := int(p.places[c].x)+int(by.right), int(p.places[c].y)+int(by.down)
	if x >= p.rules.Width {
		x -= p.rules.Width
	}
	if y >= p.rules.Height {
		y -= p.rules.Height
	}
	return Cell(y*p.rules.Width + x), int(by.moves)
}

// MostWorth is how many fields a bomb reaches.
func (p *Plan) MostWorth() int { return p.most }

// apart is the shorter way between two places on a circle.
func apart(a, b, round int) int {
	d := max(a-b, b-a)
	return min(d, round-d)
}

// Deal starts a new episode in s.
func (p *Plan) Deal(s *State, seed env.Seed) {
	*s = State{RNG: seed.RNG(env.StreamGame)}
	rng := seed.RNG(env.StreamBoard)
	var taken Cells
	switch p.rules.HomeLayout {
	case Even:
		p.dealEven(s, &rng)
	case Fixed:
		copy(s.Homes[:], p.lattice)
	case Drawn:
		for seat := range p.rules.Players {
			s.Homes[seat] = p.drawCell(&taken, &rng)
		}
	}
	s.Agents = s.Homes
	if p.rules.Start != Scattered {
		return
	}
	for _, home := range s.Homes[:p.rules.Players] {
		taken.Add(home)
	}
	for seat := range p.rules.Players {
		s.Agents[seat] = p.drawCell(&taken, &rng)
	}
}

// dealEven shifts the lattice and deals its bases to the seats.
func (p *Plan) dealEven(s *State, rng *env.RNG) {
	var order [MaxPlayers]int
	seats := order[:p.rules.Players]
	for i := range seats {
		j := rng.IntN(i + 1)
		seats[i], seats[j] = seats[j], i
	}
	dx, dy := rng.IntN(p.rules.Width), rng.IntN(p.rules.Height)
	for k, seat := range seats {
		x, y := p.XY(p.lattice[k])
		s.Homes[seat] = p.At((x+dx)%p.rules.Width, (y+dy)%p.rules.Height)
	}
}

// drawCell draws a field that is not taken, and takes it.
func (p *Plan) drawCell(taken *Cells, rng *env.RNG) Cell {
	for {
		c := Cell(rng.IntN(p.cells))
		if !taken.Has(c) {
			taken.Add(c)
			return c
		}
	}
}

// evenHomes spreads n home bases over a torus: of all lattices of n points the
// one whose points fall on fields without rounding, if there is one, so that the
// translation from any base to any other leads every base to a base; of those
// the one whose nearest bases are furthest apart, then whose next nearest are, and
// so on.
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

// latticePoints is the lattice of n points with the given number of rows, each
// of which begins shear/n of the width to the right of the one above; exact is 1
// if no point had to be rounded.
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
