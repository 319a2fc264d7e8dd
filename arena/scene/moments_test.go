package scene_test

import (
	"slices"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/pommerman"
)

// TestMomentsAreFound looks at the moments of a recorded game of every id, and at what each seat knows of them.
func TestMomentsAreFound(t *testing.T) {
	total, less := map[env.EventKind]int{}, 0
	for _, id := range catalog.IDs() {
		g := read(t, golden(t, id))
		leader := env.SeatSet(0)
		for i := range g.Steps {
			s := &g.Steps[i]
			sum := 0
			for _, share := range s.Advantage {
				sum += share
			}
			if len(s.Advantage) != len(g.Teams) || sum < 97 || sum > 103 {
				t.Errorf("%s, step %d: the advantage is %v of %d sides", id, s.Step, s.Advantage, len(g.Teams))
			}
			for _, e := range s.Events {
				total[e.Kind]++
				switch e.Kind {
				case env.Escaped:
					if e.Since >= s.Step || e.Since < s.Step-20 || !slices.Contains(s.Status.In, e.Seat) {
						t.Errorf("%s, step %d: %+v", id, s.Step, e)
					}
				case env.Leads:
					if e.By == leader {
						t.Errorf("%s, step %d: %v leads twice", id, s.Step, e.By)
					}
					leader = e.By
				case env.Ended:
					if e.Since == 0 || e.Since > s.Step {
						t.Errorf("%s: the end at step %d was decided at %d", id, s.Step, e.Since)
					}
				}
			}
			for seat := range g.Colours {
				seen := s.Seen(&g.Head, seat)
				for _, e := range seen.Events {
					if (e.Kind == env.Trapped || e.Kind == env.Escaped) && e.Seat != seat ||
						(e.Kind == env.Leads || seen.Advantage != nil) && g.Hides(env.OthersCarry) ||
						e.Kicked&^(1<<seat) != 0 && e.Seat != seat && g.Hides(env.BombOwners) {
						t.Errorf("%s, step %d: seat %d knows %+v", id, s.Step, seat, e)
					}
				}
				less += len(s.Events) - len(seen.Events)
			}
		}
	}
	t.Log(total)
	for _, kind := range []env.EventKind{env.Trapped, env.Escaped, env.Leads, env.Died, env.Ended} {
		if total[kind] == 0 {
			t.Errorf("no recorded game has an event %v", kind)
		}
	}
	if less == 0 {
		t.Error("seats know all moments")
	}
}

// TestTrapsAndKicksHold: who is trapped dies by the rules, whatever it does, if the others stand still; whose kick
// killed has kicked a bomb shortly before; and nobody takes the lead in the position with which a game begins.
func TestTrapsAndKicksHold(t *testing.T) {
	traps, kills := 0, 0
	for _, id := range []string{"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "OneVsOne-v0"} {
		for seed := range uint64(120) {
			game, err := catalog.Game(id)
			if err != nil {
				t.Fatal(err)
			}
			spec, m, tracker := game.Spec(), game.New(1)[0].(*pommerman.Match), game.NewTrackers(1, true)[0]
			m.Reset(env.Seed{Value: seed})
			tracker.Begin(m)
			head, actions, agents := scene.HeadOf(spec, m), make([]uint8, spec.Seats), make([]env.Agent, spec.Seats)
			for seat := range agents {
				if agents[seat], err = game.NewAgent("simple"); err != nil {
					t.Fatal(err)
				}
				agents[seat].Reset(env.RNG{State: seed + uint64(seat)})
			}
			var kicked [pommerman.MaxAgents]int
			for find := scene.NewFinder(&head, m); !m.Status().Over; {
				s := scene.Describe(spec, m, tracker, actions)
				find.Find(&s, m)
				for _, e := range s.Events {
					switch e.Kind {
					case env.Trapped:
						if traps++; survives(game, m.State, e.Seat) {
							t.Errorf("%s, seed %d, step %d: seat %d can get out", id, seed, s.Step, e.Seat)
						}
					case env.Kicked:
						kicked[e.Seat] = s.Step
					case env.Leads:
						first := scene.Describe(spec, m, tracker, nil)
						scene.NewFinder(&head, m).Find(&first, m)
						if slices.ContainsFunc(first.Events, func(e env.Event) bool { return e.Kind == env.Leads }) {
							t.Errorf("%s, seed %d: a game that begins at step %d has %+v", id, seed, s.Step, first.Events)
						}
					case env.Died:
						for _, by := range e.Kicked.List() {
							if kills++; kicked[by] == 0 || kicked[by] < s.Step-12 {
								t.Errorf("%s, seed %d, step %d: seat %d has kicked at %d", id, seed, s.Step, by, kicked[by])
							}
						}
					}
				}
				for seat, a := range agents {
					if m.Status().In.Has(seat) {
						a.Act(m, seat, actions[seat:][:1])
					}
				}
				tracker.Step(m, actions)
			}
		}
	}
	if t.Logf("%d traps, %d kicks that killed", traps, kills); traps < 5 || kills < 5 {
		t.Errorf("there are %d traps and %d kicks that killed, want more of both", traps, kills)
	}
}

