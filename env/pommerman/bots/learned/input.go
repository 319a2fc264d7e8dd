package learned

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/network"
	"pommego/env/pommerman/bots/tactics"
)

// What a network sees, as Python's pommego.networks.Window has it: the planes of the
// cells around the agent, beyond the board rigid; and, on its own cell alone, scalars, and of how many
// cells planes are set in nine blocks around it.
const (
	side   = 11
	unit   = 32 // how much of a plane is 1
	most   = 127
	soon   = 10 // steps ahead in which cells that burn are shown
	scalar = 64 // how much of a scalar is 1
	count  = 8  // how much a cell in a block is

	words, vocabulary = 2, 9 // of a message; silence is one
)

// plane tells what is on a cell, and how much of it is 1.
type plane struct {
	is     func(l *look, c grid.Cell) uint8
	factor int
}

func shows(item pommerman.Item) plane {
	return plane{func(l *look, c grid.Cell) uint8 { return one(l.v.Board[c] == item) }, unit}
}

func bomb(factor int, is func(b *pommerman.SeenBomb) uint8) plane {
	return plane{func(l *look, c grid.Cell) uint8 {
		if l.bombs[c] == nil {
			return 0
		}
		return is(l.bombs[c])
	}, factor}
}

func rolls(d grid.Dir) plane {
	return bomb(unit, func(b *pommerman.SeenBomb) uint8 { return one(b.Moving == d) })
}

func one(is bool) uint8 {
	if is {
		return 1
	}
	return 0
}

// planes are those of the encoding of that name that say more than the others, and danger.
var planes = map[string]plane{
	"rigid":      shows(pommerman.Rigid),
	"wood":       shows(pommerman.Wood),
	"bomb_blast": bomb(6, func(b *pommerman.SeenBomb) uint8 { return b.Blast }),
	"bomb_life":  bomb(6, func(b *pommerman.SeenBomb) uint8 { return b.Life }),
	"bomb_up":    rolls(grid.Up),
	"bomb_down":  rolls(grid.Down),
	"bomb_left":  rolls(grid.Left),
	"bomb_right": rolls(grid.Right),
	"flame":      {func(l *look, c grid.Cell) uint8 { return l.v.Flames[c] }, 16},
	"extra_bomb": shows(pommerman.ExtraBomb),
	"incr_range": shows(pommerman.IncrRange),
	"kick":       shows(pommerman.Kick),
	"teammate":   {func(l *look, c grid.Cell) uint8 { return one(l.isAgent(c) && l.v.Board[c] == l.v.Teammate) }, unit},
	"enemies": {func(l *look, c grid.Cell) uint8 {
		return one(l.isAgent(c) && !l.isSelf(c) && l.v.Board[c] != l.v.Teammate)
	}, unit},
	"fog": shows(pommerman.Fog),
	"danger": {func(l *look, c grid.Cell) uint8 {
		for t := 1; t <= soon; t++ {
			if l.ahead.begins[t].Has(c) {
				return uint8(soon + 1 - t)
			}
		}
		return 0
	}, 6},
}

// scalars are those of the encoding planes.
var scalars = map[string]func(v *pommerman.View) float32{
	"ammo": func(v *pommerman.View) float32 { return share(int(v.Self.Ammo), v.Rules.MaxAmmo) },
	"blast_strength": func(v *pommerman.View) float32 {
		return share(int(v.Self.Blast), max(v.Rules.MaxBlast, v.Rules.StartBlast))
	},
	"can_kick":       func(v *pommerman.View) float32 { return float32(one(v.Self.Kicks)) },
	"step":           func(v *pommerman.View) float32 { return share(v.StepCount, v.Rules.MaxSteps) },
	"enemy0_alive":   func(v *pommerman.View) float32 { return lives(v, v.Enemies[0]) },
	"enemy1_alive":   func(v *pommerman.View) float32 { return lives(v, v.Enemies[1]) },
	"enemy2_alive":   func(v *pommerman.View) float32 { return lives(v, v.Enemies[2]) },
	"teammate_alive": func(v *pommerman.View) float32 { return lives(v, v.Teammate) },
}

