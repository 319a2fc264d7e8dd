package pommerman

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"pommego/env"
	"pommego/env/grid"
)

// boardCounts is one entry of testdata/boardgen.json: what 5,000 boards
// of the reference hold.
type boardCounts struct {
	Size      int              `json:"size"`
	NumAgents int              `json:"num_agents"`
	NumRigid  int              `json:"num_rigid"`
	NumWood   int              `json:"num_wood"`
	NumItems  int              `json:"num_items"`
	Boards    int              `json:"boards"`
	Agents    map[string][]int `json:"agent_cells"`
	Passage   [][]int          `json:"always_passage"`
	Wood      [][]int          `json:"always_wood"`
	FreqRigid [][]int          `json:"freq_rigid"`
	FreqWood  [][]int          `json:"freq_wood"`
	FreqPass  [][]int          `json:"freq_passage"`
	FreqItem  [][]int          `json:"freq_item"`
	Types     map[string]int   `json:"item_types"`
	Attempts  map[string]int   `json:"generation_attempts_until_accepted"`
	Cut       map[string]int   `json:"unreachable_passages_of_accepted_boards"`
}

func readBoardCounts(t *testing.T) []boardCounts {
	t.Helper()
	data, err := os.ReadFile("testdata/boardgen.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Boards []boardCounts }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Boards) != 2 {
		t.Fatalf("boardgen.json has %d entries, want 2", len(file.Boards))
	}
	return file.Boards
}

// readBoardCounts2018 reads the counts of the boards of 2018 into the same form.
func readBoardCounts2018(t *testing.T) boardCounts {
	t.Helper()
	data, err := os.ReadFile("testdata/boardgen-2018.json")
	if err != nil {
		t.Fatal(err)
	}
	file := struct {
		boardCounts
		Agents   [][]int        `json:"agents"`
		Attempts map[string]int `json:"attempts"`
		Cut      map[string]int `json:"unreachable_accepted"`
	}{}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	counts := file.boardCounts
	counts.NumAgents, counts.Agents = len(file.Agents), map[string][]int{}
	counts.Attempts, counts.Cut = file.Attempts, file.Cut
	for seat, at := range file.Agents {
		counts.Agents[fmt.Sprint(11+seat)] = at
	}
	return counts
}

// tally is how often each cell showed each thing on our own boards.
type tally struct {
	rigid, wood, passage, item [][]int
	types                      map[string]int
	cut                        map[string]int
}

func newGridOfCounts(n int) [][]int {
	g := make([][]int, n)
	for i := range g {
		g[i] = make([]int, n)
	}
	return g
}

// ourBoards is how many boards of ours are compared with the reference's.
const ourBoards = 50_000

// TestBoardsAgreeWithReference deals many boards: exact
// counts hold on every board, and the frequency of each cell's content, of the
// items and of the cut-off passages differs no more than chance allows.
func TestBoardsAgreeWithReference(t *testing.T) {
	rules := []Rules{Playground(FFA), Playground(OneVsOne), Rules2018(FFA)}
	for i, want := range append(readBoardCounts(t), readBoardCounts2018(t)) {
		t.Run(fmt.Sprintf("%dx%d", want.Size, want.Size), func(t *testing.T) {
			g := mustGame(t, rules[i])
			got := tally{newGridOfCounts(want.Size), newGridOfCounts(want.Size), newGridOfCounts(want.Size),
				newGridOfCounts(want.Size), map[string]int{}, map[string]int{}}
			var s State
			for i := range ourBoards {
				g.Deal(&s, env.Seed{Value: 1, Episode: uint64(i)})
				checkExactly(t, &s, &want)
				got.add(&s, want.Size)
			}
			for _, f := range []struct {
				name      string
				got, want [][]int
			}{{"rigid", got.rigid, want.FreqRigid}, {"wood", got.wood, want.FreqWood}, {"passage", got.passage, want.FreqPass},
				{"item", got.item, want.FreqItem}} {
				homogeneous(t, "cells with "+f.name, upper(f.got), upper(f.want), ourBoards, want.Boards)
			}
			homogeneousMaps(t, "kinds of items", got.types, want.Types)
			homogeneousMaps(t, "cut-off passages", got.cut, want.Cut)
		})
	}
}

// upper is the cells above the main diagonal: those below mirror them, except
// for items, where they are as good a sample.
func upper(g [][]int) []int {
	var list []int
	for r := range g {
		for c := r + 1; c < len(g); c++ {
			list = append(list, g[r][c])
		}
	}
	return list
}

