package pommerman

import (
	"iter"
	"testing"

	"pommego/env"
)

// variants is every kind of rules the package knows, small and odd ones too.
func variants() map[string]Rules {
	small := Playground(FFA)
	small.BoardSize, small.NumRigid, small.NumWood, small.NumItems = 7, 4, 8, 6
	large := Playground(Team).Fogged(3)
	large.BoardSize, large.NumRigid, large.NumWood, large.NumItems = 14, 40, 60, 40
	quick := Playground(FFA).Collapsing(8)
	quick.MaxSteps = 24
	early := Rules2018(TeamRadio).Fogged(4).Collapsing(10)
	early.MaxSteps = 60
	document := JavaDocument(Team)
	document.FirstCollapse, document.MaxSteps = 10, 60
	java := seeing(Java(Team), 2)
	java.FirstCollapse, java.CollapseEvery, java.MaxSteps = 10, 7, 60
	dense := Java(FFA)
	dense.BoardSize, dense.NumRigid, dense.NumWood, dense.NumItems = 7, 2, 8, 8
	dense.FirstCollapse, dense.CollapseEvery, dense.MaxSteps = 30, 9, 60
	return map[string]Rules{
		"ffa": Playground(FFA), "ffa collapse": Playground(FFA).Collapsing(500), "quick collapse": quick,
		"team": Playground(Team), "team fog": Playground(Team).Fogged(4),
		"team fog collapse": Playground(Team).Fogged(4).Collapsing(20),
		"radio":             Playground(TeamRadio).Fogged(4), "one-vs-one": Playground(OneVsOne),
		"2018": Rules2018(FFA), "2018 team": Rules2018(Team), "2018 radio collapse": early,
		"java document": JavaDocument(FFA), "java document team": document,
		"java": Java(FFA), "java team": java, "java own cell": seeing(Java(Team), OwnCell), "java dense": dense,
		"7x7": small, "14x14": large,
	}
}

