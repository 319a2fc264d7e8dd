package pommerman

import (
	"encoding/json"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/record"
	"pommego/env/saved"
)

// The boards of the Java rules. Their code makes a fresh generator with the same
// seed for every wall, so that one number of 31 bits decides all of them, each
// taking what remains of it after division by the number of places left. We do the
// same with a number of our own generator. Where too much of a board is cut off the
// original draws again with the same seed, and so for ever; we take another number.

// layJava lays the walls. draw picks one of n places.
func (l *layout) layJava(draw func(n int) int) walls {
	w := walls{wood: l.wood}
	var cells [grid.MaxSide * grid.MaxSide]grid.Cell
	left := cells[:copy(cells[:], l.places)]
	for _, lot := range []struct {
		to    *grid.Bits
		pairs int
	}{{&w.rigid, l.walls}, {&w.wood, l.woods}} {
		for range lot.pairs {
			if len(left) < 2 {
				return w
			}
			c := left[draw(len(left))]
			lot.to.Add(c)
			lot.to.Add(mirrored(c))
			left = without(left, c, mirrored(c))
		}
	}
	return w
}

// without takes two cells out of a list and keeps the order of the others.
func without(list []grid.Cell, a, b grid.Cell) []grid.Cell {
	n := 0
	for _, c := range list {
		if c != a && c != b {
			list[n] = c
			n++
		}
	}
	return list[:n]
}

// mirrored is a cell's image in the main diagonal.
func mirrored(c grid.Cell) grid.Cell { return c<<4 | c>>4 }

// drawJava lays walls until almost all passages can be reached.
func (l *layout) drawJava(rng *env.RNG) walls {
	for {
		u := int32(rng.Uint64() >> 33)
		w := l.layJava(func(n int) int { return reduce(u, n) })
		if l.connected(&w) {
			return w
		}
	}
}

// RecordedBoardsJava is the format of boards recorded from the Java
// re-implementation with their seeds, from which they are made again.
var RecordedBoardsJava = record.Format{Name: "pommerman-java-board/1", Check: checkBoardJava}

// javaBoardEntries is what such a record holds besides its format. A board that
// was refused has no more than how much of it is cut off.
func javaBoardEntries(r *Rules) []saved.Entry {
	list := []saved.Entry{
		{Name: "format", Shape: saved.Text}, {Name: "seed", Shape: saved.JSON}, {Name: "num_rigid"}, {Name: "num_wood"}, {Name: "num_items"},
		{Name: "item_order", Shape: saved.Row, Least: 3, Most: 3, Columns: []saved.Column{saved.Col("", int(ExtraBomb), int(Kick))}},
		{Name: "inaccessible"}, {Name: "accepted", Shape: saved.Flag},
	}
	board, items := r.digitMap("board"), saved.UpTo("items", r.BoardSize*r.BoardSize, saved.Col("row", 0, r.BoardSize-1), saved.Col("col", 0, r.BoardSize-1), saved.Col("item", int(ExtraBomb), int(Kick)))
	items.Shape = saved.Rows
	for _, e := range []saved.Entry{board, items, {Name: "rigid"}, {Name: "wood"}} {
		e.Optional = true
		list = append(list, e)
	}
	return list
}

// checkBoardJava makes a recorded board again and compares.
func checkBoardJava(line []byte) (record.Report, error) {
	r := Java(FFA)
	entries := javaBoardEntries(&r)
	want, err := saved.Decode(line, entries)
	if err == nil {
		err = saved.CheckAll(entries, want)
	}
	if err != nil {
		return record.Report{}, err
	}
	r.NumRigid, r.NumWood, r.NumItems = want["num_rigid"].(int), want["num_wood"].(int), want["num_items"].(int)
	if err := r.Validate(); err != nil {
		return record.Report{}, err
	}
	l, err := newLayout(&r)
	if err != nil {
		return record.Report{}, err
	}
	seed, err := JavaSeed(want["seed"].(json.RawMessage))
	if err != nil {
		return record.Report{}, err
	}
	w := l.layJava(func(n int) int { return NewJavaRandom(seed).IntN(n) })
	got := saved.Values{"inaccessible": l.cutOff(&w, 0), "accepted": int(toByte(l.connected(&w)))}
	for _, given := range []string{"format", "seed", "num_rigid", "num_wood", "num_items", "item_order"} {
		got[given] = want[given]
	}
	if l.connected(&w) {
		var s State
		l.build(&s, &w)
		hideItemsJava(&s, w.wood, r.NumItems, want["item_order"].([]int), NewJavaRandom(seed))
		form := r.form()
		values := form.Table.Values(&s)
		got["board"], got["items"], got["rigid"], got["wood"] = values["board"], values["items"], w.rigid.Len(), w.wood.Len()
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Boards: 1}}}
	c.Compare("", entries, want, got)
	return c.Report, nil
}

// hideItemsJava hides the items as the original does: cells are drawn until one
// has wood and no item, and of which kind is a place in a list whose order each of
// its processes has for itself.
func hideItemsJava(s *State, wood grid.Bits, items int, kinds []int, rng *JavaRandom) {
	side := Java(FFA).BoardSize
	for range min(items, wood.Len()) {
		c := grid.At(rng.IntN(side), rng.IntN(side))
		for !wood.Has(c) {
			c = grid.At(rng.IntN(side), rng.IntN(side))
		}
		wood.Remove(c)
		s.hide(c, Item(kinds[rng.IntN(len(kinds))]))
	}
}
