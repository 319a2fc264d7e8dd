package learned

import (
	"bytes"
	"regexp"
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/paper"
	"pommego/env/pommerman/bots/simple"
)

// TestOdds: the safe move that the network makes without chance has the highest odds, which are 0.
// What is not safe has the least. The network is the one for the kind of game.
func TestOdds(t *testing.T) {
	sure := map[string]*bot{}
	for name := range brains {
		file := must(files.ReadFile(name + ".net"))
		head, _, _ := bytes.Cut(file, []byte("\n"))
		calm := regexp.MustCompile(`"temperature": [0-9.]+`).ReplaceAll(head, []byte(`"temperature": 0`))
		b := must(read(append(calm, file[len(head):]...)))
		sure[name] = &bot{brain: func() *brain { return b }}
	}
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
		odds := new(Guide).Odds(v, 100)
		move := pommermantest.ActionOf(sure[name], v)
		if safety.Moves() != 0 && odds[move] != 0 {
			t.Fatalf("%s plays %v, whose odds are %d of %v, want 0", name, move, odds[move], odds)
		}
		for move, x := range odds {
			if x > 0 || x < 100*leastOdds || !safety.Moves().Has(pommerman.Action(move)) && x != 100*leastOdds {
				t.Fatalf("odds of move %d are %d, where %06b are safe; want %d to 0, and the least of others",
					move, x, safety.Moves(), 100*leastOdds)
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
