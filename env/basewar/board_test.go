package basewar

import (
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestMap holds the contest's maps to what the document says of them and to how
// they are drawn: 15 rows and columns, blue's base at the left, green's at the
// right, three bombers beside each, 40 stones and 80 boxes, left and right alike.
func TestMap(t *testing.T) {
	g := mustGame(t, Standard())
	var first State
	for episode := range uint64(300) {
		var s State
		g.Deal(&s, env.Seed{Value: 5, Episode: episode})
		if episode == 0 {
			first = s
		} else if s.Stones == first.Stones && s.Boxes == first.Boxes {
			t.Errorf("episode %d has the map of episode 0", episode)
		}
		if s.Stones.Len() != 40 || s.Boxes.Len() != 80 {
			t.Fatalf("%d stones and %d boxes, want 40 and 80", s.Stones.Len(), s.Boxes.Len())
		}
		for row := range 15 {
			for col := range 15 {
				if a, b := g.rules.ground(&s, grid.At(row, col)), g.rules.ground(&s, grid.At(row, 14-col)); a != b &&
					a+b != boardBlue+boardGreen {
					t.Fatalf("row %d: column %d holds %d, column %d holds %d; want left and right alike", row, col, a, 14-col, b)
				}
			}
		}
	}
	r := g.Rules()
	if r.Base(Blue) != grid.At(7, 0) || r.Base(Green) != grid.At(7, 14) {
		t.Errorf("bases stand at %s and %s, want the middle row's ends", where(r.Base(Blue)), where(r.Base(Green)))
	}
	for id, want := range []grid.Cell{grid.At(6, 0), grid.At(6, 14), grid.At(7, 1), grid.At(7, 13), grid.At(8, 0),
		grid.At(8, 14)} {
		if b := first.Bombers[id]; b.Cell != want || b.Lives != 3 || b.Bombs != 3 {
			t.Errorf("bomber %d starts as %+v at %s, want 3 lives and 3 bombs at %s", id, b, where(b.Cell), where(want))
		}
	}
	if first.Energy != [2]uint8{5, 5} {
		t.Errorf("bases start with energy %v, want 5 each", first.Energy)
	}
}

// TestMapsOfAllRules deals maps of every variant: counts, symmetry, free cells
// round the bombers, and nothing out of reach.
func TestMapsOfAllRules(t *testing.T) {
	for name, r := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, r)
			for episode := range uint64(100) {
				var s State
				g.Deal(&s, env.Seed{Value: 6, Episode: episode})
				if err := r.form().Check(&s); err != nil {
					t.Fatal(err)
				}
				if s.Stones.Len() != r.NumStones || s.Boxes.Len() != r.NumBoxes {
					t.Fatalf("%d stones and %d boxes, want %d and %d", s.Stones.Len(), s.Boxes.Len(), r.NumStones, r.NumBoxes)
				}
				full := s.Stones.Or(s.Boxes)
				for c := range grid.Square(r.BoardSize).All {
					for id := range s.Bombers {
						if full.Has(c) && c.Distance(r.start(id)) <= r.FreeSteps {
							t.Fatalf("%s is not free, %d steps from bomber %d", where(c), c.Distance(r.start(id)), id)
						}
					}
					if s.Stones.Has(c) != s.Stones.Has(r.counterpart(c)) || s.Boxes.Has(c) != s.Boxes.Has(r.counterpart(c)) {
						t.Fatalf("%s and its counterpart differ", where(c))
					}
				}
				if n := reachable(&r, &s); n != r.BoardSize*r.BoardSize-r.NumStones-2 {
					t.Fatalf("%d cells are within reach, want all %d", n, r.BoardSize*r.BoardSize-r.NumStones-2)
				}
			}
		})
	}
}

// reachable counts the cells that bomber 0 could reach without boxes.
func reachable(r *Rules, s *State) int {
	seen := map[twinPos]bool{}
	queue := []twinPos{twinAt(s.Bombers[0].Cell)}
	tw := newTwin(r, s)
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if ch, on := tw.board[p]; seen[p] || !on || ch == '#' || ch == '<' || ch == '>' {
			continue
		}
		seen[p] = true
		for _, way := range twinWays {
			queue = append(queue, p.add(way, 1))
		}
	}
	return len(seen)
}

// TestStonesAreSpreadEvenly counts where stones fall: each free cell should get
// one about equally often, the middle column too.
func TestStonesAreSpreadEvenly(t *testing.T) {
	g := mustGame(t, Standard())
	const maps = 3000
	var count [256]int
	for episode := range uint64(maps) {
		var s State
		g.Deal(&s, env.Seed{Value: 8, Episode: episode})
		for c := range s.Boxes.All {
			count[c]++
		}
	}
	for _, p := range g.layout.spots {
		if n := count[p.a]; n < maps*30/100 || n > maps*60/100 {
			t.Errorf("%s has a box on %d of %d maps, want about 44 in 100", where(p.a), n, maps)
		}
	}
}

// TestImpossibleMaps are refused when the game is made, not when it is dealt.
func TestImpossibleMaps(t *testing.T) {
	const never = "num_stones and num_boxes hardly ever fit"
	for _, c := range []struct {
		reason string
		edit   func(*Rules)
		want   string
	}{
		{"more boxes than cells", func(r *Rules) { r.NumBoxes = 200 }, never},
		{"stones that always cut the map", func(r *Rules) { r.NumStones = 110 }, never},
		{"a map turned round has one cell that is its own counterpart",
			func(r *Rules) { r.Symmetry, r.NumStones, r.NumBoxes = Rotated, 41, 81 },
			"num_stones is 41 and num_boxes is 81, want at most 1 of them odd: with symmetry rotation"},
		{"which must stay free on a small one",
			func(r *Rules) { r.Symmetry, r.BoardSize, r.NumStones, r.NumBoxes = Rotated, 7, 3, 0 },
			"num_stones is 3 and num_boxes is 0, want at most 0 of them odd: with symmetry rotation"},
		{"as the middle column of one in a mirror",
			func(r *Rules) { r.BoardSize, r.FreeSteps, r.NumStones, r.NumBoxes = 7, 5, 1, 0 }, "with symmetry mirror"},
	} {
		r := Standard()
		c.edit(&r)
		if _, err := New("test", "", r, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.reason, err, c.want)
		}
	}
}
