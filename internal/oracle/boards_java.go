package main

import (
	"encoding/json"
	"fmt"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// The boards of the Java re-implementation are recorded with their seeds, from which
// they are made again.

// boardJava is a recorded board. One that was refused has no more than how much of it is
// cut off.
type boardJava struct {
	Format    string          `json:"format"`
	Seed      json.RawMessage `json:"seed"`
	NumRigid  int             `json:"num_rigid"`
	NumWood   int             `json:"num_wood"`
	NumItems  int             `json:"num_items"`
	ItemOrder []int           `json:"item_order"`
	CutOff    int             `json:"inaccessible"`
	Accepted  saved.Flag      `json:"accepted"`
	Board     saved.Map       `json:"board,omitempty"`
	Items     saved.Rows      `json:"items,omitempty"`
	Rigid     int             `json:"rigid,omitempty"`
	Wood      int             `json:"wood,omitempty"`
}

// checkBoardJava makes a recorded board again and compares.
func checkBoardJava(line []byte) (record.Report, error) {
	r := pommerman.Java(pommerman.FFA)
	var want boardJava
	if err := saved.Decode(line, &want); err != nil {
		return record.Report{}, err
	}
	r.NumRigid, r.NumWood, r.NumItems = want.NumRigid, want.NumWood, want.NumItems
	g, err := pommerman.New("board", "", r, nil)
	if err != nil {
		return record.Report{}, err
	}
	shape := r.Form().Shape
	shape.Columns["item_order"] = []saved.Column{saved.Col("", int(pommerman.ExtraBomb), int(pommerman.Kick))}
	if err := shape.Check(&want); err != nil {
		return record.Report{}, err
	}
	if len(want.ItemOrder) != 3 {
		return record.Report{}, fmt.Errorf("item_order has %d numbers, want 3", len(want.ItemOrder))
	}
	seed, err := javaSeed(want.Seed)
	if err != nil {
		return record.Report{}, err
	}
	s, cutOff := g.LayJava(func(n int) int { return newJavaRandom(seed).IntN(n) })
	got := boardJava{
		Format: want.Format, Seed: want.Seed, NumRigid: want.NumRigid, NumWood: want.NumWood, NumItems: want.NumItems,
		ItemOrder: want.ItemOrder, CutOff: cutOff, Accepted: cutOff <= maxUnreachable,
	}
	if got.Accepted {
		rigid, wood := cellsOf(&s, r.BoardSize, pommerman.Rigid), cellsOf(&s, r.BoardSize, pommerman.Wood)
		hideItemsJava(&s, wood, r.NumItems, want.ItemOrder, newJavaRandom(seed))
		t := r.Form().Snapshot(&s)
		got.Board, got.Items, got.Rigid, got.Wood = t.Board, t.Items, rigid.Len(), wood.Len()
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: 1}}}
	c.Compare("", &shape, &want, &got)
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
