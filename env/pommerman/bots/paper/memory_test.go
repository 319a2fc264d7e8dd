package paper

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
	"pommego/env/seat"
)

// fogged is the reference's fog of four cells on a drawn board of eleven.
func fogged(t *testing.T, board string, step int) *pommerman.View {
	t.Helper()
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA).Fogged(4), board)
	v.Rules = &foggedRules
	v.StepCount = step
	pommermantest.Fog(v)
	return v
}

var foggedRules = pommerman.Playground(pommerman.FFA).Fogged(4)

// TestRemembersUnderFog: an agent that walks away from what it saw still knows
// it: walls, items, bombs as they tick, and none of the agents.
func TestRemembersUnderFog(t *testing.T) {
	const before = `
		. . . . . . . . . . .
		. + . . . A . . . . .
		. k . . . . . . . . .
		. o . . . . . . . . .
		. B . . . . . . . . .
		. # . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .`
	const after = `
		. . . . . . . . . . .
		. + . . . . A . . . .
		. k . . . . . . . . .
		. o . . . . . . . . .
		. B . . . . . . . . .
		. # . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .`
	var m hybridMemory
	m.remember(fogged(t, before, 7))
	known := m.remember(fogged(t, after, 8))
	for row, want := range []pommerman.Item{
		pommerman.Passage, pommerman.Wood, pommerman.Kick, pommerman.BombItem, pommerman.Passage, pommerman.Rigid,
		pommerman.Fog,
	} {
		if got := known.Board[grid.At(row, 1)]; got != want {
			t.Errorf("(%d,1) is remembered as %d, want %d", row, got, want)
		}
	}
	if known.Board[grid.At(1, 0)] != pommerman.Fog {
		t.Error("a cell never seen is remembered")
	}
	if known.NumBombs != 1 || known.Bombs[0].Cell != grid.At(3, 1) || known.Bombs[0].Life != 4 {
		t.Errorf("remembered bombs are %+v, want one at (3,1) with life 4", known.Bombs[:known.NumBombs])
	}
	for step := 9; step < 13; step++ {
		known = m.remember(fogged(t, after, step))
	}
	if known.NumBombs != 0 {
		t.Errorf("bombs are remembered after they must have exploded: %+v", known.Bombs[:known.NumBombs])
	}
	if known.Board[grid.At(4, 1)] != pommerman.Flames || known.Flame(grid.At(3, 1)) == 0 {
		t.Error("an explosion out of view leaves no flames")
	}
}

// TestEverythingInViewIsKnown: without fog the view itself is what is known.
func TestEverythingInViewIsKnown(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	v := pommermantest.Blank(&rules)
	v.Self.Cell = grid.At(3, 3)
	var m hybridMemory
	for range 2 {
		if m.remember(v) != v {
			t.Error("the view was copied")
		}
	}
	if m.visits[v.Self.Cell] != 2 {
		t.Errorf("%d visits counted, want 2", m.visits[v.Self.Cell])
	}
}

// TestFogIsExplored: with nothing to do in sight, the agent goes where it has
// never looked.
func TestFogIsExplored(t *testing.T) {
	corridor := `
		# # # # # # # # # # #
		# # # # # A . . . . .
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #
		# # # # # # # # # # #`
	for value := range uint64(20) {
		a := new(hybrid)
		a.Reset(env.RNG{State: value})
		action := []uint8{0}
		a.Act(fogged(t, corridor, 3), action)
		if pommerman.Action(action[0]) != pommerman.Right {
			t.Fatalf("plays %v, want right", pommerman.Action(action[0]))
		}
	}
}

// TestHybridsFollowFromWhatTheySaved: an agent restored in the middle of a game
// goes on like the one that was saved, fog or not.
func TestHybridsFollowFromWhatTheySaved(t *testing.T) {
	for i, rules := range pommermantest.Variants() {
		game, err := pommerman.New("saved", "", rules, players)
		if err != nil {
			t.Fatal(err)
		}
		seed := env.Seed{Value: uint64(i)}
		match := game.New(1)[0].(*pommerman.Match)
		match.Reset(seed)
		one, other := new(hybrid), new(hybrid)
		one.Reset(seed.RNG(1))
		width := 1 + rules.RadioWords
		pommermantest.PlayOn(t, game, match, seed, func() {
			if !match.Agents[0].Alive {
				return
			}
			var v pommerman.View
			match.View(0, &v)
			kept := saved.Append(nil, one)
			if err := seat.Restore(other, kept); err != nil {
				t.Fatal(err)
			}
			got, want := make([]uint8, width), make([]uint8, width)
			one.Act(&v, want)
			other.Act(&v, got)
			if string(got) != string(want) {
				t.Fatalf("%+v: step %d: the restored agent plays %v, want %v", rules, v.StepCount, got, want)
			}
			if string(saved.Append(nil, one)) != string(saved.Append(nil, other)) {
				t.Fatalf("step %d: the restored agent remembers something else", v.StepCount)
			}
		})
	}
}
