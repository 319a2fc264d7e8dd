package suitebot

import (
	"testing"

	"pommego/env"
)

var dense = []string{"standard", "5x5", "7x13", "duel", "32x32", "other readings", "rays round the torus", "5x5 square"}

// TestInvariants plays random games and holds every round to what must be true
// of any: -invariant-steps says how many rounds.
func TestInvariants(t *testing.T) {
	played, kills, contested, collisions := 0, 0, 0, 0
	rng := env.RNG{State: 11}
	actions := make([]uint8, MaxPlayers)
	var s State
	for episode := uint64(0); played < *invariantSteps; episode++ {
		p := mustGame(t, variants()[dense[episode%uint64(len(dense))]])
		for range 20 {
			p.Deal(&s, env.Seed{Value: episode})
			if rng.IntN(4) == 0 {
				boost(p, &s, &rng)
			}
			for before := s; !p.Over(&s); before = s {
				randomActions(&rng, actions)
				p.Step(&s, actions[:p.rules.Players])
				if broken := brokenInvariant(p, &before, &s); broken != "" {
					t.Fatalf("episode %d, round %d, actions %v: %s\nfrom\n%s\nto\n%s", episode, s.StepCount, actions, broken,
						drawing(p, &before), drawing(p, &s))
				}
				played++
			}
			contested += s.Contested()
			for seat := range p.rules.Players {
				kills += int(s.Kills[seat])
				collisions += int(s.Deaths[seat])
			}
		}
	}
	t.Logf("%d rounds, %d kills, %d deaths, %d contested fields, 0 violations", played, kills, collisions, contested)
	if kills == 0 || contested == 0 || collisions <= kills {
		t.Errorf("%d kills, %d contested fields and %d deaths: too dull a sample", kills, contested, collisions)
	}
}

// brokenInvariant names what is wrong with a round, "" if nothing is.
func brokenInvariant(p *Game, before, s *State) string {
	r := &p.rules
	left, collected, kills, deaths, points, gains := p.cells-s.Spent.Len(), 0, 0, 0, 0, 0
	for seat := range MaxPlayers {
		collected += int(s.Collected[seat])
		kills += int(s.Kills[seat]) - int(before.Kills[seat])
		deaths += int(s.Deaths[seat]) - int(before.Deaths[seat])
		points += int(s.Scores[seat]) - int(before.Scores[seat])
		gains += int(s.Gains[seat])
		switch {
		case s.Collected[seat] < before.Collected[seat] || s.Kills[seat] < before.Kills[seat]:
			return "fields or kills were taken back"
		case s.Deaths[seat]-before.Deaths[seat] > 1:
			return "somebody died twice"
		case s.Homes[seat] != before.Homes[seat]:
			return "a home base moved"
		}
	}
	news := s.Spent.Len() - before.Spent.Len()
	earned := 0
	for seat := range MaxPlayers {
		earned += int(s.Collected[seat]-before.Collected[seat])*r.FieldPoints +
			int(s.Kills[seat]-before.Kills[seat])*r.KillPoints
	}
	switch {
	case collected+s.Contested()+left != p.cells || s.Contested() < before.Contested():
		return "fields collected, contested and left are not all fields"
	case s.Spent.And(&before.Spent) != before.Spent:
		return "a field got its points back"
	case news > s.Blast.Len():
		return "more fields lost their points than were reached"
	case points != gains:
		return "the points are not those of the round"
	case r.CollisionPoints == 0 && r.HomePoints == 0 && r.SelfKillPoints == 0 && points != earned:
		return "points came from something else than fields and kills"
	case !r.DeadKills && kills > deaths:
		return "more were killed than died"
	}
	return brokenPlaces(p, s)
}

// brokenPlaces looks at who and what is where, by counting.
func brokenPlaces(p *Game, s *State) string {
	agents, homes, bombs := make(map[Cell]int), make(map[Cell]int), make(map[Cell]int)
	for seat := range p.rules.Players {
		agents[s.Agents[seat]]++
		homes[s.Homes[seat]] = seat + 1
	}
	for b := range s.Bombs {
		bombs[b.Cell]++
		if b.Rounds > p.rules.BombDelay || s.Blast.Has(b.Cell) {
			return "a bomb should have gone off"
		}
		if bombs[b.Cell] > 1 {
			return "two bombs lie on a field"
		}
	}
	for seat := range p.rules.Players {
		at := s.Agents[seat]
		if agents[at] > 1 {
			return "two agents stand on a field"
		}
		if owner := homes[at]; owner != 0 && owner != seat+1 {
			return "an agent stands on an enemy's home base"
		}
	}
	return ""
}

// TestLanesAgreeWithSlowTwin compares words at once and one by one.
func TestLanesAgreeWithSlowTwin(t *testing.T) {
	rng := env.RNG{State: 1}
	numbers := []uint16{0, 1, 2, 3, 0x7fff, 0x8000, 0x8001, 0xffff}
	for range 100_000 {
		var v [MaxPlayers]uint16
		for i := range v {
			v[i] = numbers[rng.IntN(len(numbers))]
		}
		x := numbers[rng.IntN(len(numbers))]
		for half, word := range lanesOf(&v) {
			want := uint64(0)
			for lane := range 4 {
				if v[4*half+lane] == x {
					want |= 1 << (16*lane + 15)
				}
			}
			if got := equalTo(word, x); got != want {
				t.Fatalf("equal to %d in %v, half %d: %016x, want %016x", x, v, half, got, want)
			}
		}
	}
}
