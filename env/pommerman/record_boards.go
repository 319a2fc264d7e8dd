package pommerman

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"pommego/env/grid"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded board is one that the reference of 2018 dealt, in the format
// pommerman-2018-board/1. It holds no random draws from which the board would follow, so
// a check compares it with what is true of every board: where agents, free cells and
// the guaranteed wood are, how many walls and items there are, and that walls are
// mirrored. The recorded counts are compared with new ones.

// boardEntries are the entries of a recorded board.
func (r *Rules) boardEntries() []saved.Entry {
	last := r.BoardSize - 1
	items := saved.UpTo("items", r.BoardSize*r.BoardSize, saved.Col("row", 0, last), saved.Col("col", 0, last), saved.Col("item", int(ExtraBomb), int(Skull)))
	items.Shape = saved.Rows
	return []saved.Entry{
		{Name: "format", Shape: saved.Text}, {Name: "seed", Shape: saved.JSON, Optional: true},
		r.digitMap("board"), items, {Name: "counts", Shape: saved.JSON}, {Name: "item_counts", Shape: saved.JSON},
		{Name: "attempts"}, {Name: "unreachable", Shape: saved.Row},
	}
}

// Boards2018 is the format of boards dealt by the reference of 2018.
var Boards2018 = record.Format{Name: "pommerman-2018-board/1", Check: checkBoard2018}

func checkBoard2018(line []byte) (record.Report, error) {
	r := Rules2018(FFA)
	entries := r.boardEntries()
	values, err := saved.Decode(line, entries)
	if err == nil {
		err = saved.CheckAll(entries, values)
	}
	if err != nil {
		return record.Report{}, err
	}
	l, err := newLayout(&r)
	if err != nil {
		return record.Report{}, err
	}
	b := recordedBoard{layout: l, Comparison: record.Comparison{Report: record.Report{Counts: record.Counts{Boards: 1}}}}
	b.read(values["board"].(string))
	b.checkCells()
	b.checkDrafts(values["attempts"].(int), values["unreachable"].([]int))
	b.checkItems(values["items"].([][]int))
	b.checkCounts("counts", values, map[string]int{"rigid": b.walls.rigid.Len(), "wood": b.walls.wood.Len(), "passage": b.passages})
	b.checkCounts("item_counts", values, b.kinds)
	return b.Report, nil
}

// recordedBoard is a recorded board and the results of its check.
type recordedBoard struct {
	*layout
	record.Comparison
	board    [256]Item
	walls    walls
	passages int
	kinds    map[string]int // items by their number
}

// demand notes a difference unless got equals the recorded value.
func (b *recordedBoard) demand(field string, recorded, got any) {
	if recorded != got {
		b.Differs(field, recorded, got)
	}
}

// read takes the letters of the board.
func (b *recordedBoard) read(text string) {
	for i, letter := range []byte(text) {
		c := b.rules.cell(i)
		item, _ := strconv.ParseUint(string(letter), 36, 8) // the letters have been checked
		b.board[c] = Item(item)
		switch Item(item) {
		case Passage:
			b.passages++
		case Rigid:
			b.walls.rigid.Add(c)
		case Wood:
			b.walls.wood.Add(c)
		}
	}
}

// checkCells compares each cell with what it is on every board, and with its
// mirror image. The cells of pairs hold any of three things, others one.
func (b *recordedBoard) checkCells() {
	var drawn grid.Bits
	for _, c := range b.pairs {
		drawn.Add(c)
		drawn.Add(mirrored(c))
	}
	for c := range b.cells.All {
		at := "board at " + where(c)
		switch item := b.board[c]; {
		case !drawn.Has(c):
			b.demand(at, item, b.blank.Board[c])
		case item > Wood:
			b.Differs(at, item, "passage, rigid or wood")
		default:
			b.demand(at, item, b.board[mirrored(c)])
		}
	}
	b.demand("board (rigid)", b.walls.rigid.Len(), b.rules.NumRigid)
	b.demand("board (wood)", b.walls.wood.Len(), b.rules.NumWood)
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
		b.demand("unreachable (board)", cutOff[len(cutOff)-1], b.cutOff(&b.walls, 0))
	}
}

// checkItems checks that as many items as there should be lie under wood, and
// counts their kinds.
func (b *recordedBoard) checkItems(items [][]int) {
	var taken grid.Bits
	b.kinds = map[string]int{}
	for i, item := range items {
		c := grid.At(item[0], item[1])
		if !b.walls.wood.Has(c) || taken.Has(c) {
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
