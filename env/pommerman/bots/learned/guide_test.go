package learned

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/paper"
	"pommego/env/pommerman/bots/simple"
)

// TestScores: the move that the network alone makes has the highest score, which is 0.
// What is not safe has the least. The network is the one for the kind of game.
func TestScores(t *testing.T) {
	v, seen := new(pommerman.View), map[string]int{}
	pommermantest.Situations(t, pommermantest.Players(simple.Roster, paper.Roster), 1, func(sit *pommermantest.Situation) {
		if sit.Rules.See(&sit.State, 0, v); !v.Self.Alive {
			return
		}
		name := "ppo-ffa"
		if sit.Rules.Teams() {
			name = "mappo-team"
		} else if sit.Rules.Seats() == 2 {
			name = "ppo-duel"
		}
		var safety pommerman.Safety
		safety.See(v)
		scores := new(Guide).Scores(v, 100)
		move := pommermantest.ActionOf(&bot{brain: brains[name]}, v)
		if safety.Moves() != 0 && scores[move] != 0 {
			t.Fatalf("%s plays %v, whose score is %d of %v, want 0", name, move, scores[move], scores)
		}
		for move, x := range scores {
			if x > 0 || x < 100*leastScore || !safety.Moves().Has(pommerman.Action(move)) && x != 100*leastScore {
				t.Fatalf("the score of move %d is %d, where %06b are safe; want %d to 0, and the least of others",
					move, x, safety.Moves(), 100*leastScore)
			}
		}
		seen[name]++
	})
	for _, name := range []string{"ppo-ffa", "mappo-team", "ppo-duel"} {
		if seen[name] < 20 {
			t.Errorf("only %d views of %s", seen[name], name)
		}
	}
}