func mustGame(t testing.TB, r Rules) *Game {
	t.Helper()
	g, err := New("test", "", r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// boost gives agents what makes games dense: ammo, range, kicks, less wood.
func boost(r *Rules, s *State, rng *env.RNG) {
	for i := range s.Agents[:r.Seats()] {
		a := &s.Agents[i]
		a.Ammo = uint8(1 + rng.IntN(4))
		a.Blast = uint8(2 + rng.IntN(4))
		a.Kicks = rng.Coin()
	}
	for c, item := range s.Board {
		if item == Wood && rng.IntN(3) > 0 {
			s.Board[c] = s.Hidden(cell(c))
			s.Hide(cell(c), Passage)
		}
	}
}

func randomActions(r *Rules, rng *env.RNG, actions []uint8) {
	width := 1 + r.RadioWords
	for seat := range r.Seats() {
		// Bombs are rarer than a sixth, or nobody lives to kick them.
		actions[seat*width] = uint8(rng.IntN(5))
		if rng.IntN(8) == 0 {
			actions[seat*width] = uint8(LayBomb)
		}
		for w := 1; w < width; w++ {
			actions[seat*width+w] = uint8(rng.IntN(r.RadioVocab + 1))
		}
	}
}

// randomMove is a move for the caller to make.
type randomMove struct {
	actions []uint8
	rng     *env.RNG
	first   bool // of an episode
	boosted bool // the episode is
}

// randomMoves deals games in s, every other one boosted, and yields random moves,
// some thousand in all. The caller makes each in s.
func randomMoves(g *Game, s *State) iter.Seq[randomMove] {
	r, steps := g.Rules(), 6_000
	if testing.Short() {
		steps = 1_000
	}
	return func(yield func(randomMove) bool) {
		actions := make([]uint8, r.Seats()*(1+r.RadioWords))
		for episode := uint64(0); steps > 0; episode++ {
			seed := env.Seed{Value: 1, Episode: episode}
			g.Deal(s, seed)
			rng := seed.RNG(env.StreamPolicy)
			boosted := episode%2 == 1
			if boosted {
				boost(r, s, &rng)
			}
			for first := true; !r.Status(s).Over && steps > 0; first = false {
				randomActions(r, &rng, actions)
				if !yield(randomMove{actions, &rng, first, boosted}) {
					return
				}
				steps--
			}
		}
	}
}

// overlap puts an agent onto the cell of another, where both may lay a bomb, as can
// come about by the Java rules.
func overlap(r *Rules, s *State, rng *env.RNG, actions []uint8) {
	a, b := rng.IntN(MaxAgents), rng.IntN(MaxAgents)
	if r.StepKind != StepJava || a == b || rng.IntN(4) > 0 || !s.Agents[a].Alive || !s.Agents[b].Alive {
		return
	}
	if c := s.Agents[a].Cell; s.Board[c] == r.Agent0()+Item(a) {
		s.Board[c] = Passage
	}
	s.Agents[a].Cell = s.Agents[b].Cell
	if rng.Coin() {
		actions[a], actions[b] = uint8(LayBomb), uint8(LayBomb)
	}
}

// compareStep makes one step with the state and with its slow twin.
func compareStep(t testing.TB, r *Rules, s *State, actions []uint8) {
	t.Helper()
	before := *s
	slow := newTwin(r, s)
	if s.due != 0 {
		slow.collapse(int(s.due) - 1)
	}
	moves := make([]Action, r.Seats())
	for i := range moves {
		moves[i] = Action(actions[i*(1+r.RadioWords)])
	}
	switch r.StepKind {
	case Step2018:
		rng := s.RNG
		slow.step2018(moves, func() float64 { return float64(rng.Uint64()>>11) / (1 << 53) })
	case StepJava:
		slow.stepJava(moves)
	default:
		slow.step(moves)
	}
	r.Step(s, actions)
	if got := newTwin(r, s); !got.equal(slow) {
		t.Fatalf("moves %v from\n%s\ngave\n%s\nwant, by the slow twin,\n%s", moves, newTwin(r, &before).text(), got.text(),
			slow.text())
	}
	if err := r.Check(s); err != nil {
		t.Fatalf("moves %v from\n%s\nbroke an invariant: %v", moves, newTwin(r, &before).text(), err)
	}
	if status := r.Status(s); status.Over && r.StepKind == StepJava {
		for seat, got := range status.SeatResults(r.teams(), before.Living()) {
			if want := [...]env.SeatResult{env.Won, env.Lost, env.Tied, env.Undecided}[r.Result(s, seat)]; got != want {
				t.Fatalf("moves %v from\n%s\nend with seat %d %s, want %s", moves, newTwin(r, &before).text(), seat, got, want)
			}
		}
	}
}

// TestSlowTwin plays random games of every variant, plain and boosted, and
// demands after every step the twin's state and all invariants.
func TestSlowTwin(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s State
			for m := range randomMoves(mustGame(t, rules), &s) {
				if m.boosted {
					overlap(&rules, &s, m.rng, m.actions)
				}
				compareStep(t, &rules, &s, m.actions)
			}
		})
	}
}

// FuzzStep does the same from fuzzed seeds and moves.
func FuzzStep(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte("\x05\x01\x02\x03\x04\x00\x05\x05"))
	f.Add(uint64(7), uint8(9), []byte("\x05\x05\x05\x05\x01\x02\x03\x04\x01\x02\x03\x04"))
	all := []*Game{}
	for _, name := range []string{"ffa", "quick collapse", "team fog collapse", "one-vs-one", "2018", "java", "7x7",
		"14x14", "java dense"} {
		all = append(all, mustGame(f, variants()[name]))
	}
	f.Fuzz(func(t *testing.T, seed uint64, variant uint8, moves []byte) {
		g := all[int(variant/2)%len(all)]
		r := g.Rules()
		var s State
		g.Deal(&s, env.Seed{Value: seed})
		rng := env.RNG{State: seed}
		if variant%2 == 1 {
			boost(r, &s, &rng)
		}
		for n := r.Seats(); len(moves) >= n && !r.Status(&s).Over; moves = moves[n:] {
			actions := make([]uint8, n)
			for i := range actions {
				actions[i] = moves[i] % uint8(numActions)
			}
			if variant%2 == 1 {
				overlap(r, &s, &rng, actions)
			}
			compareStep(t, r, &s, actions)
		}
	})
}

// seeing is the rules with another view.
func seeing(r Rules, view int) Rules {
	r.ViewSize = view
	return r
}
