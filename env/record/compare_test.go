package record

import "testing"

// TestComparison notes differences of every kind under their names.
func TestComparison(t *testing.T) {
	rows := func(rows ...[]int) [][]int { return rows }
	names := []string{"row", "col"}
	for _, tc := range []struct {
		reason  string
		compare func(c *Comparison)
		want    []string
	}{
		{"equal values", func(c *Comparison) { Equal(c, "done", 1, 1) }, nil},
		{"other values", func(c *Comparison) { Equal(c, "done", true, false) }, []string{"done: expected true, got false"}},
		{"equal lists", func(c *Comparison) { EqualLists(c, "score", []int{1, 2}, []int{1, 2}) }, nil},
		{"an empty list and none", func(c *Comparison) { EqualLists(c, "score", []int{}, nil) }, nil},
		{"other lists", func(c *Comparison) { EqualLists(c, "score", []int{1, 2}, []int{1, 3}) }, []string{"score: expected [1 2], got [1 3]"}},
		{"equal rows", func(c *Comparison) { EqualRows(c, "bombs", rows([]int{1, 2}), rows([]int{1, 2}), names) }, nil},
		{
			"numbers in rows", func(c *Comparison) {
				EqualRows(c, "bombs", rows([]int{1, 2}, []int{3, 4}), rows([]int{1, 5}, []int{6, 4}), names)
			},
			[]string{"bombs[0].col: expected 2, got 5", "bombs[1].row: expected 3, got 6"},
		},
		{"a row too few", func(c *Comparison) { EqualRows(c, "bombs", rows([]int{1, 2}), nil, names) }, []string{"bombs: expected [[1 2]], got []"}},
		{"a longer row", func(c *Comparison) { EqualRows(c, "bombs", rows([]int{1, 2, 3}), rows([]int{1, 2}), names) }, []string{"bombs[0]: expected [1 2 3], got [1 2]"}},
		{"rows longer than their names", func(c *Comparison) { EqualRows(c, "bombs", rows([]int{1, 2, 3}), rows([]int{1, 2, 4}), names) }, []string{"bombs[0]: expected [1 2 3], got [1 2 4]"}},
		{"equal maps", func(c *Comparison) { EqualMaps(c, "board", "0123", "0123", InRows(2)) }, nil},
		{"one cell", func(c *Comparison) { EqualMaps(c, "board", "0123", "0120", InRows(2)) }, []string{"board[1,1]: expected 3, got 0"}},
		{"several cells", func(c *Comparison) { EqualMaps(c, "board", "0123", "0210", InRows(2)) }, []string{"board[0,1]: expected 1, got 2 (and 2 more cells differ)"}},
		{"a shorter map", func(c *Comparison) { EqualMaps(c, "board", "0123", "01", InRows(2)) }, []string{"board: expected 4 cells, got 2 cells"}},
	} {
		c := Comparison{Step: 7}
		tc.compare(&c)
		if c.Report.Mismatches != len(tc.want) || len(c.Report.Differences) != len(tc.want) {
			t.Errorf("%s: %+v, want %d differences", tc.reason, c.Report, len(tc.want))
			continue
		}
		for i, want := range tc.want {
			if got := c.Report.Differences[i].String(); got != "game 0, step 7, "+want {
				t.Errorf("%s: %q, want %q", tc.reason, got, want)
			}
		}
	}
	var c Comparison
	for range keepDifferences + 5 {
		c.Differs("x", 1, 2)
	}
	if c.Report.Mismatches != keepDifferences+5 || len(c.Report.Differences) != keepDifferences {
		t.Errorf("%d mismatches with %d spelled out, want %d and %d", c.Report.Mismatches, len(c.Report.Differences), keepDifferences+5, keepDifferences)
	}
}