func checkExactly(t *testing.T, s *State, want *boardCounts) {
	t.Helper()
	count := map[Item]int{}
	items := 0
	for row := range want.Size {
		for col := range want.Size {
			c := grid.At(row, col)
			item := s.Board[c]
			count[item]++
			if s.Hidden(c) != Passage {
				items++
				if item != Wood {
					t.Fatalf("item hidden at %s under %d, want wood", where(c), item)
				}
			}
			mirror := s.Board[grid.At(col, row)]
			if item <= Wood && mirror <= Wood && item != mirror {
				t.Fatalf("%s shows %d and its mirror image %d", where(c), item, mirror)
			}
		}
	}
	passages := want.Size*want.Size - want.NumRigid - want.NumWood - want.NumAgents
	if count[Rigid] != want.NumRigid || count[Wood] != want.NumWood || count[Passage] != passages ||
		items != want.NumItems {
		t.Fatalf("board has %d rigid, %d wood, %d passages and %d items; want %d, %d, %d and %d",
			count[Rigid], count[Wood], count[Passage], items, want.NumRigid, want.NumWood, passages, want.NumItems)
	}
	for value, at := range want.Agents {
		if got := s.Board[grid.At(at[0], at[1])]; fmt.Sprint(got) != value {
			t.Fatalf("cell %v shows %d, want agent %s", at, got, value)
		}
	}
	for _, at := range want.Passage {
		if got := s.Board[grid.At(at[0], at[1])]; got != Passage {
			t.Fatalf("cell %v shows %d, want always a passage", at, got)
		}
	}
	for _, at := range want.Wood {
		if got := s.Board[grid.At(at[0], at[1])]; got != Wood {
			t.Fatalf("cell %v shows %d, want always wood", at, got)
		}
	}
}

func (y *tally) add(s *State, n int) {
	var open, passages, start grid.Bits
	for row := range n {
		for col := range n {
			c := grid.At(row, col)
			switch s.Board[c] {
			case Rigid:
				y.rigid[row][col]++
			case Wood:
				y.wood[row][col]++
			case Passage:
				y.passage[row][col]++
				passages.Add(c)
			}
			if s.Board[c] != Rigid {
				open.Add(c)
			}
			if item := s.Hidden(c); item != Passage {
				y.item[row][col]++
				y.types[fmt.Sprint(item)]++
			}
		}
	}
	start.Add(grid.At(n-2, n-2))
	cut := passages.AndNot(start.Flood(open))
	y.cut[fmt.Sprint(cut.Len())]++
}

// threshold is the chance below which a test calls two samples different. The
// seed is fixed, so a pass stays a pass.
const threshold = 0.001

// homogeneous tests whether two lists of counts, come
// from the same frequencies, by a chi-square test; got is out of nGot boards and
// want out of nWant. Cells that always or never
// hold the thing must do so in both.
func homogeneous(t *testing.T, what string, got, want []int, nGot, nWant int) {
	t.Helper()
	chi, freedom := 0.0, 0
	for i := range got {
		both, boards := float64(got[i]+want[i]), float64(nGot+nWant)
		if both == 0 || both == boards {
			continue
		}
		freedom++
		share := both / boards
		diff := float64(got[i])/float64(nGot) - float64(want[i])/float64(nWant)
		chi += diff * diff / (share * (1 - share) * (1/float64(nGot) + 1/float64(nWant)))
	}
	judge(t, what, chi, freedom)
}

func homogeneousMaps(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	sumGot, sumWant := 0.0, 0.0
	for k := range want {
		sumGot += float64(got[k])
		sumWant += float64(want[k])
	}
	chi := 0.0
	for k := range want {
		g, w := float64(got[k]), float64(want[k])
		share := (g + w) / (sumGot + sumWant)
		chi += (g-share*sumGot)*(g-share*sumGot)/(share*sumGot) + (w-share*sumWant)*(w-share*sumWant)/(share*sumWant)
	}
	judge(t, what, chi, len(want)-1)
	for k := range got {
		if _, known := want[k]; !known {
			t.Errorf("%s: %s never happens in the reference, here %d times", what, k, got[k])
		}
	}
}

func judge(t *testing.T, what string, chi float64, freedom int) {
	t.Helper()
	p := distuv.ChiSquared{K: float64(freedom)}.Survival(chi)
	t.Logf("%s: chi-square %.1f with %d degrees of freedom, p = %.3f", what, chi, freedom, p)
	if freedom > 0 && p < threshold {
		t.Errorf("%s: differs from the reference's boards (p = %.2g, want at least %g)", what, p, threshold)
	}
}
