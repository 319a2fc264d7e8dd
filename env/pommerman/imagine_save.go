package pommerman

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pommego/env/grid"
	"pommego/env/saved"
)

// The saved form of a belief: side and, unless that is 0, step count, ring due,
// traits, a byte for each cell of the board, four for each agent, the number of
// bombs, and four bytes for each. A cell's byte is its item, 16 times the life
// of its flame, and 128 if it was ever seen.
const (
	cellFlame = 4
	cellSeen  = 7
)

// Append appends the belief to dst.
func (b *Belief) Append(dst []byte) []byte {
	dst = append(dst, b.side)
	if b.side == 0 {
		return dst
	}
	dst = binary.LittleEndian.AppendUint16(dst, b.StepCount)
	dst = append(dst, byte(b.due), byte(b.training))
	dst = binary.LittleEndian.AppendUint64(dst, b.bound)
	for row := range int(b.side) {
		for col := range int(b.side) {
			at := grid.At(row, col)
			dst = append(dst, byte(b.Board[at])|b.Flame(at)<<cellFlame|toByte(b.Seen.Has(at))<<cellSeen)
		}
	}
	for i := range b.Agents {
		a := &b.Agents[i]
		dst = append(dst, byte(a.Cell), a.Ammo, a.Blast, toByte(a.Alive)|toByte(a.Kicks)<<1)
	}
	dst = append(dst, b.NumBombs)
	for i := range b.bombs() {
		bomb := &b.Bombs[i]
		dst = append(dst, byte(bomb.Cell), bomb.Life, bomb.Blast, bomb.owner)
	}
	return dst
}

// Restore takes what Append wrote from the front of state and returns what is
// left. Whether the belief fits the rules turns out at the next Imagine, which
// forgets it if not.
func (b *Belief) Restore(state []byte) (rest []byte, err error) {
	in := saved.Reader{Left: state}
	read := Belief{side: in.Uint8(), fresh: true}
	if read.side > grid.MaxSide {
		return nil, fmt.Errorf("pommerman: saved belief is of a board of side %d, want at most %d", read.side, grid.MaxSide)
	}
	if read.side != 0 {
		read.StepCount = in.Uint16()
		read.due, read.training = int8(in.Uint8()), int8(in.Uint8())
		read.bound = in.Uint64()
		if err := read.restore(&in); err != nil {
			return nil, fmt.Errorf("pommerman: saved belief: %w", err)
		}
	}
	if in.Short {
		return nil, errors.New("pommerman: saved belief is cut short")
	}
	*b = read
	return in.Left, nil
}

func (b *Belief) restore(in *saved.Reader) error {
	for i := range b.Board {
		b.Board[i] = Rigid
	}
	for row := range int(b.side) {
		for col := range int(b.side) {
			at, x := grid.At(row, col), in.Uint8()
			flame := x >> cellFlame & 7
			if flame > maxFlameLife {
				return fmt.Errorf("there is a flame of life %d, want at most %d", flame, maxFlameLife)
			}
			if flame > 0 {
				b.flames[flame-1].Add(at)
			}
			if x>>cellSeen != 0 {
				b.Seen.Add(at)
			}
			b.Board[at] = Item(x & 15)
		}
	}
	for i := range b.Agents {
		x := in.Bytes(4)
		if x[3] > 3 {
			return fmt.Errorf("agent %d has flags %#x, want at most 3", i, x[3])
		}
		b.Agents[i] = Agent{grid.Cell(x[0]), x[1], x[2], x[3]&1 != 0, x[3]&2 != 0}
	}
	if b.NumBombs = in.Uint8(); b.NumBombs > MaxBombs {
		return fmt.Errorf("there are %d bombs, want at most %d", b.NumBombs, MaxBombs)
	}
	for i := range b.bombs() {
		x := in.Bytes(4)
		b.Bombs[i] = Bomb{grid.Cell(x[0]), x[1], x[2], x[3]}
	}
	return nil
}
