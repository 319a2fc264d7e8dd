package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded board is one that the reference of 2018 dealt, in the format
// pommerman-2018-board/1. It holds no random draws from which the board would follow, so
// a check compares it with what is true of every board: where agents, free cells and
// the guaranteed wood are, how many walls and items there are, and that walls are
// mirrored. The recorded counts are compared with new ones.

// board2018 is a recorded board.
type board2018 struct {
	Format      string          `json:"format"`
	Seed        json.RawMessage `json:"seed,omitempty"`
	Board       saved.Map       `json:"board"`
	Items       saved.Rows      `json:"items"`
	Counts      map[string]int  `json:"counts"`
	ItemCounts  map[string]int  `json:"item_counts"`
	Attempts    int             `json:"attempts"`
	Unreachable []int           `json:"unreachable"`
}

func checkBoard2018(line []byte) (record.Report, error) {
	r := pommerman.Rules2018(pommerman.FFA)
	var in board2018
	err := saved.Decode(line, &in)
	if err == nil {
		err = r.Form().Shape.Check(&in)
	}
	if err == nil && len(in.Board) != r.BoardSize*r.BoardSize {
		err = fmt.Errorf("board has %d cells, want %d", len(in.Board), r.BoardSize*r.BoardSize)
	}
	if err != nil {
		return record.Report{}, err
	}
	b := recordedBoard{rules: &r}
	b.Report.Decisions = 1
	if err := b.read(in.Board); err != nil {
		return record.Report{}, err
	}
	b.checkCells()
	b.checkDrafts(in.Attempts, in.Unreachable)
	b.checkItems(in.Items)
	b.checkCounts("counts", in.Counts, map[string]int{"rigid": b.rigid.Len(), "wood": b.wood.Len(), "passage": b.passages})
	b.checkCounts("item_counts", in.ItemCounts, b.kinds)
	return b.Report, nil
}

// recordedBoard is a recorded board and the results of its check.
type recordedBoard struct {
	record.Comparison
	rules       *pommerman.Rules
	board       [256]pommerman.Item
	rigid, wood grid.Bits
	passages    int
	kinds       map[string]int // items by their number
}

// demand notes a difference unless got equals the recorded value.
func (b *recordedBoard) demand(field string, recorded, got any) {
	if recorded != got {
		b.Differs(field, recorded, got)
	}
}

// read takes the letters of the board.
func (b *recordedBoard) read(text saved.Map) error {
	for i, c := range grid.Cells(b.rules.BoardSize) {
		item, err := strconv.ParseUint(string(text[i:i+1]), 36, 8)
		if err != nil {
			return fmt.Errorf("board: %w", err)
		}
		b.board[c] = pommerman.Item(item)
		switch b.board[c] {
		case pommerman.Passage:
			b.passages++
		case pommerman.Rigid:
			b.rigid.Add(c)
		case pommerman.Wood:
			b.wood.Add(c)
		}
	}
	return nil
}

// dealt is what the cells of boards hold that our own rules of 2018 deal: on each cell the
// set of items on 300 boards, a bit for each.
var dealt = sync.OnceValue(func() (cells [256]uint16) {
	g, err := pommerman.New("board", "", pommerman.Rules2018(pommerman.FFA), nil)
	if err != nil {
		panic(err) // a preset is always valid
	}
	for seed := range uint64(300) {
		var s pommerman.State
		g.Deal(&s, env.Seed{Value: seed})
		for c, item := range s.Board {
			cells[c] |= 1 << item
		}
	}
	return cells
})

// drawn is what a cell can hold on whose walls chance decides.
const drawn = 1<<pommerman.Passage | 1<<pommerman.Rigid | 1<<pommerman.Wood

// checkCells compares each cell with what it can hold on a dealt board, and with its
// mirror image.
func (b *recordedBoard) checkCells() {
	all := dealt()
	for _, c := range grid.Cells(b.rules.BoardSize) {
		at := "board at " + where(c)
		switch item := b.board[c]; {
		case all[c] != drawn:
			b.demand(at, item, pommerman.Item(bits.TrailingZeros16(all[c])))
		case item > pommerman.Wood:
			b.Differs(at, item, "passage, rigid or wood")
		default:
			b.demand(at, item, b.board[grid.At(c.Col(), c.Row())])
		}
	}
	b.demand("board (rigid)", b.rigid.Len(), b.rules.NumRigid)
	b.demand("board (wood)", b.wood.Len(), b.rules.NumWood)
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

// maxUnreachable is how many passages may be cut off.
const maxUnreachable = 4

// cutOff is how many passages cannot be reached from the last-placed agent through
// whatever is not rigid.
func (b *recordedBoard) cutOff() (n int) {
	var reached grid.Bits
	reached.Add(grid.At(b.rules.BoardSize-2, b.rules.BoardSize-2))
	reached = reached.Flood(grid.Square(b.rules.BoardSize).AndNot(b.rigid))
	for _, c := range grid.Cells(b.rules.BoardSize) {
		if b.board[c] == pommerman.Passage && !reached.Has(c) {
			n++
		}
	}
	return n
}

// checkDrafts checks how many passages each draft cut off: the last few enough,
// as many as the board shows, and the others too many.
func (b *recordedBoard) checkDrafts(attempts int, cutOff []int) {
	b.demand("attempts", attempts, len(cutOff))
	for i, n := range cutOff {
		if accepted := i == len(cutOff)-1; accepted != (n <= maxUnreachable) {
			b.Differs(fmt.Sprintf("unreachable[%d]", i), n, fmt.Sprintf("at most %d in the last draft alone", maxUnreachable))
		}
	}
	if len(cutOff) > 0 {
		b.demand("unreachable (board)", cutOff[len(cutOff)-1], b.cutOff())
	}
}

// checkItems checks that as many items as there should be lie under wood, and
// counts their kinds.
func (b *recordedBoard) checkItems(items saved.Rows) {
	var taken grid.Bits
	b.kinds = map[string]int{}
	for i, item := range items {
		c := grid.At(item[0], item[1])
		if !b.wood.Has(c) || taken.Has(c) {
			b.Differs(fmt.Sprintf("items[%d]", i), item, "under wood, one a cell")
		}
		taken.Add(c)
		b.kinds[strconv.Itoa(item[2])]++
	}
	b.demand("items (number)", len(items), b.rules.NumItems)
}

// checkCounts compares an object of recorded counts.
func (b *recordedBoard) checkCounts(name string, recorded, got map[string]int) {
	keys := maps.Clone(got)
	maps.Copy(keys, recorded)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		b.demand(name+"."+key, recorded[key], got[key])
	}
}
