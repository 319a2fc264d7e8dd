package match

import (
	"errors"
	"fmt"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
)

// TestDrawSides draws the sides of many matches: teams stay together, each side
// comes up about equally often, and a seed always gives the same.
func TestDrawSides(t *testing.T) {
	for _, tc := range []struct {
		reason string
		teams  [][]int
		want   []string
	}{
		{"two teams, seated alternately", [][]int{{0, 2}, {1, 3}}, []string{"[a b c d]", "[b a d c]"}},
		{"two single players", [][]int{{0}, {1}}, []string{"[a b]", "[b a]"}},
		{"three single players", [][]int{{0}, {1}, {2}},
			[]string{"[a b c]", "[a c b]", "[b a c]", "[b c a]", "[c a b]", "[c b a]"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			spec := &env.Spec{Teams: tc.teams}
			players := []string{"a", "b", "c", "d"}[:len(tc.teams)*len(tc.teams[0])]
			const draws = 3000
			count := map[string]int{}
			for value := range uint64(draws) {
				seated, err := DrawSides(spec, players, env.Seed{Value: value})
				if err != nil {
					t.Fatal(err)
				}
				again, _ := DrawSides(spec, players, env.Seed{Value: value})
				if fmt.Sprint(again) != fmt.Sprint(seated) {
					t.Fatalf("seed %d seats %v and then %v", value, seated, again)
				}
				count[fmt.Sprint(seated)]++
			}
			for _, way := range tc.want {
				if n, fair := count[way], draws/len(tc.want); n < fair*85/100 || n > fair*115/100 {
					t.Errorf("%s was drawn %d times in %d, want about %d", way, n, draws, fair)
				}
				delete(count, way)
			}
			if len(count) > 0 {
				t.Errorf("drawn besides: %v", count)
			}
		})
	}
	if _, err := DrawSides(envtest.Toy().Spec(), []int{0, 1, 2, 3, 4, 5}, env.Seed{}); !errors.Is(err, errUneven) {
		t.Errorf("teams of different sizes: error %v, want errUneven", err)
	}
}
