package champion

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
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
	memory := trained().NewMemory()
	for i, e := range examples {
		var in netInput
		for _, f := range e.Features {
			in.add(int(f))
		}
		if got := trained().Answers(in[:], memory); !slices.Equal(got, e.Answers[:]) {
			t.Errorf("example %d: answers %v, want %v", i, got, e.Answers)
		}
	}
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
		s := new(analysis)
		if s.look(v.Rules, 0, &m); s.bearable() != test.want {
			t.Errorf("%s: %06b of %06b, want %06b, on\n%s", test.reason, s.bearable(), s.moves, test.want,
				pommermantest.Picture(v))
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
