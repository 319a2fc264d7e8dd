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
	var a activations
	for i, e := range examples {
		if got := *trained().answer(e.Features, &a); got != e.Answers {
			t.Errorf("example %d: answers %v, want %v", i, got, e.Answers)
		}
	}
}

// TestNetworkFile: the file has the numbers of all layers and nothing else.
func TestNetworkFile(t *testing.T) {
	want := 0
	for k, units := range netLayers[1:] {
		want += netLayers[k]*units + 4*units
	}
	if len(netFile) != want || want >= 2<<20 {
		t.Errorf("the weights have %d bytes, want %d, and less than 2 MiB", len(netFile), want)
	}
}

// TestFeatures: each feature is one that there is, and is listed once.
func TestFeatures(t *testing.T) {
	var memory championMemory
	s, compared := new(analysis), 0
	rules := pommerman.Playground(pommerman.Team).Fogged(4)
	pommermantest.Follow(t, players, rules, 3, func(_ *pommerman.Game, m *pommerman.Match) {
		var v pommerman.View
		m.View(0, &v)
		memory.remember(&v)
		s.look(v.Rules, 0, &memory)
		s.express()
		all := slices.Sorted(slices.Values(s.input.all()))
		if n := len(all); len(slices.Compact(all)) != n || int(all[n-1]) >= netFeatures {
			t.Fatalf("step %d: features %v, want each once, below %d", v.StepCount, s.input.all(), netFeatures)
		}
		compared++
	})
	if compared < 20 {
		t.Errorf("only %d positions", compared)
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
