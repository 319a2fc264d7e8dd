package pommerman

import (
	"encoding/json"
	"fmt"
	"strconv"

	"pommego/env/grid"
	"pommego/env/saved"
)

// Observed is the table of the reference's observation dictionary: what a view
// shows, and how a view is made of it.
func (r *Rules) Observed() saved.Table[View] {
	n, dummy, first := r.BoardSize, int(r.Dummy()), int(r.Agent0())
	last := first + r.Seats() - 1
	number := func(name string, lo, hi int, value func(v *View) int, set func(v *View, n int)) saved.Field[View] {
		return saved.Field[View]{
			Entry: saved.Entry{Name: name, Columns: []saved.Column{saved.Col(name, lo, hi)}},
			Value: func(v *View) any { return value(v) },
			Set:   func(v *View, n any) error { set(v, n.(int)); return nil },
		}
	}
	row := func(e saved.Entry, value func(v *View) []int, set func(v *View, row []int)) saved.Field[View] {
		e.Shape = saved.Row
		return saved.Field[View]{
			Entry: e,
			Value: func(v *View) any { return value(v) },
			Set:   func(v *View, row any) error { set(v, row.([]int)); return nil },
		}
	}
	board := func(name, letters string, value func(v *View, c grid.Cell) uint8, set func(v *View, c grid.Cell, n int) error) saved.Field[View] {
		return saved.MapField(saved.Board(name, n, n, letters), func(v *View, i int) int { return int(value(v, r.cell(i))) },
			func(v *View, i, n int) error { return set(v, r.cell(i), n) })
	}
	kick := number("can_kick", 0, 1, func(v *View) int { return int(toByte(v.Self.Kicks)) }, func(v *View, n int) { v.Self.Kicks = n != 0 })
	kick.Shape = saved.Flag
	table := saved.Table[View]{
		board("board", digits, func(v *View, c grid.Cell) uint8 { return uint8(v.Board[c]) }, (*View).setItem),
		board("bomb_blast_strength", digits, func(v *View, c grid.Cell) uint8 { return v.bombAt(c).Blast }, (*View).setBomb),
		board("bomb_life", digits, func(v *View, c grid.Cell) uint8 { return v.bombAt(c).Life },
			func(v *View, c grid.Cell, n int) error {
				return v.alterBomb(c, n, func(b *SeenBomb) { b.Life = uint8(n) })
			}),
		board("bomb_moving_direction", digits[:grid.Right+1], func(v *View, c grid.Cell) uint8 { return uint8(v.bombAt(c).Moving) },
			func(v *View, c grid.Cell, n int) error {
				return v.alterBomb(c, n, func(b *SeenBomb) { b.Moving = grid.Dir(n) })
			}),
		board("flame_life", digits, func(v *View, c grid.Cell) uint8 { return v.Flames[c] },
			func(v *View, c grid.Cell, n int) error { v.Flames[c] = uint8(n); return nil }),
		row(saved.Fixed("position", 2, saved.Col("", 0, n-1)), func(v *View) []int { return []int{v.Self.Cell.Row(), v.Self.Cell.Col()} },
			func(v *View, row []int) { v.Self.Cell = grid.At(row[0], row[1]) }),
		number("ammo", 0, 255, func(v *View) int { return int(v.Self.Ammo) }, func(v *View, n int) { v.Self.Ammo = uint8(n) }),
		number("blast_strength", 1, 255, func(v *View) int { return int(v.Self.Blast) }, func(v *View, n int) { v.Self.Blast = uint8(n) }),
		kick,
		number("teammate", dummy, last, func(v *View) int { return int(v.Teammate) }, func(v *View, n int) { v.Teammate = Item(n) }),
		row(saved.Fixed("enemies", r.enemies(), saved.Col("", dummy, last)), func(v *View) []int { return saved.Ints(v.Enemies[:r.enemies()]) },
			func(v *View, row []int) { saved.SetInts(v.Enemies[:], row) }),
		row(saved.UpTo("alive", r.Seats(), saved.Col("", first, last)), func(v *View) []int { return r.items(v.Alive.Has) }, (*View).setAlive),
		number("game_type", int(r.GameType), int(r.GameType), func(*View) int { return int(r.GameType) }, func(*View, int) {}),
		{
			Entry: saved.Entry{Name: "game_env", Shape: saved.Text},
			Value: func(*View) any { return r.GameEnv }, Set: func(*View, any) error { return nil },
		},
		number("step_count", 0, 1<<15, func(v *View) int { return v.StepCount }, func(v *View, n int) { v.StepCount = n }),
	}
	if r.RadioWords > 0 {
		table = append(table, row(saved.Fixed("message", r.RadioWords, saved.Col("", 0, 255)),
			func(v *View) []int { return saved.Ints(v.Message[:r.RadioWords]) }, func(v *View, row []int) { saved.SetInts(v.Message[:], row) }))
	}
	return table
}