// TestWhatDecidedPoints: no death in SuiteBot, whose dead come back, decides a game there, and no lead of others than
// the winners.
func TestWhatDecidedPoints(t *testing.T) {
	game, err := catalog.Variant("SuiteBot-v0", []byte(`{"rounds": 40}`))
	if err != nil {
		t.Fatal(err)
	}
	spec, m, tracker, led := game.Spec(), game.New(1)[0], game.NewTrackers(1, true)[0], 0
	agent, err := game.NewAgent("simple")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(60) {
		m.Reset(env.Seed{Value: seed})
		tracker.Begin(m)
		agent.Reset(env.RNG{State: seed})
		head, actions, rng := scene.HeadOf(spec, m), make([]uint8, spec.Seats), env.RNG{State: seed}
		lead := env.Event{}
		for find := scene.NewFinder(&head, m); !m.Status().Over; {
			for seat := range actions {
				if actions[seat] = uint8(rng.Uint64() % 5); seat < 2 { // the others move at random
					agent.Act(m, seat, actions[seat:][:1])
				}
			}
			tracker.Step(m, actions)
			s := scene.Describe(spec, m, tracker, actions)
			find.Find(&s, m)
			for _, e := range s.Events {
				switch {
				case e.Kind == env.Leads:
					lead = e
				case e.Kind == env.Ended && e.Since != s.Step && (e.Since != lead.Since || e.By&lead.By == 0):
					t.Errorf("seed %d: %v won at step %d, decided at %d; %v led since %d", seed, e.By, s.Step, e.Since,
						lead.By, lead.Since)
				case e.Kind == env.Ended && e.Since != s.Step:
					led++
				}
			}
		}
	}
	if led == 0 {
		t.Error("a lead has decided no game")
	}
}

// TestAdvantageCountsScores: the score of a side counts once, however many seats have it.
func TestAdvantageCountsScores(t *testing.T) {
	var shares []int
	for _, id := range []string{"BaseWar-v0", "BaseWarSides-v0"} {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		m, tracker := game.New(1)[0], game.NewTrackers(1, true)[0]
		m.Reset(env.Seed{Value: 1})
		tracker.Begin(m)
		head, s := scene.HeadOf(game.Spec(), m), scene.Describe(game.Spec(), m, tracker, nil)
		for _, seat := range head.Teams[1] {
			s.Counts["score"][seat] = 9
		}
		scene.NewFinder(&head, m).Find(&s, m)
		shares = append(shares, s.Advantage[1])
	}
	if shares[0] <= 50 || shares[1] != shares[0] {
		t.Errorf("with 9 points more a side has %v %% of the prospects, want the same of both and more than 50", shares)
	}
}

// survives tries all moves of a seat until no bomb is left, by the rules.
func survives(game env.Game, from pommerman.State, seat int) bool {
	m := game.New(1)[0].(*pommerman.Match)
	states := map[pommerman.State]bool{from: true}
	for range 12 {
		next := map[pommerman.State]bool{}
		for state := range states {
			for move := range env.Moves {
				actions := make([]uint8, game.Spec().Seats)
				actions[seat] = uint8(move)
				if m.State = state; !m.Status().Over {
					m.Step(actions)
				}
				if m.State.Agents[seat].Alive {
					next[m.State] = true
				}
			}
		}
		states = next
	}
	return len(states) > 0
}
