package pommerman

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// TestTrackedStep plays games of every variant with and without a tracker, plain
// and boosted, and demands the same state after every step, that fires are where
// the step's flames are, and counts that the events add up to.
func TestTrackedStep(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := mustGame(t, rules)
			matches := g.New(2)
			alone, followed := matches[0].(*Match), matches[1].(*Match)
			k := g.NewTrackers(1, true)[0].(*tracker)
			kinds := map[env.EventKind]int{}
			var sum [MaxAgents][numCounts]uint16
			for m := range randomMoves(g, &alone.State) {
				if m.first {
					followed.State = alone.State
					k.Begin(followed)
					sum = [MaxAgents][numCounts]uint16{}
				}
				before := alone.State
				alone.Step(m.actions)
				k.Step(followed, m.actions)
				compareFollowed(t, &rules, &before, alone, followed, k)
				for _, e := range k.Events() {
					kinds[e.Kind]++
					add(&rules, &sum, e)
				}
				if sum != k.counts {
					t.Fatalf("counted %v, the events add up to %v", k.counts, sum)
				}
			}
			for _, kind := range []env.EventKind{env.Laid, env.NotLaid, env.Kicked, env.PickedUp, env.Exploded, env.Destroyed,
				env.Died} {
				if kinds[kind] == 0 && !testing.Short() {
					t.Errorf("nothing was ever %v: %v", kind, kinds)
				}
			}
		})
	}
}

// compareFollowed compares a step that was followed with the same step alone.
func compareFollowed(t *testing.T, r *Rules, before *State, alone, followed *Match, k *tracker) {
	t.Helper()
	if alone.State != followed.State {
		t.Fatalf("with a tracker a step from\n%s\nleads to\n%s\nwant\n%s", newTwin(r, before).text(),
			newTwin(r, &followed.State).text(), newTwin(r, &alone.State).text())
	}
	var burning grid.Bits
	if i := before.StepCount % fires; k.lit[i] == before.StepCount+1 {
		for _, own := range k.fires[i] {
			burning = burning.Or(own)
		}
	}
	flames := followed.flames[r.FlameLife-1]
	outside := flames.AndNot(burning)
	if r.StepKind == StepJava { // where a ring puts flames out in the same step
		burning = flames
	}
	if burning != flames || !outside.Empty() {
		t.Fatalf("fires on %v, flames on %v", burning, flames)
	}
	dead := before.Living() &^ followed.Living()
	for _, e := range k.Events() {
		if e.Kind == env.Died {
			if !dead.Has(e.Seat) || e.By == 0 && e.What != "collapse" {
				t.Fatalf("%+v, and seats %v are dead", e, dead.List())
			}
			dead = dead.Without(e.Seat)
		}
	}
	if dead != 0 {
		t.Fatalf("seats %v died, and there is no event", dead.List())
	}
}

// add counts an event as the counts' meanings say.
func add(r *Rules, sum *[MaxAgents][numCounts]uint16, e env.Event) {
	for _, by := range e.By.List() {
		switch {
		case e.Kind == env.Destroyed:
			sum[by][countWood]++
		case e.Kind == env.Died && by == e.Seat:
			sum[by][countSuicides]++
		case e.Kind == env.Died && r.Teams() && by%2 == e.Seat%2:
			sum[by][countTeamKills]++
		case e.Kind == env.Died:
			sum[by][countKills]++
		}
	}
	switch e.Kind {
	case env.Laid:
		sum[e.Seat][countBombs]++
	case env.PickedUp:
		sum[e.Seat][countItems]++
		sum[e.Seat][countItem+slices.Index(itemNames[ExtraBomb:], e.What)]++
	case env.Kicked:
		sum[e.Seat][countKicks]++
	default:
	}
}

// laidBy gives the k-th bomb a life and an owner.
func laidBy(owners, life []int) func(*Rules, *State) {
	return func(_ *Rules, s *State) {
		for i := range owners {
			s.Bombs[i] = NewBomb(s.Bombs[i].Cell, uint8(life[i]), s.Bombs[i].Blast, owners[i], grid.Stay)
		}
	}
}

