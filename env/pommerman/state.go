package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/internal/enum"
)

// The fixed sizes of a State.
const (
	MaxAgents    = 4
	MaxBombs     = 64
	MaxWords     = 3
	maxFlameLife = 5
)

// Item is what a cell of the board shows, with the reference's numbers. Agents
// start at Rules.Agent0.
type Item uint8

// The cell values all rules share.
const (
	Passage   Item = 0
	Rigid     Item = 1
	Wood      Item = 2
	BombItem  Item = 3
	Flames    Item = 4
	Fog       Item = 5 // only observations have it
	ExtraBomb Item = 6
	IncrRange Item = 7
	Kick      Item = 8
	Skull     Item = 9 // with Rules.Skulls; else the value is that of the dummy agent
)

// powerup reports whether an agent can pick the item up. No board shows the dummy, so
// on a board Skull's value always means a skull.
func (i Item) powerup() bool { return i-ExtraBomb <= Skull-ExtraBomb }

// wall reports whether nothing can enter the cell. The border is Rigid.
func (i Item) wall() bool { return i-Rigid <= Wood-Rigid }

// Action is what an agent may do, with the reference's numbers.
type Action uint8

// The actions. Up to Right have the numbers of the directions in package grid.
const (
	Stop Action = iota
	Up
	Down
	Left
	Right
	LayBomb
	numActions
)

func (a Action) String() string { return enum.Name(actionNames[:], a) }

var actionNames = [...]string{"stop", "up", "down", "left", "right", "bomb"}

// State is a running game: one value without pointers, so that assignment
// clones it and == compares it. Its layout is known to this file alone.
//
// Invariants: the board's border is Rigid; every living agent is drawn on its cell,
// unless (in 2018) flames are; only in 2018 can a cell hold two bombs; a cell shows
// Flames exactly if a flame is there; entries of Bombs past NumBombs are zero. A ring
// of the collapse that is due falls at the start of the next step, so until then the
// state is what the seats observe.
type State struct {
	// Board is what an observer without fog sees, in the bordered layout:
	// agents drawn over bombs, flames over everything, hidden items not shown.
	Board [256]Item

	flames
	hidden [3]grid.Bits // by binary digit of Item-Fog: cells whose hidden item has it set

	Bombs    [MaxBombs]Bomb // in the order in which they were laid
	NumBombs uint8

	Agents [MaxAgents]Agent
	Radio  [MaxAgents][MaxWords]uint8 // the words each agent sent in the last step

	StepCount uint16
	due       int8 // the ring that falls before the next step, plus one
	training  int8 // the seat whose death ends the game, plus one
	results   results

	RNG env.RNG // makes the random draws of the rules
}

// Agent is one bomber.
type Agent struct {
	Cell  grid.Cell
	Ammo  uint8
	Blast uint8 // at strength 2 a bomb reaches one cell each way besides its own
	Alive bool
	Kicks bool
}

// Bomb is one bomb.
type Bomb struct {
	Cell  grid.Cell
	Life  uint8 // the bomb explodes when it gets to 0
	Blast uint8
	owner uint8 // agent and direction in one byte
}

// Nobody is the owner of bombs in a view, and in a copy of a game that does not say who laid them.
const Nobody = 15

// Nowhere is the cell of an agent that lives in such a copy, which does not say where.
// Only the Java rules play on from such a copy; in them the agent takes no part.
const Nowhere grid.Cell = 0

// Owner returns the agent that laid the bomb.
func (b *Bomb) Owner() int { return int(b.owner >> 4) }

// Moving returns the direction in which the bomb rolls, grid.Stay if it does not.
func (b *Bomb) Moving() grid.Dir { return grid.Dir(b.owner & 15) }

func (b *Bomb) roll(d grid.Dir) { b.owner = b.owner&0xf0 | uint8(d) }

// NewBomb makes a bomb.
func NewBomb(cell grid.Cell, life, blast uint8, owner int, moving grid.Dir) Bomb {
	return Bomb{cell, life, blast, uint8(owner)<<4 | uint8(moving)}
}

