package basewar

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"pommego/env"
)

var invariantSteps = flag.Int("invariant-steps", 150_000, "rounds that TestInvariants plays")

// TestInvariants plays random games of all variants and holds every state to
// Rules.Check (one thing and one bomb a cell, every bomber's bombs accounted for,
// all values in range) and every round to checkCourse (lives, energy and boxes
// only fall, points are what was destroyed, nobody jumps):
// -invariant-steps says how many rounds.
func TestInvariants(t *testing.T) {
	all := variants()
	names := slices.Sorted(maps.Keys(all))
	games := make([]*Game, len(names))
	for i, name := range names {
		games[i] = mustGame(t, all[name])
	}
	rng := env.RNG{State: 11}
	actions := make([]uint8, NumBombers)
	played, burnt, deaths, public, bases := 0, 0, 0, 0, 0
	var s State
	for episode := uint64(0); played < *invariantSteps; episode++ {
		which := int(episode % uint64(2*len(games)))
		if which >= len(games) { // half of all games are the contest's own, with six seats and with two
			which = slices.Index(names, []string{"standard", "sides"}[which%2])
		}
		g := games[which]
		g.Deal(&s, env.Seed{Value: 12, Episode: episode})
		if rng.IntN(3) == 0 {
			crowd(&g.rules, &s, &rng)
		}
		start := s
		for before := s; !g.rules.Over(&s); before = s {
			randomActions(g, &s, &rng, actions)
			g.Step(&s, actions)
			if err := g.form.Check(&s); err != nil {
				t.Fatalf("episode %d, moves %v: %v, from\n%s", episode, actions, err, newTwin(&g.rules, &before).text())
			}
			checkCourse(t, &g.rules, &before, &s)
			for i := range s.bombs() {
				public += int(toByte(s.Bombs[i].Owner() == Public && s.Bombs[i].Life == uint8(g.rules.BombLife)))
			}
			played++
		}
		burnt += start.Boxes.Len() - s.Boxes.Len()
		for id := range s.Bombers {
			deaths += int(toByte(start.Bombers[id].Alive() && !s.Bombers[id].Alive()))
		}
		bases += int(toByte(s.Energy[Blue] == 0)) + int(toByte(s.Energy[Green] == 0))
	}
	t.Logf("%d rounds, %d boxes burnt, %d deaths, %d public bombs, %d bases destroyed, 0 violations", played, burnt,
		deaths, public, bases)
	if min(burnt, deaths, public, bases) == 0 {
		t.Error("too dull a sample")
	}
}

// TestHighScoresAreSaved: a state may have as many points as its game can give, and no more.
func TestHighScoresAreSaved(t *testing.T) {
	r := Standard()
	r.NumBoxes, r.NumStones, r.BoxPoints, r.DeathPoints = 150, 0, 100, 100
	m := mustGame(t, r).New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 1})
	most := maxScore - 100*m.Boxes.Len() - 100*NumBombers
	for points, ok := range map[int]bool{9700: true, most: true, most + 1: false} {
		m.Score[Blue] = uint16(points)
		if err := m.Restore(m.Append(nil)); (err == nil) != ok {
			t.Errorf("with %d points: %v", points, err)
		}
	}
}

// TestBasesAreFree: a state with a stone or a box on a base is refused.
func TestBasesAreFree(t *testing.T) {
	for _, base := range []string{"3", "4"} {
		for _, thing := range []string{"1", "2"} {
			m := mustGame(t, Standard()).New(1)[0].(*Match)
			m.Reset(env.Seed{Value: 1})
			text, err := m.AppendJSON(nil)
			if err == nil {
				head, board, _ := strings.Cut(string(text), `"board":"`)
				err = m.RestoreJSON([]byte(head + `"board":"` + strings.Replace(board, base, thing, 1)))
			}
			if err == nil || !strings.Contains(err.Error(), "want the base of") {
				t.Errorf("%s in the place of %s: %v", thing, base, err)
			}
		}
	}
}
