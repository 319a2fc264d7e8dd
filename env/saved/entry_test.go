package saved

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

var bombs = UpTo("bombs", 3, Col("row", 0, 4), Col("life", 1, 9))

// TestEntryCheck wants errors that name the place, the value and the range.
func TestEntryCheck(t *testing.T) {
	homes, board := Fixed("homes", 2, Col("row", 0, 4)), Board("board", 2, 2, "01")
	steps := Entry{Name: "steps", Columns: []Column{Col("", 0, 7)}}
	words := Fixed("words", 2, Col("", 0, 7))
	board.Transposed = true
	for _, tc := range []struct {
		reason string
		entry  Entry
		value  any
		want   string
	}{
		{"rows in their ranges", bombs, [][]int{{0, 1}, {4, 9}}, ""},
		{"a number too few", bombs, [][]int{{0, 1}, {4}}, "bombs[1] has 1 numbers, want 2"},
		{"beyond the last row", bombs, [][]int{{5, 1}}, "bombs[0].row is 5, want 0 to 4"},
		{"before the first", bombs, [][]int{{0, 1}, {0, 0}}, "bombs[1].life is 0, want 1 to 9"},
		{"too many rows", bombs, [][]int{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, "bombs has 4 entries, want 0 to 3"},
		{"a row too few", homes, [][]int{{1}}, "homes has 1 entries, want 2"},
		{"a number", steps, 7, ""},
		{"a number out of range", steps, -1, "steps is -1, want 0 to 7"},
		{"a row of numbers", words, []int{0, 7}, ""},
		{"one of them out of range", words, []int{0, 8}, "words[1] is 8, want 0 to 7"},
		{"one too many", words, []int{0, 1, 2}, "words has 3 numbers, want 2"},
		{"a map", board, "0110", ""},
		{"a short map", board, "011", "board has 3 cells, want 4"},
		{"a cell without a letter", board, "0120", "board[0,1] is '2', want one of \"01\""},
	} {
		err := tc.entry.Check(tc.value)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: %v, want %q", tc.reason, err, tc.want)
		}
	}
}

// TestCompare names every kind of difference.
func TestCompare(t *testing.T) {
	board, radio := Board("board", 2, 2, "0123"), Fixed("radio", 2, Col("word", 0, 9))
	bombs.Shape, radio.Shape = Rows, Rows
	rows := func(rows ...[]int) [][]int { return rows }
	for _, tc := range []struct {
		reason    string
		entry     Entry
		want, got any
		told      []string
	}{
		{"equal numbers", Entry{Name: "n"}, 1, 1, nil},
		{"other numbers", Entry{Name: "n"}, 1, 2, []string{"n: 1, 2"}},
		{"an empty list and none", Entry{Name: "l", Shape: Row}, []int{}, nil, nil},
		{"other lists", Entry{Name: "l", Shape: Row}, []int{1, 2}, []int{1, 3}, []string{"l: [1 2], [1 3]"}},
		{"other rewards", Entry{Name: "r", Shape: Reals}, []float64{0.5}, []float64{1}, []string{"r: [0.5], [1]"}},
		{"equal rows", bombs, rows([]int{1, 2}), rows([]int{1, 2}), nil},
		{
			"numbers in rows", bombs, rows([]int{1, 2}, []int{3, 4}), rows([]int{1, 5}, []int{6, 4}),
			[]string{"bombs[0].life: 2, 5", "bombs[1].row: 3, 6"},
		},
		{"a row too few", bombs, rows([]int{1, 2}), nil, []string{"bombs: [[1 2]], []"}},
		{"a longer row", bombs, rows([]int{1, 2, 3}), rows([]int{1, 2}), []string{"bombs[0]: [1 2 3], [1 2]"}},
		{"rows longer than their columns", bombs, rows([]int{1, 2, 3}), rows([]int{1, 2, 4}), []string{"bombs[0]: [1 2 3], [1 2 4]"}},
		{"another order", bombs, rows([]int{1, 2}, []int{3, 4}), rows([]int{3, 4}, []int{1, 2}), []string{"bombs (order): [[1 2] [3 4]], [[3 4] [1 2]]"}},
		{"another order of a fixed list", radio, rows([]int{1}, []int{3}), rows([]int{3}, []int{1}), []string{"radio[0].word: 1, 3", "radio[1].word: 3, 1"}},
		{"equal maps", board, "0123", "0123", nil},
		{"one cell", board, "0123", "0120", []string{"board[1,1]: 3, 0"}},
		{"several cells", board, "0123", "0210", []string{"board[0,1]: 1, 2 (and 2 more cells differ)"}},
		{"a shorter map", board, "0123", "01", []string{"board: 4 cells, 2 cells"}},
	} {
		var told []string
		tc.entry.Compare(tc.want, tc.got, func(path string, want, got any) {
			told = append(told, fmt.Sprintf("%s: %v, %v", path, want, got))
		})
		if !reflect.DeepEqual(told, tc.told) {
			t.Errorf("%s: %q, want %q", tc.reason, told, tc.told)
		}
	}
}

// TestObject writes values of every shape and reads them back.
func TestObject(t *testing.T) {
	entries := []Entry{
		{Name: "n"},
		{Name: "flag", Shape: Flag},
		{Name: "row", Shape: Row},
		{Name: "rows", Shape: Rows},
		{Name: "reals", Shape: Reals},
		{Name: "text", Shape: Text},
		{Name: "gone", Optional: true},
		{Name: "null", Null: true},
	}
	values := Values{"n": 3, "flag": 1, "row": []int{1}, "rows": [][]int{{1, 2}}, "reals": []float64{0.5}, "text": `a"b`}
	text, err := json.Marshal(Object{entries, values})
	const want = `{"n":3,"flag":1,"row":[1],"rows":[[1,2]],"reals":[0.5],"text":"a\"b","null":null}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if got, err := Decode(text, entries); err != nil || !reflect.DeepEqual(got, values) {
		t.Errorf("read back as %v, %v", got, err)
	}
	for _, tc := range []struct{ reason, text, want string }{
		{"a key is missing", `{"n": 1}`, "rows is missing"},
		{"a key is null", `{"n": null, "rows": []}`, "n is null, want a value"},
		{"a key too many", `{"n": 1, "rows": [], "b": 0, "a": 0}`, `there is a key "a", which does not belong here`},
		{"another kind", `{"n": "1", "rows": []}`, "n: json: cannot unmarshal string"},
		{"no object", `[]`, "cannot unmarshal array"},
	} {
		_, err := Decode(json.RawMessage(tc.text), []Entry{{Name: "n"}, {Name: "rows", Shape: Rows}})
		wants(t, tc.reason, err, tc.want)
	}
	_, err = Decode(json.RawMessage(`{"flag": 2}`), []Entry{{Name: "flag", Shape: Flag}})
	wants(t, "a flag that is neither", err, "flag: 2 is not a boolean, want 0 or 1")
}