// ReadObservation makes the view of a seat of what it observed, as recorded
// games write it. What cannot be an observation is an error that names the key.
func (r *Rules) ReadObservation(text json.RawMessage, seat int) (*View, error) {
	table, v := r.Observed(), &View{Rules: r, Seat: seat, Enemies: [3]Item{r.Dummy(), r.Dummy(), r.Dummy()}}
	for c := range v.Board {
		v.Board[c] = Rigid
	}
	values, err := saved.Decode(text, table.Entries())
	if err == nil {
		err = table.Fill(v, values)
	}
	return v, err
}

func (v *View) setItem(c grid.Cell, n int) error {
	r, first := v.Rules, int(v.Rules.Agent0())
	if n == int(r.Dummy()) || n >= first+r.Seats() {
		return fmt.Errorf("is %d, want 0 to %d or one of %d agents from %d on", n, r.Dummy()-1, r.Seats(), first)
	}
	v.Board[c] = Item(n)
	return nil
}

func (v *View) setBomb(c grid.Cell, blast int) error {
	if blast > 0 && v.NumBombs == len(v.Bombs) {
		return fmt.Errorf("is %d, want no bombs after the first %d", blast, len(v.Bombs))
	}
	if blast > 0 {
		v.Bombs[v.NumBombs] = SeenBomb{Cell: c, Blast: uint8(blast)}
		v.NumBombs++
	}
	return nil
}

// alterBomb sets what a map shows of the bomb on a cell. Anything but 0 where
// there is none is an error.
func (v *View) alterBomb(c grid.Cell, n int, set func(b *SeenBomb)) error {
	for i := range v.Bombs[:v.NumBombs] {
		if v.Bombs[i].Cell == c {
			set(&v.Bombs[i])
			return nil
		}
	}
	if n != 0 {
		return fmt.Errorf("is %d, but bomb_blast_strength shows no bomb there", n)
	}
	return nil
}

func (v *View) setAlive(list []int) {
	for _, item := range list {
		v.Alive = v.Alive.With(item - int(v.Rules.Agent0()))
	}
	v.Self.Alive = v.Alive.Has(v.Seat)
}

// bombAt is the bomb seen on a cell, the zero value without one.
func (v *View) bombAt(c grid.Cell) SeenBomb {
	for _, b := range v.Bombs[:v.NumBombs] {
		if b.Cell == c {
			return b
		}
	}
	return SeenBomb{}
}

// items lists the cell values of some agents.
func (r *Rules) items(has func(seat int) bool) []int {
	list := []int{}
	for seat := range r.Seats() {
		if has(seat) {
			list = append(list, int(r.Agent0())+seat)
		}
	}
	return list
}

// unpackRaw is the observation dictionary by way of the raw encoding.
func (r *Rules) unpackRaw(raw map[string][]int) saved.Values {
	numbered := func(name string) (list []int) {
		for raw[name+strconv.Itoa(len(list))] != nil {
			list = append(list, raw[name+strconv.Itoa(len(list))][0])
		}
		return list
	}
	alive := numbered("alive")
	values := saved.Values{
		"position": []int{raw["row"][0], raw["col"][0]}, "enemies": numbered("enemy"), "message": numbered("message"),
		"alive": r.items(func(seat int) bool { return alive[seat] != 0 }), "game_env": r.GameEnv,
	}
	for _, e := range r.Observed().Entries() {
		switch e.Shape {
		case saved.Map:
			values[e.Name] = e.Draw(func(i int) int { return raw[e.Name][i] })
		case saved.Number, saved.Flag:
			values[e.Name] = raw[e.Name][0]
		}
	}
	return values
}
