package champion

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// TestChampionNetAnswers: what PyTorch answered, to the bit.
func TestChampionNetAnswers(t *testing.T) {
	file, err := os.ReadFile("testdata/champion_net.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Features []uint16
		Answers  [tactics.Choices]int32
	}
	if err := json.Unmarshal(file, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 20 {
		t.Fatalf("%d examples, want more", len(examples))
	}
	var a activations
	for i, e := range examples {
		if got := *trained().answer(e.Features, &a); got != e.Answers {
			t.Errorf("example %d: answers %v, want %v", i, got, e.Answers)
		}
	}
}

// TestNetworkFile: a file of another size is refused.
func TestNetworkFile(t *testing.T) {
	if len(netFile) >= 2<<20 {
		t.Errorf("the weights have %d bytes, want less than 2 MiB", len(netFile))
	}
	for _, test := range []struct {
		file []byte
		want string
	}{
		{nil, "of 0 bytes ends in layer 1"},
		{netFile[:len(netFile)-1], "ends in layer 4"},
		{append(slices.Clone(netFile), 0), "has 1 too many"},
	} {
		if _, err := readNetwork(test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with %d bytes: %v, want an error with %q", len(test.file), err, test.want)
		}
	}
}

// TestSightTurned: what is seen on a turned or mirrored board is what is seen on the
// board, turned or mirrored.
func TestSightTurned(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	plain, turned := new(sight), new(sight)
	compared := 0
	pommermantest.Follow(t, players, rules, 3, func(game *pommerman.Game, m *pommerman.Match) {
		var v pommerman.View
		m.View(0, &v)
		for way := range Ways {
			var memory, other championMemory
			memory.remember(&v)
			other.remember(turnedView(&v, way))
			plain.look(v.Rules, 0, &memory)
			plain.express(way)
			turned.look(v.Rules, 0, &other)
			turned.express(0)
			want, got := listed(turned), listed(plain)
			if !slices.Equal(got, want) {
				t.Fatalf("way %d, step %d: features %v, want %v", way, v.StepCount, got, want)
			}
			if len(slices.Compact(got)) != len(want) {
				t.Fatalf("a feature is listed twice: %v", got)
			}
			compared++
		}
	})
	if compared < 100 {
		t.Errorf("only %d positions compared", compared)
	}
}

// listed is the features of a sight in their order, without the direction of the nearest
// enemy: of several as near it is the first.
func listed(s *sight) []uint16 {
	all := slices.Sorted(slices.Values(s.input.all()))
	return slices.DeleteFunc(all, func(f uint16) bool { return int(f) >= netRest+restWhere && int(f) < netRest+restWhere+9 })
}

// turnedView is a view of the board turned or mirrored.
func turnedView(v *pommerman.View, way int) *pommerman.View {
	last := v.Rules.BoardSize - 1
	to := func(c grid.Cell) grid.Cell {
		row, col := turn(2*c.Row()-last, 2*c.Col()-last, way)
		return grid.At((row+last)/2, (col+last)/2)
	}
	w := *v
	for c := range grid.Square(v.Rules.BoardSize).All {
		w.Board[to(c)], w.Flames[to(c)] = v.Board[c], v.Flames[c]
	}
	w.Self.Cell = to(v.Self.Cell)
	for i := range w.Bombs[:w.NumBombs] {
		b := &w.Bombs[i]
		b.Cell, b.Moving = to(b.Cell), grid.Dir(turnedMoves[way][b.Moving])
	}
	slices.SortFunc(w.Bombs[:w.NumBombs], func(a, b pommerman.SeenBomb) int { return int(a.Cell) - int(b.Cell) })
	return &w
}

// TestBearable: moves into a dead end beside a bomb are not, and if there are no others
// they are all there is.
func TestBearable(t *testing.T) {
	for _, test := range []struct {
		reason, board string
		want          tactics.Moves
	}{
		{"round the corner is the only place", `
			#######
			#.a...#
			####.##
			#######
			#######
			#######
			#######`, tactics.One(pommerman.Right)},
		{"in a dead end all moves are as bad", `
			#######
			#.a####
			#######
			#######
			#######
			#######
			#######`, tactics.One(pommerman.Stop).With(pommerman.Left)},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		for i := range v.Bombs[:v.NumBombs] {
			v.Bombs[i].Life = 2
		}
		v.Alive = env.SeatSet(0).With(0)
		var m championMemory
		m.remember(v)
		s := new(sight)
		if s.look(v.Rules, 0, &m); s.bearable() != test.want {
			t.Errorf("%s: %06b of %06b, want %06b, on\n%s", test.reason, s.bearable(), s.moves, test.want, pommermantest.Picture(v))
		}
	}
}

// BenchmarkChampionNet makes decisions in positions of games in fog: an operation is
// one.
func BenchmarkChampionNet(b *testing.B) {
	rules := pommerman.Playground(pommerman.Team).Fogged(4)
	var views []pommerman.View
	game, err := pommerman.New("bench", "", rules, players)
	if err != nil {
		b.Fatal(err)
	}
	match := game.New(1)[0].(*pommerman.Match)
	match.Reset(env.Seed{})
	pommermantest.PlayOn(b, game, match, env.Seed{}, func() {
		var v pommerman.View
		match.View(0, &v)
		views = append(views, v)
	})
	a, action := pommermantest.Bot(b, players, "champion-net", 1), make([]uint8, 1)
	for i := 0; b.Loop(); i++ {
		a.Act(&views[i%len(views)], action)
	}
}