// And whether a word of the teammate's message is this.
func init() {
	for i := range words * vocabulary {
		k, word := i/vocabulary, uint8(i%vocabulary)
		scalars[fmt.Sprintf("message%d=%d", k, word)] = func(v *pommerman.View) float32 {
			return float32(one(v.Message[k] == word))
		}
	}
}

func share(n, of int) float32 { return min(float32(n)/float32(of), 1) }

func lives(v *pommerman.View, who pommerman.Item) float32 {
	return float32(one(who >= v.Rules.Agent0() && v.Alive.Has(int(who-v.Rules.Agent0()))))
}

// brain is a network with what it sees.
type brain struct {
	*network.Network
	planes  []plane // those around it, then those of blocks
	scalars []func(v *pommerman.View) float32
	dice    [256]int32 // what is added to an answer, by 8 bits of chance
	works   sync.Pool
	bytes   int64 // of what works lends
}

// read reads a brain from a file.
func read(file []byte) (*brain, error) {
	n, err := network.Read(file, side, 0, tactics.Choices, tactics.Choices+words*vocabulary)
	if err != nil {
		return nil, fmt.Errorf("no network that Network.save wrote: %w", err)
	}
	b := &brain{Network: n}
	for _, name := range slices.Concat(n.Planes, n.Blocks) {
		b.planes = append(b.planes, planes[name])
		if planes[name].is == nil {
			return nil, fmt.Errorf("plane %q does not exist", name)
		}
	}
	for _, name := range n.Scalars {
		b.scalars = append(b.scalars, scalars[name])
		if scalars[name] == nil {
			return nil, fmt.Errorf("scalar %q does not exist", name)
		}
	}
	scale := float64(int(unit)<<n.Layers[len(n.Layers)-1].Shift) * min(max(n.Temperature, 0), 1)
	for i := range b.dice {
		b.dice[i] = int32(math.RoundToEven(scale * -math.Log(-math.Log((float64(i)+0.5)/256))))
	}
	b.works.New = func() any { return &work{memory: n.NewMemory(), input: make([]uint8, side*side*n.Layers[0].Inputs)} }
	first := b.works.New().(*work)
	b.bytes = int64(unsafe.Sizeof(*first)) + int64(len(first.input)) + first.memory.Bytes()
	b.works.Put(first)
	return b, nil
}

// express writes what it sees.
func (b *brain) express(l *look, input []uint8) {
	clear(input)
	self, width := l.v.Self.Cell, len(input)/(side*side)
	near, blocks := b.planes[:len(b.Planes)], b.planes[len(b.Planes):]
	for i := range side * side {
		row, col := self.Row()+i/side-side/2, self.Col()+i%side-side/2
		c := grid.Cell(0) // in the border, which is rigid and empty otherwise
		if min(row, col) >= 0 && max(row, col) < l.v.Rules.BoardSize {
			c = grid.At(row, col)
		}
		for k, p := range near {
			input[i*width+k] = uint8(min(int(p.is(l, c)), most/p.factor) * p.factor)
		}
	}
	numbers := input[side*side/2*width+len(near):]
	for k, is := range b.scalars {
		numbers[k] = uint8(is(l.v)*scalar + 0.5)
	}
	numbers = numbers[len(b.scalars):]
	for c := range grid.Square(l.v.Rules.BoardSize).All {
		third := min(max((c.Row()-self.Row()+10)/7, 0), 2)*3 + min(max((c.Col()-self.Col()+10)/7, 0), 2)
		for k, p := range blocks {
			if p.is(l, c) > 0 {
				numbers[9*k+third] = min(numbers[9*k+third]+count, most)
			}
		}
	}
}
