package pommerman

import (
	"pommego/env/grid"
	"pommego/env/saved"
)

// The saved form of a belief: side and, unless that is 0, step count, ring due,
// the rules' digest, a byte for each cell of the board, four for each agent, the number of
// bombs, and four bytes for each. A cell's byte is its item, 16 times the life
// of its flame, and 128 if it was ever seen.
const (
	cellFlame = 4
	cellSeen  = 7
)

// code writes or reads the belief's bytes.
func (b *Belief) code(c *saved.Codec) {
	saved.Numbers(c, &b.side)
	if b.side > grid.MaxSide {
		c.Fail("is of a board of side %d, want at most %d", b.side, grid.MaxSide)
	}
	if b.side == 0 || c.Err() != nil {
		return
	}
	saved.Numbers(c, &b.StepCount)
	saved.Numbers(c, &b.due, &b.training)
	saved.Numbers(c, &b.digest)
	for at := range grid.Square(int(b.side)).All {
		b.codeCell(c, at)
	}
	for i := range b.Agents {
		b.Agents[i].code(c)
	}
	b.codeBombs(c)
}

func (b *Belief) codeCell(c *saved.Codec, at grid.Cell) {
	x := byte(b.Board[at]) | b.Flame(at)<<cellFlame | toByte(b.Seen.Has(at))<<cellSeen
	saved.Numbers(c, &x)
	b.Board[at] = Item(x & 15)
	if x>>cellSeen != 0 {
		b.Seen.Add(at)
	}
	switch flame := x >> cellFlame & 7; {
	case flame > maxFlameLife:
		c.Fail("has a flame of life %d, want at most %d", flame, maxFlameLife)
	case flame > 0:
		b.flames[flame-1].Add(at)
	}
}

// Code writes or reads the belief as a part of what an agent saves. The next Imagine
// forgets a belief that does not fit the rules.
func (b *Belief) Code(c *saved.Codec) {
	if !c.Reading() {
		written := *b
		if b.side != 0 && !b.fresh {
			written.digest = b.rules.digest()
		}
		written.code(c)
		return
	}
	read, part := Belief{State: State{Board: walled}, fresh: true}, *c
	if read.code(&part); read.side == 0 {
		read.State = State{}
	}
	c.Bytes, *b = part.Bytes, read
	if err := part.Err(); err != nil {
		c.Fail("has a belief that %w", err)
	}
}
