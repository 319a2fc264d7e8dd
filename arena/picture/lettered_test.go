package picture

import (
	"fmt"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
)

// TestLettered: a picture for a model has the numbers of rows and columns, and on each figure that is seen its letter;
// what else is drawn is as before, a cell further.
func TestLettered(t *testing.T) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		spec, m := game.Spec(), game.New(1)[0]
		m.Reset(env.Seed{Value: 2})
		head, step := scene.HeadOf(spec, m), scene.Describe(spec, m, nil, nil)
		seen, pic := step.Seen(&head, 1), OfStep(&head, &step, 1)
		got, letters, numbers := pic.Lettered(spec.Seats), map[string]bool{}, map[string]bool{}
		for i, mark := range got.Marks[1+head.Rows+head.Cols:] {
			was := pic.Marks[i]
			if mark.Row != was.Row+1 || mark.Col != was.Col+1 || mark.Sprite != was.Sprite && mark.Sprite != "letter" {
				t.Fatalf("%s: mark %d is %+v, and was %+v", id, i, mark, was)
			}
			if mark.Sprite == "letter" {
				letters[fmt.Sprintf("%s at %d,%d", mark.Text, int(mark.Row)-1, int(mark.Col)-1)] = true
			}
		}
		for _, mark := range got.Marks[:1+head.Rows+head.Cols] {
			numbers[fmt.Sprintln(mark.Row, mark.Col, mark.Text)] = mark.Sprite == "number"
		}
		row, col := fmt.Sprintln(head.Rows, 0, head.Rows-1), fmt.Sprintln(0, head.Cols, head.Cols-1)
		if !numbers[row] || !numbers[col] {
			t.Errorf("%s: the numbers are %v", id, numbers)
		}
		figures := 0
		for _, a := range seen.Agents {
			n := 0
			if a.Name != "" {
				n = int(a.Name[0] - 'a')
			}
			if letter := fmt.Sprintf("%c at %d,%d", 'A'+n*spec.Seats+a.Seat, a.At[0], a.At[1]); !letters[letter] {
				t.Errorf("%s: %s is not among %v", id, letter, letters)
			}
			figures++
		}
		if figures != len(letters) {
			t.Errorf("%s: %d letters for %d figures", id, len(letters), figures)
		}
	}
}

// TestLettersDiffer: no letter looks like another, and the item for range is not like a flame.
func TestLettersDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"A", "B", "C", "D", "E", "F", "G", "H", ""} {
		img := string(drawnBoard("letter", text, 32, false).Pix)
		if other, known := seen[img]; known {
			t.Errorf("%q looks like %q", text, other)
		}
		seen[img] = text
	}
	red := func(sprite string) (n int) { // in the middle of a flame is its brightest part
		for _, l := range drawings.Sprites[sprite] {
			if l.Fill == "flame2" || l.Fill == "flame3" {
				n++
			}
		}
		return n
	}
	if red("incr_range") != 0 || red("flame") == 0 {
		t.Error("the item for range has the parts of a flame")
	}
}
