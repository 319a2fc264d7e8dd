package paper

import (
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
	"pommego/env/seat"
)

// hybrids lists the agents that have the option careful.
func hybrids() []string {
	var names []string
	for _, k := range Roster {
		if slices.Contains(k.Options(), "careful") {
			names = append(names, k.Name)
		}
	}
	return names
}

// TestCareful shows what the option changes: each board is one on which our rules
// keep the agent from what the text says.
func TestCareful(t *testing.T) {
	for _, test := range []struct {
		scene
		literal []pommerman.Action // what it plays by the text, and scene.want by our rules
	}{
		{scene{reason: "exploring, into the dead end in reach of a bomb that has long to go", board: `
			# # # # # # #
			e . a . . . #
			# # # # . # #
			# # # # . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 9, 3
			v.Self.Ammo = 0
		}, want: []pommerman.Action{pommerman.Stop}}, []pommerman.Action{pommerman.Left}},
		{scene{reason: "exploring, where somebody near could shut it in", board: `
			# # # # # # #
			# k A . . B .
			# # # . # # #
			# # # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.Self.Ammo = 0 },
			want: []pommerman.Action{pommerman.Stop}}, []pommerman.Action{pommerman.Left}},
		{scene{reason: "evading without a search, not past the bomb that explodes first but where it stands", board: `
			# # # # # # #
			# o A . . o #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 2, 3
			v.Bombs[1].Life, v.Bombs[1].Blast = 4, 3
		}, want: []pommerman.Action{pommerman.Right}}, []pommerman.Action{pommerman.Stop}},
		{scene{reason: "a bomb whose only escape another may take", board: `
			# # # # # # #
			# A . B . # #
			# # . # # # #
			# . . . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.Self.Blast = 2 },
			want: []pommerman.Action{pommerman.Right}}, []pommerman.Action{pommerman.LayBomb}},
	} {
		for _, by := range []struct {
			name string
			want []pommerman.Action
		}{
			{"heuristic", test.want}, {"heuristic:careful=1", test.want}, {"heuristic:careful=0", test.literal},
		} {
			var got pommerman.Moves
			for value := range uint64(40) {
				a, v := test.begin(t, by.name, value)
				v.Alive = env.SeatSet(0).With(0).With(1)
				got = got.With(pommermantest.ActionOf(a, v))
			}
			if want := pommermantest.SetOf(by.want); got != want {
				t.Errorf("%s: %s plays%v, want%v", test.reason, by.name, got, want)
			}
		}
	}
}

// TestAllBombs: a bomb is dangerous under 5 steps, and 2 more for each further bomb around or, as
// the text has it word for word, for each bomb.
func TestAllBombs(t *testing.T) {
	for n, row := range []string{"A . . . . . .", "A o . . . . .", "A o o . . . .", "A o o o . . ."} {
		s := scene{board: row + strings.Repeat("\n. . . . . . .", 6), change: func(v *pommerman.View, _ *hybridMemory) {
			for i := range v.Bombs[:v.NumBombs] {
				v.Bombs[i].Life, v.Bombs[i].Blast = 20, 5
			}
		}}
		for name, want := range map[string]int{
			"heuristic": 5 + 2*max(n-1, 0), "heuristic:careful=0": 5 + 2*max(n-1, 0), "heuristic:careful=0,allbombs=1": 5 + 2*n,
		} {
			var o analysis
			a, v := s.begin(t, name, 1)
			a.decide(v, &o)
			if int(o.threshold) != want {
				t.Errorf("%s with %d bombs around: bombs under %d steps are dangerous, want %d", name, n, o.threshold, want)
			}
		}
	}
}

// TestLiteralSearch: by the text a search chooses among all moves that are neither
// void nor deadly at once, but for a bomb that would be suicide.
func TestLiteralSearch(t *testing.T) {
	bombs, kept, more := 0, 0, 0
	pommermantest.Situations(t, players, 2, func(s *pommermantest.Situation) {
		for seat := range s.Rules.Seats() {
			if !s.State.Agents[seat].Alive {
				continue
			}
			var v pommerman.View
			s.Rules.See(&s.State, seat, &v)
			var memory hybridMemory
			o, careful := analysis{literal: true}, analysis{}
			rng := env.RNG{State: 1}
			o.look(memory.remember(&v), &memory, &rng)
			careful.look(memory.remember(&v), &memory, &rng)
			all := tactics.UsefulMoves(s.Rules, &s.State, seat)
			want := all
			if all.Has(pommerman.LayBomb) {
				bombs++
				if !o.mayBomb() {
					want = all.Without(pommerman.LayBomb)
				} else {
					kept++
				}
			}
			got := o.lasting(all)
			if got != want {
				t.Fatalf("seat %d: to choose from are%v, want%v, in\n%s", seat, got, want, s.State.Board)
			}
			if got != careful.lasting(all) {
				more++
			}
			w := world{literal: true}
			if w.imagine(s.Rules, &s.State, seat, toEvade, pommerman.NoSeat) && w.first != all {
				t.Fatalf("seat %d: searched are%v, want%v", seat, w.first, all)
			}
		}
	})
	if kept == 0 || kept == bombs || more == 0 {
		t.Errorf("of %d bombs that could be laid %d are no suicide, and %d tactics.Choices differ from the careful ones; "+
			"want some of each", bombs, kept, more)
	}
}

// TestCarefulIsKept: the option belongs to the agent, whatever game it begins or is
// restored to, and 1 is the default.
func TestCarefulIsKept(t *testing.T) {
	for _, name := range hybrids() {
		plays := func(options string, restored bool) string {
			separator := ":"
			if strings.Contains(pommermantest.Quick(players, name), ":") {
				separator = ","
			}
			name := pommermantest.Quick(players, name)
			if options != "" {
				name += separator + options
			}
			b, err := Roster.New(name)
			if err != nil {
				t.Fatal(err)
			}
			b.Reset(env.RNG{State: 7})
			b.Reset(env.RNG{State: 5})
			var all []byte
			for seed := range uint64(120) {
				if restored {
					if err := seat.Restore(b, saved.Append(nil, b)); err != nil {
						t.Fatal(err)
					}
				}
				all = append(all, pommermantest.Play(b, seed))
			}
			return string(all)
		}
		careful, literal := plays("", false), plays("careful=0", false)
		if plays("careful=1", true) != careful {
			t.Errorf("%s with careful=1 does not play as by default", name)
		}
		if plays("careful=0", true) != literal || literal == careful {
			t.Errorf("%s with careful=0 plays otherwise once it is restored, or as by default", name)
		}
	}
}
