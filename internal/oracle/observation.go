package main

import (
	"fmt"
	"strings"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// observationShape says what the values of an observation may be.
func observationShape(r *pommerman.Rules) *saved.Shape {
	n, dummy, first := r.BoardSize, int(r.Dummy()), int(r.Agent0())
	last := first + r.Seats() - 1
	return &saved.Shape{Cell: func(i int) (int, int) { return i / n, i % n }, Columns: map[string][]saved.Column{
		"position": number(0, n-1), "ammo": number(0, 255), "blast_strength": number(1, 255),
		"teammate": number(dummy, last), "enemies": number(dummy, last), "alive": number(first, last),
		"step_count": number(0, 1<<15), "message": number(0, 255),
	}}
}

// viewOf makes the view of a seat from what it observed. If that cannot be an observation, the error names the key.
func viewOf(r *pommerman.Rules, o *pommerman.Observation, seat int) (*pommerman.View, error) {
	shape := observationShape(r)
	err := shape.Check(o)
	if err != nil {
		return nil, err
	}
	v := readView(r, o, seat)
	shape.Compare(o, v.Observation(), func(path string, given, seen any) {
		if err == nil {
			err = fmt.Errorf("%s is %v, but an observation with the rest could only hold %v", path, given, seen)
		}
	})
	for _, c := range grid.Cells(r.BoardSize) {
		item, first := v.Board[c], r.Agent0()
		if err == nil && (item == r.Dummy() || item >= first+pommerman.Item(r.Seats())) {
			err = fmt.Errorf("board[%d,%d] is %d, want 0 to %d or one of %d agents from %d on", c.Row(), c.Col(), item,
				r.Dummy()-1, r.Seats(), first)
		}
	}
	return v, err
}

// readView makes a view from an observation whose numbers are in their ranges.
func readView(r *pommerman.Rules, o *pommerman.Observation, seat int) *pommerman.View {
	v := &pommerman.View{Rules: r, Seat: seat, Teammate: pommerman.Item(o.Teammate), StepCount: o.StepCount}
	for c := range v.Board {
		v.Board[c] = pommerman.Rigid
	}
	digit := func(m saved.Map, i int) int {
		if i >= len(m) {
			return 0
		}
		return strings.IndexByte("0123456789abcdefghijklmnopqrstuvwxyz", m[i])
	}
	for i, c := range grid.Cells(r.BoardSize) {
		v.Board[c] = pommerman.Item(digit(o.Board, i))
		if life := digit(o.FlameLife, i); life > 0 {
			v.AddFlame(c, min(life, 5))
		}
		if blast := digit(o.BombBlast, i); blast > 0 && v.NumBombs < len(v.Bombs) {
			v.Bombs[v.NumBombs] = pommerman.NewBomb(c, uint8(digit(o.BombLife, i)), uint8(blast), pommerman.Nobody,
				grid.Dir(digit(o.BombMoving, i)))
			v.NumBombs++
		}
	}
	if len(o.Position) == 2 {
		v.Self.Cell = grid.At(o.Position[0], o.Position[1])
	}
	v.Self.Ammo, v.Self.Blast, v.Self.Kicks = uint8(o.Ammo), uint8(o.BlastStrength), bool(o.CanKick)
	for i := range v.Enemies {
		if v.Enemies[i] = r.Dummy(); i < len(o.Enemies) {
			v.Enemies[i] = pommerman.Item(o.Enemies[i])
		}
	}
	for _, item := range o.Alive {
		v.Alive = v.Alive.With(item - int(r.Agent0()))
	}
	v.Self.Alive = v.Alive.Has(seat)
	for i, word := range o.Message[:min(len(o.Message), r.RadioWords)] {
		v.Message[i] = uint8(word)
	}
	return v
}
