package main

import (
	"encoding/json"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// The boards of the Java re-implementation are recorded with their seeds, from which
// they are made again.

// javaBoardEntries is what such a record holds besides its format. A board that
// was refused has no more than how much of it is cut off.
func javaBoardEntries(r *pommerman.Rules) []saved.Entry {
	list := []saved.Entry{
		{Name: "format", Shape: saved.Text}, {Name: "seed", Shape: saved.JSON}, {Name: "num_rigid"}, {Name: "num_wood"}, {Name: "num_items"},
		{Name: "item_order", Shape: saved.Row, Least: 3, Most: 3, Columns: []saved.Column{saved.Col("", int(pommerman.ExtraBomb), int(pommerman.Kick))}},
		{Name: "inaccessible"}, {Name: "accepted", Shape: saved.Flag},
	}
	board, items := digitMap(r, "board"), saved.UpTo("items", r.BoardSize*r.BoardSize, saved.Col("row", 0, r.BoardSize-1), saved.Col("col", 0, r.BoardSize-1), saved.Col("item", int(pommerman.ExtraBomb), int(pommerman.Kick)))
	items.Shape = saved.Rows
	for _, e := range []saved.Entry{board, items, {Name: "rigid"}, {Name: "wood"}} {
		e.Optional = true
		list = append(list, e)
	}
	return list
}

// checkBoardJava makes a recorded board again and compares.
func checkBoardJava(line []byte) (record.Report, error) {
	r := pommerman.Java(pommerman.FFA)
	entries := javaBoardEntries(&r)
	want, err := saved.Decode(line, entries)
	if err == nil {
		err = saved.CheckAll(entries, want)
	}
	if err != nil {
		return record.Report{}, err
	}
	r.NumRigid, r.NumWood, r.NumItems = want["num_rigid"].(int), want["num_wood"].(int), want["num_items"].(int)
	g, err := pommerman.New("board", "", r, nil)
	if err != nil {
		return record.Report{}, err
	}
	seed, err := javaSeed(want["seed"].(json.RawMessage))
	if err != nil {
		return record.Report{}, err
	}
	s, cutOff := g.LayJava(func(n int) int { return newJavaRandom(seed).IntN(n) })
	accepted := cutOff <= maxUnreachable
	got := saved.Values{"inaccessible": cutOff, "accepted": 0}
	for _, given := range []string{"format", "seed", "num_rigid", "num_wood", "num_items", "item_order"} {
		got[given] = want[given]
	}
	if accepted {
		rigid, wood := cellsOf(&s, r.BoardSize, pommerman.Rigid), cellsOf(&s, r.BoardSize, pommerman.Wood)
		hideItemsJava(&s, wood, r.NumItems, want["item_order"].([]int), newJavaRandom(seed))
		values := r.Form().Table.Values(&s)
		got["board"], got["items"], got["rigid"], got["wood"] = values["board"], values["items"], rigid.Len(), wood.Len()
		got["accepted"] = 1
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Boards: 1}}}
	c.Compare("", entries, want, got)
	return c.Report, nil
}

// cellsOf is the cells that show an item.
func cellsOf(s *pommerman.State, side int, item pommerman.Item) (cells grid.Bits) {
	for _, c := range grid.Cells(side) {
		if s.Board[c] == item {
			cells.Add(c)
		}
	}
	return cells
}

// hideItemsJava hides the items as the original does: cells are drawn until one
// has wood and no item, and of which kind is a place in a list whose order each of
// its processes has for itself.
func hideItemsJava(s *pommerman.State, wood grid.Bits, items int, kinds []int, rng *javaRandom) {
	side := pommerman.Java(pommerman.FFA).BoardSize
	for range min(items, wood.Len()) {
		c := grid.At(rng.IntN(side), rng.IntN(side))
		for !wood.Has(c) {
			c = grid.At(rng.IntN(side), rng.IntN(side))
		}
		wood.Remove(c)
		s.Hide(c, pommerman.Item(kinds[rng.IntN(len(kinds))]))
	}
}