// flames holds the cells where flames burn, by their remaining life. A cell can be in several of these sets.
type flames [maxFlameLife]grid.Bits

// Flame returns the life of the youngest flame on a cell as observations show it (its
// remaining life plus one), 0 if there is none.
func (f *flames) Flame(c grid.Cell) uint8 {
	for life := maxFlameLife - 1; life >= 0; life-- {
		if f[life].Has(c) {
			return uint8(life + 1)
		}
	}
	return 0
}

// Burning returns the cells with a flame of the given life, 1 to 5, counted as in Flame.
func (f *flames) Burning(life int) grid.Bits { return f[life-1] }

// AddFlame adds a flame of the given life to a cell.
func (f *flames) AddFlame(c grid.Cell, life int) { f[life-1].Add(c) }

// burns reports whether at least one flame is on a cell.
func (s *State) burns(c grid.Cell) bool {
	f, w := &s.flames, c>>6
	return (f[0][w]|f[1][w]|f[2][w]|f[3][w]|f[4][w])>>(c&63)&1 != 0
}

// renew gives all flames the life of new ones.
func (f *flames) renew(r *Rules) {
	all := f.burning()
	*f = flames{}
	f[r.FlameLife-1] = all
}

// burning is the set of cells with at least one flame.
func (f *flames) burning() grid.Bits {
	all := f[0]
	for _, more := range f[1:] {
		all = all.Or(more)
	}
	return all
}

// Hidden returns the item under a cell's wood or flames, Passage if there is none.
func (s *State) Hidden(c grid.Cell) Item {
	w, bit := c>>6, c&63
	code := s.hidden[0][w]>>bit&1 | s.hidden[1][w]>>bit&1<<1 | s.hidden[2][w]>>bit&1<<2
	if code == 0 {
		return Passage
	}
	return Fog + Item(code)
}

// Hide puts an item under a cell; Passage removes the item there.
func (s *State) Hide(c grid.Cell, item Item) {
	code := uint8(0)
	if item != Passage {
		code = uint8(item - Fog)
	}
	for digit := range s.hidden {
		s.hidden[digit].Remove(c)
		if code>>digit&1 != 0 {
			s.hidden[digit].Add(c)
		}
	}
}

// hideAll hides extra bombs, ranges, kicks and skulls, each kind under its own set of
// cells, and removes all other hidden items.
func (s *State) hideAll(under *[4]grid.Bits) {
	s.hidden = [3]grid.Bits{under[0].Or(under[2]), under[1].Or(under[2]), under[3]}
}

// BombAt reports whether a bomb lies on c.
func (s *State) BombAt(c grid.Cell) bool { return occupied(s.bombs(), c) }

func occupied(bombs []Bomb, c grid.Cell) bool {
	for i := range bombs {
		if bombs[i].Cell == c {
			return true
		}
	}
	return false
}

func (s *State) bombs() []Bomb { return s.Bombs[:s.NumBombs] }

// addBomb appends a bomb. A full list takes no more. Rules.Validate and the checks on
// restored states make sure that it is never full.
func (s *State) addBomb(b Bomb) {
	if int(s.NumBombs) < len(s.Bombs) {
		s.Bombs[s.NumBombs] = b
		s.NumBombs++
	}
}

// keepBombs keeps the bombs for which keep returns true, in order.
func (s *State) keepBombs(keep func(*Bomb) bool) {
	n := 0
	for i := range s.bombs() {
		if keep(&s.Bombs[i]) {
			s.Bombs[n] = s.Bombs[i]
			n++
		}
	}
	clear(s.Bombs[n:s.NumBombs])
	s.NumBombs = uint8(n)
}

// Living returns the seats whose agents live.
func (s *State) Living() env.SeatSet {
	a := &s.Agents
	return env.SeatSet(toByte(a[0].Alive) | toByte(a[1].Alive)<<1 | toByte(a[2].Alive)<<2 | toByte(a[3].Alive)<<3)
}
