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

// boardEntries are the entries of a recorded board.
func boardEntries(r *pommerman.Rules) []saved.Entry {
	last := r.BoardSize - 1
	items := saved.UpTo("items", r.BoardSize*r.BoardSize, saved.Col("row", 0, last), saved.Col("col", 0, last), saved.Col("item", int(pommerman.ExtraBomb), int(pommerman.Skull)))
	items.Shape = saved.Rows
	return []saved.Entry{
		{Name: "format", Shape: saved.Text}, {Name: "seed", Shape: saved.JSON, Optional: true},
		digitMap(r, "board"), items, {Name: "counts", Shape: saved.JSON}, {Name: "item_counts", Shape: saved.JSON},
		{Name: "attempts"}, {Name: "unreachable", Shape: saved.Row},
	}
}

// digitMap is an entry of a map with a base-36 digit for each cell.
func digitMap(r *pommerman.Rules, name string) saved.Entry {
	return saved.Board(name, r.BoardSize, r.BoardSize, "0123456789abcdefghijklmnopqrstuvwxyz")
}

func checkBoard2018(line []byte) (record.Report, error) {
	r := pommerman.Rules2018(pommerman.FFA)
	entries := boardEntries(&r)
	values, err := saved.Decode(line, entries)
	if err == nil {
		err = saved.CheckAll(entries, values)
	}
	if err != nil {
		return record.Report{}, err
	}
	b := recordedBoard{rules: &r, Comparison: record.Comparison{Report: record.Report{Counts: record.Counts{Boards: 1}}}}
	b.read(values["board"].(string))
	b.checkCells()
	b.checkDrafts(values["attempts"].(int), values["unreachable"].([]int))
	b.checkItems(values["items"].([][]int))
	b.checkCounts("counts", values, map[string]int{"rigid": b.rigid.Len(), "wood": b.wood.Len(), "passage": b.passages})
	b.checkCounts("item_counts", values, b.kinds)
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
func (b *recordedBoard) read(text string) {
	for i, c := range grid.Cells(b.rules.BoardSize) {
		item, _ := strconv.ParseUint(text[i:i+1], 36, 8) // the letters have been checked
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
func (b *recordedBoard) checkItems(items [][]int) {
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
func (b *recordedBoard) checkCounts(name string, values saved.Values, got map[string]int) {
	var recorded map[string]int
	text := values[name].(json.RawMessage)
	if err := json.Unmarshal(text, &recorded); err != nil {
		b.Differs(name, string(text), "an object of counts")
		return
	}
	keys := maps.Clone(got)
	maps.Copy(keys, recorded)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		b.demand(name+"."+key, recorded[key], got[key])
	}
}