// TestEvents plays drawn boards and compares all that happens.
func TestEvents(t *testing.T) {
	ffa, team := Playground(FFA), Playground(Team)
	still := [4]Action{}
	for _, tc := range []struct {
		name, reason string
		rules        Rules
		start        string
		edit         func(*Rules, *State)
		moves        [][4]Action
		want         string
	}{
		{"kill", "an agent dies in another's flames, one a step later by walking into them", ffa,
			"1o0....\n.......\n..2....\n......3", laidBy([]int{3}, []int{1}),
			[][4]Action{still, {0, 0, Up}, {0, 0, Up}},
			"1 exploded 3 at [0 1]; 1 died 0 at [0 2] by [3]; 1 died 1 at [0 0] by [3]; 3 died 2 at [0 2] by [3]"},
		{"tie", "where flames of two meet, both have killed and both have burnt the wood", ffa,
			"o1o....\n%......\n.......\n0.2...3", laidBy([]int{0, 2}, []int{1, 1}),
			[][4]Action{still},
			"1 exploded 0 at [0 0]; 1 exploded 2 at [0 2]; 1 destroyed at [1 0] by [0] wood; 1 died 1 at [0 1] by [0 2]"},
		{"chain", "flames are their bomb's owner's, not of whose flames set it off", ffa,
			"oo1....\n.......\n.......\n0.2...3", laidBy([]int{0, 2}, []int{1, 5}),
			[][4]Action{still},
			"1 exploded 0 at [0 0]; 1 exploded 2 at [0 1] by [0]; 1 died 1 at [0 2] by [2]"},
		{"suicide", "an agent dies in its own flames", ffa,
			"0.1.2.3", func(r *Rules, s *State) { r.BombLife = 2 },
			[][4]Action{{LayBomb}, still},
			"1 laid 0 at [0 0]; 2 exploded 0 at [0 0]; 2 died 0 at [0 0] by [0]"},
		{"teammate", "teammates and enemies are counted apart", team,
			"0o2....\n.1.....\n......3", laidBy([]int{0}, []int{1}),
			[][4]Action{still},
			"1 exploded 0 at [0 1]; 1 died 0 at [0 0] by [0]; 1 died 1 at [1 1] by [0]; 1 died 2 at [0 2] by [0]"},
		{"not laid", "without ammo, or on a bomb, none is laid", ffa,
			"0.1.2.3", func(_ *Rules, s *State) { s.Agents[1].Ammo = 0 },
			[][4]Action{{LayBomb, LayBomb}, {LayBomb}},
			"1 laid 0 at [0 0]; 1 not_laid 1 at [0 2]; 2 not_laid 0 at [0 0]"},
		{"kick", "an agent that can kicks a bomb and takes an item", ffa,
			"0o.....\n.......\n1.b....\n2.....3", func(_ *Rules, s *State) { s.Agents[0].Kicks = true; s.Bombs[0].Life = 9 },
			[][4]Action{{Right, Right}, {0, Right}, {Right}},
			"1 kicked 0 at [0 1] right; 2 picked_up 1 at [2 2] extra_bomb"},
		{"ring", "a ring that falls kills who stands on it, in the step after it was due", ffa.Collapsing(500),
			"0.....1\n.......\n..2....\n......3", func(r *Rules, s *State) { r.BoardSize = drawn; s.StepCount = 499 },
			[][4]Action{still, still},
			"501 collapsed 0; 501 died 0 at [0 0] collapse; 501 died 1 at [0 6] collapse; 501 died 3 at [3 6] collapse"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := tc.rules
			s := draw(&r, tc.start)
			if tc.edit != nil {
				tc.edit(&r, &s)
			}
			m := &Match{s, undealt(r)}
			k := m.game.NewTrackers(1, true)[0]
			k.Begin(m)
			var got []string
			for _, moves := range tc.moves {
				k.Step(m, []uint8{uint8(moves[0]), uint8(moves[1]), uint8(moves[2]), uint8(moves[3])})
				for _, e := range k.Events() {
					got = append(got, fmt.Sprintf("%d %s", m.StepCount, eventText(e)))
				}
			}
			if text := strings.Join(got, "; "); text != tc.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tc.reason, text, tc.want)
			}
		})
	}
}

// eventText is an event in a line.
func eventText(e env.Event) string {
	text := e.Kind.String()
	if e.Seat != env.NoSeat {
		text += fmt.Sprint(" ", e.Seat)
	}
	if e.At != env.Nowhere {
		text += fmt.Sprint(" at ", e.At)
	}
	if e.By != 0 {
		text += fmt.Sprint(" by ", e.By.List())
	}
	if e.What != "" {
		text += " " + e.What
	}
	return text
}
